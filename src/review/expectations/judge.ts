/** Compares what the declared flags of one project answer the people of a suite with the expected answers. */

import { parseJson, stringifyJson } from '../../base/json-text.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { comparable, createAnswers, type AskFlags, type DeclaredProject, type PersonAnswers } from './answers.ts';
import type {
  Expectation,
  ExpectationCase,
  ExpectationVerdict,
  Expected,
  ExpectedAnswer,
  NamedPerson,
} from './expectation.ts';
import type { SubjectContext } from './world.ts';

/** The time of the surroundings is that of expectations without one. */
export interface JudgedProject extends DeclaredProject {
  readonly surroundings: SubjectContext;
  /** What is declared at a time, where that changes over time: the same object as long as nothing does. Absent: always `desired`. */
  readonly desiredAt?: (at: number) => DesiredState;
}

/** One case for each expectation about the project and each of its people, in the order of the files. */
export function judge(
  expectations: readonly Expectation[],
  { project, desired, surroundings, desiredAt = () => desired }: JudgedProject,
): ExpectationCase[] {
  const declared = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const concerned = expectations.filter(
    ({ flag, projects }) => declared.has(flag) && projects?.includes(project.name) !== false,
  );
  const { now } = surroundings;
  const asking = new Map<DesiredState, AskFlags>();
  const answersTo = rememberAnswers(concerned, now, (person, at, keys) => {
    const declaredThen = desiredAt(at);
    const found = asking.get(declaredThen) ?? createAnswers({ project, desired: declaredThen, surroundings });
    asking.set(declaredThen, found);
    return found(person, at, keys);
  });
  return concerned.flatMap((expectation) => {
    const { flag: key, expected, name, place, at = now } = expectation;
    const flag = declared.get(key) as DesiredFlag;
    return expectation.people.map((person) => ({
      project: project.name,
      flag: key,
      person: person.name,
      ...defined({ name }),
      place,
      expected,
      verdict: decide(flag, expected, answersTo(person, at)),
    }));
  });
}

/** Evaluates the flags that are asked about once for each person and time. */
function rememberAnswers(
  expectations: readonly Expectation[],
  now: number,
  ask: AskFlags,
): (person: NamedPerson, at: number) => PersonAnswers {
  const asked = new Map<NamedPerson, Map<number, Set<string>>>();
  for (const { people, flag, at = now } of expectations) {
    for (const person of people) {
      const times = asked.get(person) ?? new Map<number, Set<string>>();
      asked.set(person, times);
      times.set(at, (times.get(at) ?? new Set()).add(flag));
    }
  }
  const known = new Map<ReadonlySet<string>, PersonAnswers>();
  return (person, at) => {
    const keys = asked.get(person)?.get(at) ?? new Set<string>();
    const found = known.get(keys) ?? ask(person, at, keys);
    known.set(keys, found);
    return found;
  };
}

function decide(flag: DesiredFlag, expected: Expected, answers: PersonAnswers): ExpectationVerdict {
  const answer = answers.of(flag.key) as NonNullable<ReturnType<PersonAnswers['of']>>;
  if ('code' in answer) return { outcome: 'undecided', why: answer };
  const { value, payload } = expected;
  const isValue = value === true ? answer.value !== false : value === answer.value;
  const isSecret = flag.kind === 'declared' && hasEncryptedPayloads(flag.fields);
  if (isValue && answer.value !== false && payload !== undefined && isSecret) {
    return { outcome: 'undecided', why: { code: 'payload_encrypted' } };
  }
  if (isValue && hasPayload(payload, answer)) return { outcome: 'passed', answer };
  const isByConditions = !isValue && BY_CONDITIONS.has(answer.reason);
  return { outcome: 'failed', answer, attempts: isByConditions ? answers.attempts(flag.key) : [] };
}

const BY_CONDITIONS: ReadonlySet<ExpectedAnswer['reason']> = new Set([
  'condition_match',
  'out_of_rollout_bound',
  'no_condition_match',
  'no_group_type',
]);

function hasPayload(payload: Expected['payload'], answer: ExpectedAnswer): boolean {
  if (payload === undefined) return true;
  return payload === null ? answer.payload === undefined : jsonEquals(comparable(asWritten(payload)), answer.payload);
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
