/** Evaluates the flags that a plan concerns for one person, before and after it, and compares the answers. */

import { isJsonObject, objectOrEmpty, type JsonValue, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { findEffects } from '../effects/find-effects.ts';
import { evaluateFlags } from '../evaluation/evaluate.ts';
import type { Evaluation, FlagValue } from '../evaluation/evaluation.ts';
import {
  findConcerned,
  type Concerned,
  compareValues,
  type PersonOutcome,
  makeWorlds,
  closureOf,
  type ImpactWorld as Side,
  type Worlds,
} from '../impact/worlds.ts';
import { withCohortIds as withCohortIdsIn } from '../posthog/flag/model/cohort-filters.ts';
import { mapReferences, withCohortIds, lookupNames, type NameLookup } from '../posthog/flag/model/references.ts';
import type { KindTypes } from '../posthog/kind-types.ts';
import type { LiveState } from '../posthog/live.ts';
import type { Plan, Change } from '../posthog/plan.ts';
import type { Project, ProjectNames } from '../posthog/project.ts';
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

interface PlannedFlags {
  readonly changes: readonly Change[];
  /** The cohorts that the plan saw; absent if the run did not read them. */
  readonly cohorts?: NonNullable<LiveState['cohorts']>;
  /** The names of every cohort with an alias. */
  readonly names: ProjectNames;
}

/** Keys are ids; `undefined` for a list of persons. */
type Definitions = ReadonlyMap<number, JsonObject | undefined>;

/** Compares one person after the other, so that the caller can pause in between. */
export function createComparison({
  plan,
  live,
  project,
  surroundings,
}: ComparedPlan): (person: NamedPerson) => ChangedAnswer[] {
  const flags = makeWorlds(plan.changes, live.flags);
  const concerned = findConcerned(findEffects(plan), flags);
  const keys = concerned.map(({ key }) => key);
  const { changes } = plan;
  const worlds = plannedWorlds({ changes, names: project, ...defined({ cohorts: live.cohorts }) }, flags, keys);
  const names = lookupNames([], project);
  const before = createEvaluator(worlds.before, names, surroundings);
  const after = createEvaluator(worlds.after, names, surroundings);
  const cohortsChange = changes.some(({ resource }) => resource === 'cohort');
  return (person) => {
    const [former, wanted] = [before(person), after(person)];
    const nameIn = (key: string): string => flags.before.flags.get(key)?.key ?? key;
    return concerned.flatMap((one) => {
      const keys = { before: nameIn(one.key), after: one.key };
      const answers = { before: former.answer(keys.before), after: wanted.answer(keys.after) };
      const outcome = (ask: Ask): PersonOutcome =>
        compareValues(
          former.valueIf(keys.before, ask, cohortsChange ? 'before' : undefined),
          wanted.valueIf(keys.after, ask, cohortsChange ? 'after' : undefined),
          one.payloads,
        );
      return dependsOnService(answers) && eitherWay(outcome) === undefined ? [] : compare(one, answers, person);
    });
  };
}

type PersonEvaluator = (person: NamedPerson) => EvaluatedPerson;

interface EvaluatedPerson {
  readonly answer: (key: string) => LiveAnswer;
  /** The value if `ask` answers for the service. */
  readonly valueIf: (key: string, ask: Ask, side: 'before' | 'after' | undefined) => FlagValue;
}

function createEvaluator(world: FlagWorld, names: NameLookup, surroundings: SubjectContext): PersonEvaluator {
  const conditions = conditionsByKey(world, names);
  const open = findOpenFlags(world);
  return (person) => {
    const input = toSubject(person, world, surroundings);
    const answers = evaluateFlags({ flags: world.flags, ...input });
    const openCohorts = input.context.cohorts;
    return {
      answer: (key) => {
        const evaluation = answers.get(key);
        if (evaluation === undefined) return MISSING;
        const settled = settle({ key, flags: world.flags, open, openCohorts, ...input }, evaluation);
        return 'filter' in settled ? BY_SERVICE : toAnswer(conditions.get(key), settled);
      },
      valueIf: (key, ask, side) => {
        const evaluation = answers.get(key);
        if (evaluation === undefined || !isOpen(key, evaluation, open)) return evaluation?.value ?? false;
        const asked = { key, flags: world.flags, open, openCohorts, ...input };
        return evaluateAsking(asked, { ask, ...defined({ side }) })?.value ?? false;
      },
    };
  };
}

/** Conditions with the names of reports: flags by key, cohorts by alias. */
function conditionsByKey({ flags }: FlagWorld, names: NameLookup): ReadonlyMap<string, readonly JsonValue[]> {
  const keys = new Map(flags.map(({ id, key }) => [String(id), key]));
  const flag = (reference: string | number): string => keys.get(String(reference)) ?? String(reference);
  return new Map(
    flags.map(({ key, filters }) => {
      return [key, listNamed(mapReferences(objectOrEmpty(filters), { flag }), names)];
    }),
  );
}

const MISSING: LiveAnswer = { kind: 'decided', answer: { value: false, reason: 'flag_missing', conditions: 0 } };
const BY_SERVICE: LiveAnswer = { kind: 'undecided', why: 'filter_unknown' };

function toAnswer(conditions: readonly JsonValue[] = [], evaluation: Evaluation): LiveAnswer {
  const { value, reason, conditionIndex } = evaluation;
  if (reason === 'unknown_format') return { kind: 'undecided', why: 'unknown_format' };
  if (reason === 'missing_dependency') return { kind: 'undecided', why: 'dependency_unknown' };
  if (reason === 'unknown_pattern') return BY_SERVICE;
  // None of several unmatched conditions decided; an early access condition is in a separate list.
  const isOne = reason !== 'super_condition_value' && (reason !== 'no_condition_match' || conditions.length === 1);
  const decided = conditionIndex === null || !isOne ? undefined : conditions[conditionIndex];
  const condition = isJsonObject(decided) ? { number: (conditionIndex ?? 0) + 1, condition: decided } : undefined;
  return { kind: 'decided', answer: { value, reason, conditions: conditions.length, ...defined({ condition }) } };
}

/** Whether nothing but filters that only the service can decide leaves an answer open. */
function dependsOnService({ before, after }: AnswerPair): boolean {
  const open = [before, after].flatMap((answer) => (answer.kind === 'undecided' ? answer.why : []));
  return open.length > 0 && open.every((why) => why === 'filter_unknown');
}

type AnswerPair = Pick<ChangedAnswer, 'before' | 'after'>;

/** An answer that is undecided on both sides is reported: the plan may change it. */
function compare({ key, payloads }: Concerned, { before, after }: AnswerPair, { name }: NamedPerson): ChangedAnswer[] {
  const changed = { person: name, flag: key, before, after, payloadChanges: false };
  if (before.kind === 'undecided' || after.kind === 'undecided') return [changed];
  if (before.answer.value !== after.answer.value) return [changed];
  const { value } = after.answer;
  return value !== false && payloads.has(String(value)) ? [{ ...changed, payloadChanges: true }] : [];
}

/** Includes only the flags that are asked about, and those that they depend on. */
function plannedWorlds(
  { changes, cohorts = [], names }: PlannedFlags,
  flags: Worlds,
  keys: readonly string[],
): { readonly before: FlagWorld; readonly after: FlagWorld } {
  const cohortId = createCohortIds(new Map(Object.entries(names.cohorts)));
  const live = new Map(
    cohorts
      .filter(({ deleted }) => deleted !== true)
      .map(({ id, is_static: isStatic, filters }) => [
        id,
        isStatic !== true && isJsonObject(filters) ? filters : undefined,
      ]),
  );
  const changed = changes.filter((change) => change.resource === 'cohort');
  const gone = changed.flatMap((change) => (change.action === 'delete' ? change.id : []));
  const make = (side: Side, definitions: Definitions, retired: readonly number[]): FlagWorld => {
    const asked = [...closureOf(keys, side)].flatMap((key) => side.flags.get(key) ?? []);
    const evaluated = asked.map((flag) => ({ ...flag, ...withCohortIds(flag, cohortId) }));
    return {
      flags: evaluated,
      cohorts: knownCohorts({ flags: evaluated, definitions: [...definitions], retired }),
      cohortId,
    };
  };
  return { before: make(flags.before, live, []), after: make(flags.after, applied(live, changed, cohortId), gone) };
}

function applied(
  live: Definitions,
  changes: readonly KindTypes['cohort']['change'][],
  cohortId: FlagWorld['cohortId'],
): Definitions {
  const definitions = new Map(live);
  for (const change of changes) {
    const id = 'id' in change ? change.id : cohortId(change.key);
    const former = 'base' in change ? change.base.cohort : {};
    const { filters } = withCohortIdsIn({ ...former, ...change.body }, cohortId);
    if (change.action === 'delete') definitions.delete(id);
    else definitions.set(id, isJsonObject(filters) ? filters : undefined);
  }
  return definitions;
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
