/** What the declared flags of one project answer a person, and what decides each answer. */

import { arrayOrEmpty, objectOrEmpty, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { createFinder, orderByDependencies } from '../evaluation/dependencies.ts';
import { evaluateFlags } from '../evaluation/evaluate.ts';
import { isUndecided, type Evaluation } from '../evaluation/evaluation.ts';
import { conditionsOf, isOpaque } from '../evaluation/parts.ts';
import { createScope } from '../evaluation/scope.ts';
import type { DeclaredFlag, DesiredState } from '../posthog/desired.ts';
import { hasEncryptedPayloads } from '../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { toForm } from '../posthog/flag/model/normal-forms.ts';
import { viewFilters } from '../posthog/flag/model/view.ts';
import { flagReferences, lookupNames, nameCohorts, type NameLookup } from '../posthog/flag/model/references.ts';
import type { Project } from '../posthog/project.ts';
import { findAttempts, type EvaluationAttempt } from './attempts.ts';
import { findOpenFlags, settle, type OpenFilter } from './either-way.ts';
import type { NamedPerson, DecidingCondition, ExpectedAnswer, TriedCondition, Undecided } from './expectation.ts';
import { toSubject, type SubjectContext, declaredWorld, type FlagWorld } from './world.ts';

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
  const conditionsOfFlag = nameConditions(lookupNames([], project));
  const namedOf = (key: string): NamedConditions => {
    const flag = declared.get(key);
    return flag?.kind === 'declared' ? conditionsOfFlag(flag) : [];
  };
  return (person, at, keys) => {
    const evaluated = evaluate(person, at, keys);
    return {
      of: (key) => {
        const flag = declared.get(key);
        if (flag === undefined) return undefined;
        return flag.kind === 'retired' ? DELETED : decide(flag, namedOf, evaluated);
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

const DELETED: ExpectedAnswer = { value: false, reason: 'flag_deleted', conditions: 0 };

type NamedConditions = readonly DecidingCondition[];

/** The conditions of a flag with the names of cohorts, each flag's once. */
function nameConditions(names: NameLookup): (flag: DeclaredFlag) => NamedConditions {
  const known = new Map<DeclaredFlag, NamedConditions>();
  return (flag) => {
    const found = known.get(flag) ?? toConditions(flag, names);
    known.set(flag, found);
    return found;
  };
}

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

/** `namedOf`: the conditions of any declared flag. */
function decide(
  flag: DeclaredFlag,
  namedOf: (key: string) => NamedConditions,
  evaluated: Evaluated,
): ExpectedAnswer | Undecided {
  const filter = evaluated.undecided.get(flag.key);
  const unknown = filter === undefined ? undefined : unknownFilter(flag, filter, namedOf(filter.flag));
  return unknown ?? answerOf(flag, namedOf(flag.key), evaluated);
}

function unknownFilter({ key }: DeclaredFlag, open: OpenFilter, named: NamedConditions): Undecided | undefined {
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
    return { code: 'dependency_unknown', flags: unknownDependencies(evaluated, flags) };
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

function unknownDependencies(flag: Flag, flags: Evaluated['flags']): readonly string[] {
  const references = [...new Set(flagReferences(flag.filters).map(String))];
  const unknown = references.filter((key) => viewFilters(flags.get(key)?.filters).isOpaque || !flags.has(key));
  return unknown.length > 0 ? unknown : references;
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

function createEvaluator(
  world: FlagWorld,
  surroundings: DeclaredProject['surroundings'],
): (...asked: Parameters<AskFlags>) => Evaluated {
  const flags = new Map(world.flags.map((flag) => [flag.key, flag]));
  const find = createFinder(world.flags);
  // A person is in no cohort whose members follow from events, unless the person names it.
  const open = findOpenFlags({ flags: world.flags, cohorts: {} });
  return (person, now, keys) => {
    const { ordered, broken } = orderByDependencies(
      [...keys].flatMap((key) => flags.get(key) ?? []),
      find,
    );
    const input = toSubject(person, world, { ...surroundings, now });
    const answers = new Map(evaluateFlags({ flags: [...ordered, ...broken], ...input }));
    const undecided = new Map<string, OpenFilter>();
    for (const [key, evaluation] of answers) {
      const settled = settle({ key, flags: world.flags, open, openCohorts: {}, ...input }, evaluation);
      if ('filter' in settled) undecided.set(key, settled);
      else answers.set(key, settled);
    }
    const scope = createScope(input, (name) => answers.get(find(name)?.key ?? name));
    return {
      flags,
      answers,
      undecided,
      attempts: (key) => {
        const flag = flags.get(key);
        return flag === undefined ? [] : findAttempts(flag, scope);
      },
    };
  };
}
