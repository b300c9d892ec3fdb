/** Evaluates the declared flags of one project for the people of a suite, and compares the answers with the expected ones. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { arrayOrEmpty, jsonEquals, objectOrEmpty, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { conditionsOf } from '../evaluation/parts.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../posthog/desired.ts';
import { hasEncryptedPayloads } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { toForm } from '../posthog/flag/forms.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import { flagReferences } from '../posthog/flag/references.ts';
import { lookupNames, nameCohorts, type NameLookup } from '../posthog/names.ts';
import type { Project } from '../posthog/project.ts';
import type { OpenFilter } from './either-way.ts';
import { createEvaluator, type Evaluated } from './evaluator.ts';
import type { Expectation, Expected } from './expectation.ts';
import { declaredWorld, type SubjectContext } from './world.ts';
import type {
  ExpectedAnswer,
  ExpectationCase,
  DecidingCondition,
  TriedCondition,
  Undecided,
  ExpectationVerdict,
} from './verdict.ts';

export interface JudgedProject {
  readonly project: Project;
  readonly desired: DesiredState;
  readonly surroundings: SubjectContext;
}

/** One case for each expectation about the project and each of its people, in the order of the files. */
export function judge(
  expectations: readonly Expectation[],
  { project, desired, surroundings }: JudgedProject,
): ExpectationCase[] {
  const declared = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const concerned = expectations.filter(
    ({ flag, projects }) => declared.has(flag) && projects?.includes(project.name) !== false,
  );
  const evaluate = createEvaluator(declaredWorld(desired, project), concerned, surroundings);
  const conditionsOfFlag = nameConditions(lookupNames([], project));
  const namedOf = (key: string): NamedConditions => {
    const flag = declared.get(key);
    return flag?.kind === 'declared' ? conditionsOfFlag(flag) : [];
  };
  return concerned.flatMap((expectation) => {
    const { flag: key, expected, name, place, at } = expectation;
    const flag = declared.get(key) as DesiredFlag;
    return expectation.people.map((person) => ({
      project: project.name,
      flag: key,
      person: person.name,
      ...defined({ name }),
      place,
      expected,
      verdict:
        flag.kind === 'retired'
          ? compare(DELETED, expected)
          : decide({ flag, expected, namedOf }, evaluate(person, at ?? surroundings.now)),
    }));
  });
}

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
  const { groups } = nameCohorts(objectOrEmpty(fields['filters']), names);
  return arrayOrEmpty(groups).map((condition, index) => ({
    number: index + 1,
    condition: objectOrEmpty(condition),
    place: placeAt(places, `/filters/groups/${index}`),
  }));
}

interface ExpectationQuestion {
  readonly flag: DeclaredFlag;
  readonly expected: Expected;
  /** The conditions of any declared flag. */
  readonly namedOf: (key: string) => NamedConditions;
}

function decide({ flag, expected, namedOf }: ExpectationQuestion, evaluated: Evaluated): ExpectationVerdict {
  const filter = evaluated.undecided.get(flag.key);
  const unknown = filter === undefined ? undefined : unknownFilter(flag, filter, namedOf(filter.flag));
  if (unknown !== undefined) return { outcome: 'undecided', why: unknown };
  const named = namedOf(flag.key);
  const answer = answerOf(flag, named, evaluated);
  if ('code' in answer) return { outcome: 'undecided', why: answer };
  const isValue = hasValue(expected, answer);
  if (isValue && answer.value !== false && expected.payload !== undefined && hasEncryptedPayloads(flag.fields)) {
    return { outcome: 'undecided', why: { code: 'payload_encrypted' } };
  }
  const verdict = compare(answer, expected);
  if (isValue || verdict.outcome === 'passed' || !BY_CONDITIONS.has(answer.reason)) return verdict;
  const attempts = evaluated.attempts(flag.key).flatMap(({ index, result }): TriedCondition[] => {
    const condition = named[index];
    return condition === undefined ? [] : [{ condition, result }];
  });
  return { outcome: 'failed', answer, attempts };
}

function unknownFilter({ key }: DeclaredFlag, open: OpenFilter, named: NamedConditions): Undecided | undefined {
  const condition = named[open.index];
  if (condition === undefined) return undefined;
  const filter = objectOrEmpty(arrayOrEmpty(condition.condition['properties'])[open.filter]);
  return { code: 'filter_unknown', ...(open.flag === key ? {} : { dependency: open.flag }), condition, filter };
}

const BY_CONDITIONS: ReadonlySet<ExpectedAnswer['reason']> = new Set([
  'condition_match',
  'out_of_rollout_bound',
  'no_condition_match',
  'no_group_type',
]);

const DELETED: ExpectedAnswer = { value: false, reason: 'flag_deleted', conditions: 0 };

function compare(
  answer: ExpectedAnswer,
  expected: Expected,
): Exclude<ExpectationVerdict, { readonly outcome: 'undecided' }> {
  const { payload } = expected;
  const wanted = payload === undefined || payload === null ? undefined : comparable(asWritten(payload));
  const isMet = hasValue(expected, answer) && (payload === undefined || jsonEquals(wanted, answer.payload));
  return isMet ? { outcome: 'passed', answer } : { outcome: 'failed', answer, attempts: [] };
}

function hasValue({ value }: Expected, answer: ExpectedAnswer): boolean {
  return value === true ? answer.value !== false : value === answer.value;
}

function answerOf(
  flag: DeclaredFlag,
  named: NamedConditions,
  { flags, answers, attempts }: Evaluated,
): ExpectedAnswer | Undecided {
  const [evaluated, evaluation] = [flags.get(flag.key), answers.get(flag.key)];
  if (evaluated === undefined || evaluation === undefined) return { code: 'conditions_undeclared' };
  const { value, reason, conditionIndex, payload } = evaluation;
  if (reason === 'unknown_format') return { code: 'unknown_format' };
  if (reason === 'missing_dependency') {
    return { code: 'dependency_unknown', flags: unknownDependencies(evaluated, flags) };
  }
  const conditions = conditionsOf(evaluated.filters).length;
  // The service reports a missing device as a roll-out that excludes the person. None of several unmatched conditions decided; an early
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
  const unknown = references.filter((key) => isOpaque(flags.get(key)?.filters) || !flags.has(key));
  return unknown.length > 0 ? unknown : references;
}

function comparable(payload: JsonValue): JsonValue {
  return toForm('payload', payload, {});
}

/** A string that is no JSON text means itself: manifests hold only JSON text. */
function asWritten(payload: JsonValue): JsonValue {
  if (typeof payload !== 'string') return payload;
  try {
    parseJson(payload);
    return payload;
  } catch {
    return stringifyJson(payload);
  }
}
