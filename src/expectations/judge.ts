/** Evaluates the declared flags of one project for the people of a suite, and compares the answers with the expected ones. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { jsonEquals, objectOrEmpty, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { orderByDependencies, createFinder } from '../evaluation/dependencies.ts';
import { evaluateFlags } from '../evaluation/evaluate.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { conditionsOf } from '../evaluation/parts.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../posthog/desired.ts';
import { hasEncryptedPayloads } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { toForm } from '../posthog/flag/forms.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import { flagReferences } from '../posthog/flag/references.ts';
import { lookupNames, nameCohorts, type NameLookup } from '../posthog/names.ts';
import type { Project } from '../posthog/project.ts';
import type { Expectation, Expected, Person } from './expectation.ts';
import { toSubject, type Surroundings } from './subject.ts';
import type { Answer, Case, DecidingCondition, Undecided, Verdict } from './verdict.ts';
import { declaredWorld, type World } from './world.ts';

export interface JudgedProject {
  readonly project: Project;
  readonly desired: DesiredState;
  readonly surroundings: Surroundings;
}

/** One case for each expectation about the project and each of its people, in the order of the files. */
export function judge(expectations: readonly Expectation[], { project, desired, surroundings }: JudgedProject): Case[] {
  const declared = new Map(desired.flags.map((flag) => [flag.key, flag]));
  const concerned = expectations.filter(
    ({ flag, projects }) => declared.has(flag) && projects?.includes(project.name) !== false,
  );
  const world = declaredWorld(desired, project);
  const evaluator = createEvaluator(restrict(world, new Set(concerned.map(({ flag }) => flag))), surroundings);
  const names = lookupNames([], project);
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
      verdict: decide({ flag, names, expected }, evaluator(person, at ?? surroundings.now)),
    }));
  });
}

/** Only the flags that are asked about, and those that they depend on. */
function restrict(world: World, keys: ReadonlySet<string>): World {
  const wanted = world.flags.filter(({ key }) => keys.has(key));
  const { ordered, broken } = orderByDependencies(wanted, createFinder(world.flags));
  return { ...world, flags: [...ordered, ...broken] };
}

interface Evaluated {
  /** By key. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly answers: ReadonlyMap<string, Evaluation>;
}

type Evaluator = (person: Person, at: number) => Evaluated;

/** All flags are evaluated at once for each person and time. */
function createEvaluator(world: World, surroundings: Surroundings): Evaluator {
  const known = new Map<Person, Map<number, Evaluated>>();
  const flags = new Map(world.flags.map((flag) => [flag.key, flag]));
  return (person, now) => {
    const ofPerson = known.get(person) ?? new Map<number, Evaluated>();
    known.set(person, ofPerson);
    const found = ofPerson.get(now);
    if (found !== undefined) return found;
    const { subject, context } = toSubject(person, world, { ...surroundings, now });
    const made = { flags, answers: evaluateFlags({ flags: world.flags, context, subject }) };
    ofPerson.set(now, made);
    return made;
  };
}

interface Question {
  readonly flag: DesiredFlag;
  readonly expected: Expected;
  /** As the manifests name cohorts. */
  readonly names: NameLookup;
}

function decide({ flag, expected, names }: Question, evaluated: Evaluated): Verdict {
  const answer = flag.kind === 'retired' ? DELETED : answerOf(flag, evaluated, names);
  if ('code' in answer) return { outcome: 'undecided', why: answer };
  if (!isValue(expected, answer)) return { outcome: 'failed', answer };
  if (expected.payload === undefined) return { outcome: 'passed', answer };
  if (flag.kind === 'declared' && answer.value !== false && hasEncryptedPayloads(flag.fields)) {
    return { outcome: 'undecided', why: { code: 'payload_encrypted' } };
  }
  const wanted = expected.payload === null ? undefined : comparable(asWritten(expected.payload));
  return { outcome: jsonEquals(wanted, answer.payload) ? 'passed' : 'failed', answer };
}

const DELETED: Answer = { value: false, reason: 'flag_deleted', conditions: 0 };

function isValue({ value }: Expected, answer: Answer): boolean {
  return value === true ? answer.value !== false : value === answer.value;
}

function answerOf(flag: DeclaredFlag, { flags, answers }: Evaluated, names: NameLookup): Answer | Undecided {
  const [evaluated, evaluation] = [flags.get(flag.key), answers.get(flag.key)];
  if (evaluated === undefined || evaluation === undefined) return { code: 'conditions_undeclared' };
  const { value, reason, conditionIndex, payload } = evaluation;
  if (reason === 'unknown_format') return { code: 'unknown_format' };
  if (reason === 'missing_dependency') {
    return { code: 'dependency_unknown', flags: unknownDependencies(evaluated, flags) };
  }
  const conditions = conditionsOf(evaluated.filters).length;
  // Of several conditions that did not match, none decided; that of early access is in a list of its own.
  const isOne = reason !== 'super_condition_value' && (reason !== 'no_condition_match' || conditions === 1);
  const condition = conditionIndex === null || !isOne ? undefined : decidingCondition(flag, conditionIndex, names);
  const open = payload === undefined || hasEncryptedPayloads(flag.fields) ? undefined : comparable(payload);
  return { value, reason, conditions, ...defined({ condition, payload: open }) };
}

function decidingCondition(
  { fields, places }: DeclaredFlag,
  index: number,
  names: NameLookup,
): DecidingCondition | undefined {
  const groups = nameCohorts(objectOrEmpty(fields['filters']), names)['groups'];
  const condition = (groups as readonly JsonObject[] | undefined)?.[index];
  if (condition === undefined) return undefined;
  return { number: index + 1, condition, place: placeAt(places, `/filters/groups/${index}`) };
}

function unknownDependencies(flag: Flag, flags: Evaluated['flags']): readonly string[] {
  const named = [...new Set(flagReferences(flag.filters).map(String))];
  const unknown = named.filter((key) => isOpaque(flags.get(key)?.filters) || !flags.has(key));
  return unknown.length > 0 ? unknown : named;
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
