/** Evaluates the flags that a plan concerns for one person, before and after it, and compares the answers. */

import { isJsonObject, objectOrEmpty, type JsonValue, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { findEffects } from '../effects/find-effects.ts';
import { evaluateFlags } from '../../evaluation/evaluate.ts';
import type { Evaluation, FlagValue } from '../../evaluation/input.ts';
import {
  findConcerned,
  type Concerned,
  compareValues,
  type PersonOutcome,
  makeWorlds,
  closureOf,
  type ImpactWorld as Side,
} from '../effects/worlds.ts';
import { withCohortIds as withCohortIdsIn } from '../../posthog/flag/model/cohort-filters.ts';
import { mapReferences, withCohortIds, lookupNames, type NameLookup } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan, Change } from '../../posthog/plan.ts';
import type { Project } from '../../posthog/project.ts';
import { eitherWay, evaluateAsking, findOpenFlags, isOpen, settle, type Ask } from './either-way.ts';
import { listNamed } from './answers.ts';
import type { NamedPerson, ExpectedAnswer, DecidingCondition, Undecided } from './expectation.ts';
import { toSubject, type SubjectContext, createCohortIds, knownCohorts, type FlagWorld } from './world.ts';

export interface ComparedPlan {
  readonly plan: Pick<Plan, 'changes' | 'warnings'>;
  readonly live: Pick<LiveState, 'flags' | 'cohorts'>;
  /** Includes the ids of declared cohorts that were found by name. */
  readonly project: Project;
  readonly surroundings: SubjectContext;
}

/** Compares one person after the other, so that the caller can pause in between. */
export function createComparison({
  plan,
  live,
  project,
  surroundings,
}: ComparedPlan): (person: NamedPerson) => ChangedAnswer[] {
  const { changes } = plan;
  const flags = makeWorlds(changes, live.flags);
  const concerned = findConcerned(findEffects(plan), flags);
  const keys = concerned.map(({ key }) => key);
  const cohortId = createCohortIds(new Map(Object.entries(project.cohorts)));
  const definitions = cohortsBefore(live);
  const gone = changes.flatMap((one) => (one.resource === 'cohort' && one.action === 'delete' ? one.id : []));
  // Includes only the flags that are asked about, and those that they depend on.
  const makeWorld = (side: Side, cohorts: Definitions, retired: readonly number[]): FlagWorld => {
    const asked = [...closureOf(keys, side)].flatMap((key) => side.flags.get(key) ?? []);
    const evaluated = asked.map((flag) => ({ ...flag, ...withCohortIds(flag, cohortId) }));
    return {
      flags: evaluated,
      cohorts: knownCohorts({ flags: evaluated, definitions: [...cohorts], retired }),
      cohortId,
    };
  };
  const names = lookupNames([], project);
  const evaluate = {
    before: createEvaluator(makeWorld(flags.before, definitions, []), names, surroundings),
    after: createEvaluator(makeWorld(flags.after, applied(definitions, changes, cohortId), gone), names, surroundings),
  };
  const cohortsChange = changes.some(({ resource }) => resource === 'cohort');
  return (person) => {
    const [former, wanted] = [evaluate.before(person), evaluate.after(person)];
    return concerned.flatMap((one) => {
      const { key } = one;
      const keyBefore = flags.before.flags.get(key)?.key ?? key;
      const answers = { before: former.answer(keyBefore), after: wanted.answer(key) };
      const outcome = (ask: Ask): PersonOutcome =>
        compareValues(
          former.valueIf(keyBefore, ask, cohortsChange ? 'before' : undefined),
          wanted.valueIf(key, ask, cohortsChange ? 'after' : undefined),
          one.payloads,
        );
      const open = [answers.before, answers.after].flatMap((one) => (one.kind === 'undecided' ? one.why : []));
      // Nothing but filters that only the service can decide leaves an answer open.
      const isOfService = open.length > 0 && open.every((why) => why === 'filter_unknown');
      return isOfService && eitherWay(outcome) === undefined ? [] : compare(one, answers, person);
    });
  };
}

/** Keys are ids; `undefined` for a list of persons. */
type Definitions = ReadonlyMap<number, JsonObject | undefined>;

function cohortsBefore({ cohorts = [] }: Pick<LiveState, 'cohorts'>): Definitions {
  return new Map(
    cohorts.flatMap(({ id, deleted, is_static: isStatic, filters }) =>
      deleted === true ? [] : [[id, isStatic !== true && isJsonObject(filters) ? filters : undefined] as const],
    ),
  );
}

function applied(live: Definitions, changes: readonly Change[], cohortId: FlagWorld['cohortId']): Definitions {
  const definitions = new Map(live);
  for (const change of changes) {
    if (change.resource !== 'cohort') continue;
    const id = 'id' in change ? change.id : cohortId(change.key);
    const former = 'base' in change ? change.base.cohort : {};
    const { filters } = withCohortIdsIn({ ...former, ...change.body }, cohortId);
    if (change.action === 'delete') definitions.delete(id);
    else definitions.set(id, isJsonObject(filters) ? filters : undefined);
  }
  return definitions;
}

