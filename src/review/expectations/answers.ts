/** What the declared flags of one project answer a person, what decides each answer, and why it may be unexpected. */

import { arrayOrEmpty, memberOf, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { UNKNOWN } from '../../base/pattern/read-pattern.ts';
import { placeAt } from '../../base/place.ts';
import { findAggregation, findsMatch } from '../../evaluation/condition.ts';
import { createFinder, orderByDependencies, evaluateFlags } from '../../evaluation/evaluate.ts';
import { isUndecided, type Evaluation } from '../../evaluation/input.ts';
import { rolloutHash, variantHash, isRolledOut, findBucket } from '../../evaluation/hash.ts';
import { conditionsOf, isOpaque, propertiesOf, variantsOf } from '../../evaluation/parts.ts';
import { readRules } from '../../evaluation/rule-document.ts';
import { createScope, groupProperties, type EvaluationScope } from '../../evaluation/scope.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { type Condition, type Flag, type Property, viewFilters } from '../../posthog/flag/model/flag.ts';
import { toForm } from '../../posthog/flag/model/normal-forms.ts';
import { flagReferences, lookupNames, nameCohorts, type NameLookup } from '../../posthog/flag/model/references.ts';
import type { Project } from '../../posthog/project.ts';
import { findOpenFlags, settle, type OpenFilter } from './either-way.ts';
import type {
  AttemptResult,
  ChosenVariant,
  DecidingCondition,
  ExpectedAnswer,
  NamedPerson,
  TriedCondition,
  Undecided,
} from './expectation.ts';
import { declaredWorld, toSubject, type FlagWorld, type SubjectContext } from './world.ts';

export interface DeclaredProject {
  readonly project: Project;
  readonly desired: DesiredState;
  readonly surroundings: Omit<SubjectContext, 'now'>;
}

/** Evaluates the flags of `keys` and those that they depend on. `at`: milliseconds since 1970. */
export type AskFlags = (person: NamedPerson, at: number, keys: ReadonlySet<string>) => PersonAnswers;

export interface PersonAnswers {
  /** The answer of a flag that was asked about. A flag that no manifest declares for the project is `undefined`. */
  readonly of: (key: string) => ExpectedAnswer | Undecided | undefined;
  /** The conditions of the flag in the order of their evaluation, up to the one that decides. */
  readonly attempts: (key: string) => readonly TriedCondition[];
}

export function createAnswers({ project, desired, surroundings }: DeclaredProject): AskFlags {
  const declared = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const evaluate = createEvaluator(declaredWorld(desired, project), surroundings);
  const names = lookupNames([], project);
  const known = new Map<string, NamedConditions>();
  // The conditions of a declared flag with the names of cohorts, each flag's once.
  const namedOf = (key: string): NamedConditions => {
    const flag = declared.get(key);
    if (flag?.kind !== 'declared') return [];
    const found = known.get(key) ?? toConditions(flag, names);
    known.set(key, found);
    return found;
  };
  return (person, at, keys) => {
    const evaluated = evaluate(person, at, keys);
    return {
      of: (key) => {
        const flag = declared.get(key);
        if (flag === undefined) return undefined;
        if (flag.kind === 'retired') return { value: false, reason: 'flag_deleted', conditions: 0 };
        const open = evaluated.undecided.get(key);
        const unknown = open === undefined ? undefined : unknownFilter(key, open, namedOf(open.flag));
        return unknown ?? answerOf(flag, namedOf(key), evaluated);
      },
      attempts: (key) => {
        const named = namedOf(key);
        return evaluated.attempts(key).flatMap(({ index, result }): TriedCondition[] => {
          const condition = named[index];
          return condition === undefined ? [] : [{ condition, result }];
        });
      },
    };
  };
}

type NamedConditions = readonly DecidingCondition[];

function toConditions({ fields, places }: DeclaredFlag, names: NameLookup): NamedConditions {
  const filters = objectOrEmpty(fields['filters']);
  const at = isOpaque(filters) ? '/filters/rules' : '/filters/groups';
  return listNamed(filters, names).map((condition, index) => ({
    number: index + 1,
    condition: objectOrEmpty(condition),
    place: placeAt(places, `${at}/${index}`),
  }));
}

/** The conditions of a flag, or its rules as such, with the names of cohorts. */
export function listNamed(filters: JsonObject, names: NameLookup): readonly JsonValue[] {
  if (isOpaque(filters)) return conditionsOf(filters).map(([, condition]) => condition);
  return arrayOrEmpty(nameCohorts(filters, names)['groups']);
}

function unknownFilter(key: string, open: OpenFilter, named: NamedConditions): Undecided | undefined {
  const condition = named[open.index];
  if (condition === undefined) return undefined;
  const filter = objectOrEmpty(arrayOrEmpty(condition.condition['properties'])[open.filter]);
  return { code: 'filter_unknown', ...(open.flag === key ? {} : { dependency: open.flag }), condition, filter };
}

function answerOf(
  flag: DeclaredFlag,
  named: NamedConditions,
  { flags, answers, attempts }: Evaluated,
): ExpectedAnswer | Undecided {
  const [evaluated, evaluation] = [flags.get(flag.key), answers.get(flag.key)];
  if (evaluated === undefined || evaluation === undefined) return { code: 'conditions_undeclared' };
  const { value, reason, conditionIndex, payload } = evaluation;
  if (isUndecided(reason)) return { code: 'unknown_format' };
  if (reason === 'missing_dependency') {
    const references = [...new Set(flagReferences(evaluated.filters).map(String))];
    const unknown = references.filter((key) => viewFilters(flags.get(key)?.filters).isOpaque || !flags.has(key));
    return { code: 'dependency_unknown', flags: unknown.length > 0 ? unknown : references };
  }
  const conditions = conditionsOf(evaluated.filters).length;
  // The service reports a missing device as a rollout that excludes the person. None of several unmatched conditions decided; an early
  // access condition is in a separate list.
  const isOne = reason !== 'super_condition_value' && (reason !== 'no_condition_match' || conditions === 1);
  const lacksDevice =
    reason === 'out_of_rollout_bound' &&
    attempts(flag.key).some(({ index, result }) => index === conditionIndex && result.kind === 'no_device');
  const condition = conditionIndex === null || !isOne || lacksDevice ? undefined : named[conditionIndex];
  const open = payload === undefined || hasEncryptedPayloads(flag.fields) ? undefined : comparable(payload);
  return { value, reason, conditions, ...defined({ condition, payload: open }) };
}

/** The form in which payloads are compared. */
export function comparable(payload: JsonValue): JsonValue {
  return toForm('payload', payload, {});
}

interface Evaluated {
  /** The flags with known conditions, by key. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly answers: ReadonlyMap<string, Evaluation>;
  /** The filters that make answers unknown, by the key of the flag that is asked about. */
  readonly undecided: ReadonlyMap<string, OpenFilter>;
  /** The results of the conditions of an evaluated flag for the person. */
  readonly attempts: (key: string) => readonly EvaluationAttempt[];
}

/** `index`: in the flag's conditions. */
interface EvaluationAttempt {
  readonly index: number;
  readonly result: AttemptResult;
}

function createEvaluator(
  world: FlagWorld,
  surroundings: DeclaredProject['surroundings'],
): (...asked: Parameters<AskFlags>) => Evaluated {
  const flags = new Map(world.flags.map((flag) => [flag.key, flag]));
  const find = createFinder(world.flags);
  // A person is in no cohort whose members follow from events, unless the person names it.
  const open = findOpenFlags({ flags: world.flags, cohorts: {} });
  return (person, now, keys) => {
    const asked = [...keys].flatMap((key) => flags.get(key) ?? []);
    const { ordered, broken } = orderByDependencies(asked, find);
    const input = toSubject(person, world, { ...surroundings, now });
    const answers = new Map(evaluateFlags({ flags: [...ordered, ...broken], ...input }));
    const undecided = new Map<string, OpenFilter>();
    for (const [key, evaluation] of answers) {
      const settled = settle({ key, flags: world.flags, open, openCohorts: {}, ...input }, evaluation);
      if ('filter' in settled) undecided.set(key, settled);
      else answers.set(key, settled);
    }
    const scope = createScope(input, (name) => answers.get(find(name)?.key ?? name));
    const attempts: Evaluated['attempts'] = (key) => {
      const flag = flags.get(key);
      return flag === undefined ? [] : findAttempts(flag, scope);
    };
    return { flags, answers, undecided, attempts };
  };
}

/** What each condition of a flag decides for a person, up to the one that decides: the reason for an unexpected answer. */
function findAttempts(flag: Flag, scope: EvaluationScope): readonly EvaluationAttempt[] {
  const attempts: EvaluationAttempt[] = [];
  const rules = readRules(flag.filters ?? {})?.rules;
  for (const [index, condition] of scope.rules.conditionOrder(conditionsOf(flag.filters))) {
    const rule = rules?.[index];
    // A rule hashes its seed in place of the key, and always with the id of the person.
    const hashed = rule === undefined ? flag : { id: flag.id, key: rule.seed ?? flag.key };
    const result = tryCondition(hashed, condition, scope);
    attempts.push({ index, result });
    if (result.kind === 'matched') break;
    const isLast = flag.filters?.['early_exit'] === true || rule?.on_rollout_miss === 'return_default';
    if (result.kind === 'left_out' && isLast) break;
  }
  return attempts;
}

function tryCondition(flag: Flag, condition: Condition, scope: EvaluationScope): AttemptResult {
  const aggregation = findAggregation(flag, condition);
  const bucket = findBucket(flag, aggregation, scope);
  if (bucket.kind === 'absent') {
    return aggregation === null ? { kind: 'no_device' } : { kind: 'no_group', type: aggregation };
  }
  const properties = propertiesOf(condition);
  if (properties === undefined) return { kind: 'unreadable' };
  const matches = properties.map((property) => findsMatch(property, aggregation, scope));
  // Only rules negate what a filter matches.
  const isNegated = ({ negation }: Property): boolean => flag.filters === undefined && negation === true;
  const filter = properties.findIndex((property, at) => matches[at] === isNegated(property));
  const unmatched = properties[filter];
  if (unmatched !== undefined) {
    return { kind: 'unmatched', filter, ...defined({ found: findValue(unmatched, aggregation, scope) }) };
  }
  if (matches.includes(UNKNOWN)) return { kind: 'undecided', filter: matches.indexOf(UNKNOWN) };
  const { identifier } = bucket;
  if (!isRolledOut({ flag, condition, identifier }, scope)) {
    return { kind: 'left_out', identifier, position: rolloutHash(flag.key, identifier) * 100 };
  }
  const variants = variantsOf(flag.filters);
  if (variants.length === 0) return { kind: 'matched', identifier };
  const isForced = variants.some(({ key }) => key === condition.variant);
  const variant: ChosenVariant = isForced
    ? { kind: 'forced' }
    : { kind: 'hashed', position: variantHash(flag.key, identifier) * 100 };
  return { kind: 'matched', identifier, variant };
}

function findValue(filter: Property, aggregation: number | null, scope: EvaluationScope): JsonValue | undefined {
  const key = String(filter.key);
  if (filter.type === 'cohort') return undefined;
  if (filter.type === 'flag') return scope.findFlag(key)?.value;
  const named = filter['group_type_index'];
  const index = filter.type === 'group' && typeof named === 'number' ? named : aggregation;
  const isOfGroup = filter.type === 'group' || (filter.type === undefined && index !== null);
  if (!isOfGroup) return memberOf(scope.person, key);
  return index === null ? undefined : memberOf(groupProperties(index, scope), key);
}