interface EvaluatedPerson {
  readonly answer: (key: string) => LiveAnswer;
  /** The value if `ask` answers for the service. */
  readonly valueIf: (key: string, ask: Ask, side: 'before' | 'after' | undefined) => FlagValue;
}

function createEvaluator(
  world: FlagWorld,
  names: NameLookup,
  surroundings: SubjectContext,
): (person: NamedPerson) => EvaluatedPerson {
  const { flags } = world;
  // Conditions with the names of reports: flags by key, cohorts by alias.
  const keys = new Map(flags.map(({ id, key }) => [String(id), key]));
  const flag = (reference: string | number): string => keys.get(String(reference)) ?? String(reference);
  const conditions = new Map(
    flags.map(({ key, filters }) => [key, listNamed(mapReferences(objectOrEmpty(filters), { flag }), names)]),
  );
  const open = findOpenFlags(world);
  return (person) => {
    const input = toSubject(person, world, surroundings);
    const answers = evaluateFlags({ flags, ...input });
    const asked = { flags, open, openCohorts: input.context.cohorts, ...input };
    return {
      answer: (key) => {
        const evaluation = answers.get(key);
        if (evaluation === undefined) {
          return { kind: 'decided', answer: { value: false, reason: 'flag_missing', conditions: 0 } };
        }
        const settled = settle({ key, ...asked }, evaluation);
        return 'filter' in settled
          ? { kind: 'undecided', why: 'filter_unknown' }
          : toAnswer(conditions.get(key), settled);
      },
      valueIf: (key, ask, side) => {
        const evaluation = answers.get(key);
        if (evaluation === undefined || !isOpen(key, evaluation, open)) return evaluation?.value ?? false;
        return evaluateAsking({ key, ...asked }, { ask, ...defined({ side }) })?.value ?? false;
      },
    };
  };
}

function toAnswer(conditions: readonly JsonValue[] = [], evaluation: Evaluation): LiveAnswer {
  const { value, reason, conditionIndex } = evaluation;
  if (reason === 'unknown_format') return { kind: 'undecided', why: 'unknown_format' };
  if (reason === 'missing_dependency') return { kind: 'undecided', why: 'dependency_unknown' };
  if (reason === 'unknown_pattern') return { kind: 'undecided', why: 'filter_unknown' };
  // None of several unmatched conditions decided; an early access condition is in a separate list.
  const isOne = reason !== 'super_condition_value' && (reason !== 'no_condition_match' || conditions.length === 1);
  const decided = conditionIndex === null || !isOne ? undefined : conditions[conditionIndex];
  const condition = isJsonObject(decided) ? { number: (conditionIndex ?? 0) + 1, condition: decided } : undefined;
  return { kind: 'decided', answer: { value, reason, conditions: conditions.length, ...defined({ condition }) } };
}

/** An answer that is undecided on both sides is reported: the plan may change it. */
function compare(
  { key, payloads }: Concerned,
  { before, after }: Pick<ChangedAnswer, 'before' | 'after'>,
  { name }: NamedPerson,
): ChangedAnswer[] {
  const changed = { person: name, flag: key, before, after, payloadChanges: false };
  if (before.kind === 'undecided' || after.kind === 'undecided') return [changed];
  if (before.answer.value !== after.answer.value) return [changed];
  const { value } = after.answer;
  return value !== false && payloads.has(String(value)) ? [{ ...changed, payloadChanges: true }] : [];
}

export interface ChangedAnswers {
  /** All people that the test files name. */
  readonly people: number;
  /** The people with at least one answer that changes. */
  readonly changed: number;
  /** The number of answers that change. */
  readonly total: number;
  /** The first of them, person by person as the test files name them; at most `MOST_KEPT`. */
  readonly answers: readonly ChangedAnswer[];
}

export const MOST_KEPT = 1000;

/** The answers of one flag to one person with the live flags, and with the plan applied. */
export interface ChangedAnswer {
  /** The name in the test files. */
  readonly person: string;
  /** The key once the plan is applied. */
  readonly flag: string;
  readonly before: LiveAnswer;
  readonly after: LiveAnswer;
  /** The value stays, and its payload changes. Payloads may be secret, so none is held. */
  readonly payloadChanges: boolean;
}

export type LiveAnswer =
  { readonly kind: 'decided'; readonly answer: DecidedAnswer } | { readonly kind: 'undecided'; readonly why: Unknown };

/** `filter_unknown`: it depends on a filter that only the service can decide. */
type Unknown = Extract<Undecided['code'], 'unknown_format' | 'dependency_unknown'> | 'filter_unknown';

export interface DecidedAnswer {
  readonly value: FlagValue;
  /** `flag_missing`: the project has no such flag. */
  readonly reason: Exclude<ExpectedAnswer['reason'], 'flag_deleted'> | 'flag_missing';
  /** The condition that decided; absent if none did, or several did not match. */
  readonly condition?: Pick<DecidingCondition, 'number' | 'condition'>;
  /** The number of conditions of the flag. */
  readonly conditions: number;
}
