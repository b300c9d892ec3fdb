/**
 * Plans the later steps of rollouts on the flags as a plan leaves them. Each step is a plan of its own, under the rules of the run that
 * will make it, so that a review finds what that run would refuse.
 */

import { comparing } from '../../base/compare-strings.ts';
import { reach } from '../../base/graph.ts';
import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type Place, placeAt } from '../../base/place.ts';
import { type Exception, isOver } from '../../core/engine/exceptions.ts';
import { sealPlan } from '../../core/engine/seal-plan.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import { timesAhead, valueOf } from '../../core/rollout/position.ts';
import type { Moment } from '../../core/rollout/rollout.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import { afterPlan, asUpdate, isAt, type FlagSnapshot, snapshotFlags, takeFlagSnapshot } from '../flag/snapshot.ts';
import type { UpdateFlag } from '../flag/change.ts';
import { FLAG } from '../flag/kind.ts';
import type { Flag } from '../flag/model/flag.ts';
import { mapReferences } from '../flag/model/references.ts';
import { setAt } from '../flag/values-of-others.ts';
import { KINDS } from '../kinds.ts';
import type { PostHog } from '../kind.ts';
import type { LiveState } from '../live.ts';
import type { Hazard, Plan, RiskHazard } from '../plan.ts';
import { isReviewed, isStepped } from '../rollouts/rollouts-in-review.ts';
import { takeSnapshot } from '../snapshot.ts';
import { type BuildOptions, DEFAULT_OPTIONS, findOtherNames } from './build-plan.ts';

/** Rollouts that step at the same time are one. */
export interface StepAhead {
  /** Its declared time, by which approvals name it. */
  readonly at: string;
  /** When it is due if the plan is applied now; absent if that is its declared time. A late step delays those after it. */
  readonly due?: string;
  /** When the first of several steps is due that a late run makes together, up to the one of `at`; absent for steps made one by one. */
  readonly jump_since?: string;
  readonly plan: Plan;
  /** The flags as they are until then: those that step, and all that depend on them or that they depend on. */
  readonly live: LiveState;
  /** Flags that the plan leaves at another value than the one with which the step begins; absent if there are none. */
  readonly left?: readonly string[];
}

/** The steps that a plan decides about, and what they will meet. */
export interface DecidingPlan {
  readonly desired: DesiredState;
  /** What was applied last, which was reviewed already. */
  readonly former: DesiredState | undefined;
  /** The state that the plan was made from. */
  readonly live: LiveState;
  readonly changes: Plan['changes'];
  readonly moment: Pick<Moment, 'now' | 'every'>;
  /** The rules of runs that make steps. */
  readonly options?: BuildOptions;
}

/** The flags as they are before a step, and how steps of them are planned. */
export interface StepStage {
  /** The flags by key. Before the first step, their rollouts are where the plan declares them. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly left: ReadonlySet<string>;
  /** The keys of flags with all that depend on them or that they depend on: a step affects no others. */
  readonly around: (keys: Iterable<string>) => readonly string[];
  /** `at`: when the step is made: an exception that is over by then does not lift what it breaks. */
  readonly seal: (
    changes: readonly UpdateFlag[],
    live: LiveState,
    more?: { readonly at?: string; readonly risks?: readonly RiskHazard[] },
  ) => Plan;
}

export function stageSteps({ desired, former, live, changes, options = {} }: DecidingPlan): StepStage {
  const after = afterPlan(takeFlagSnapshot(live), changes).filter(({ deleted }) => deleted !== true);
  const names = snapshotOf(after);
  const flags = new Map(after.map((flag) => [flag.key, flag]));
  const left = new Set<string>();
  for (const flag of desired.flags.filter(isStepped)) {
    const found = flags.get(flag.key);
    if (found !== undefined && isAtStep(flag, names.comparable(found))) continue;
    left.add(flag.key);
    flags.set(flag.key, asDeclared(flag, found ?? { id: -left.size, key: flag.key }, flags));
  }
  const needs = new Map([...snapshotOf([...flags.values()]).graph()].map(([key, { dependsOn }]) => [key, dependsOn]));
  const { project, limits, protected: guarded, exceptions, origins } = { ...DEFAULT_OPTIONS, ...options };
  const otherNames = findOtherNames([desired, former, options.alsoNamed]);
  const rules = { project, limits, protected: guarded, otherNames, ...defined({ origins }) };
  const standingAt = (at: string | undefined): readonly Exception[] =>
    at === undefined ? exceptions : exceptions.filter((one) => !isOver(one, Date.parse(at)));
  const parts = {
    // A share is of all flags that the run may touch, however few step.
    families: [
      { name: FLAG.name, reach: desired.flags.filter(({ kind }) => kind === 'declared').length, unchanged: 0 },
    ],
    kept: 0,
    unmanaged: { count: 0, inScope: [] },
    warnings: [],
  };
  return {
    flags,
    left,
    around: (keys) => [...reachAround(new Set(keys), needs)].filter((key) => flags.has(key)).toSorted(),
    seal: (made, state, { at, risks: furtherRisks = [] } = {}) =>
      sealPlan<PostHog>(
        { ...parts, changes: made, furtherRisks },
        { kinds: KINDS, snapshot: takeSnapshot(state) },
        { ...rules, exceptions: standingAt(at) },
      ),
  };
}

function snapshotOf(flags: readonly Flag[]): FlagSnapshot {
  return snapshotFlags(indexResources(flags));
}

function isAtStep({ rollouts = [] }: DeclaredFlag, comparable: JsonObject): boolean {
  return rollouts.every((one) => isAt(comparable, one.path, valueOf(one, one.step)));
}

/** Somebody edited the flag, and the plan leaves that: its steps begin once the manifest counts again. */
function asDeclared({ fields }: DeclaredFlag, found: Flag, flags: StepStage['flags']): Flag {
  const flag: Flag = { ...found, ...fields };
  const idOf = (name: string | number): string | number => flags.get(String(name))?.id.toString() ?? name;
  if (flag.filters === undefined) return flag;
  return { ...flag, filters: mapReferences({ ...found.filters, ...flag.filters }, { flag: idOf }) };
}

/** New values of a flag, with their places in the manifest. */
export interface SteppedFlag {
  readonly flag: DeclaredFlag;
  readonly values: readonly { readonly path: string; readonly to: JsonValue; readonly place?: Place | undefined }[];
}

/** The plan of flags that step together at a time. `before`: the flags as they are until then. */
export function planSteps(
  { at, due = at, stepped }: StepGroup,
  before: StepStage['flags'],
  stage: Pick<StepStage, 'around' | 'seal' | 'left'>,
): Pick<StepAhead, 'plan' | 'live' | 'left'> {
  const keys = stepped.map(({ flag }) => flag.key);
  const live = { flags: stage.around(keys).flatMap((key) => before.get(key) ?? []), roleAccess: {} };
  const names = snapshotOf(live.flags);
  const changes = stepped.flatMap(({ flag: { key, places }, values }): UpdateFlag[] => {
    const flag = before.get(key);
    if (flag === undefined) return [];
    const former = names.comparable(flag);
    const update = asUpdate({ key, id: flag.id }, { before: former, after: withValues(former, values) }, names);
    const placeOf = (path: string): Place | undefined => values.find((one) => one.path === path)?.place;
    const fields = update.fields.map((field) => ({ ...field, ...defined({ source: placeOf(field.path) }) }));
    return fields.length === 0 ? [] : [{ ...update, fields, ...defined({ source: places.place }) }];
  });
  const left = keys.filter((key) => stage.left.has(key));
  return { plan: stage.seal(changes, live, { at: due }), live, ...(left.length === 0 ? {} : { left }) };
}

export function withValues<Of extends JsonObject>(flag: Of, values: SteppedFlag['values']): Of {
  return values.reduce((made, { path, to }) => setAt(made, path, to), flag);
}

/**
 * The steps that a plan decides about, in order of time, and the rules that they and those that were reviewed before break with it.
 */
export function planStepsAhead(
  deciding: DecidingPlan,
  stage: StepStage,
): { readonly steps: readonly StepAhead[] } & Pick<StepRules, 'hazards' | 'lifted'> {
  const { desired, former, changes, moment } = deciding;
  const all = desired.flags.filter(isStepped);
  const decided = new Set(all.filter((flag) => !isReviewed(flag, former)).map(({ key }) => key));
  const touched = new Set([...decided, ...changes.map(({ key }) => key)]);
  const events = all.flatMap((flag) => eventsOf(flag, moment));
  const groups = [...groupBy(events, ({ at, due = at }) => `${due} ${at}`)]
    .toSorted(comparing(([times]) => times))
    .map(([, own]) => ({ ...(own[0] as StepGroup), stepped: joinFlags(own.flatMap(({ stepped }) => stepped)) }));
  let flags = stage.flags;
  const steps: StepAhead[] = [];
  const found = { hazards: [] as Hazard[], lifted: [] as StepRules['lifted'][number][] };
  const note = (at: string, { hazards, lifted = [] }: Plan, isMeant: (hazard: Hazard) => boolean): void => {
    found.hazards.push(...hazards.filter(isMeant).map((hazard) => ({ ...hazard, step: at })));
    found.lifted.push(
      ...lifted
        .filter(({ hazard }) => isMeant(hazard))
        .map(({ hazard, by }) => ({ hazard: { ...hazard, step: at }, by })),
    );
  };
  const begins = groups.map((group) => {
    const { at, due, stepped } = group;
    const begin = flags;
    const made = ({ flag: { key }, values }: SteppedFlag): Flag => withValues(begin.get(key) ?? { id: 0, key }, values);
    flags = new Map([...begin, ...stepped.map((one) => [one.flag.key, made(one)] as const)]);
    const own = stepped.filter(({ flag }) => decided.has(flag.key));
    if (!stage.around(stepped.map(({ flag }) => flag.key)).some((key) => touched.has(key))) return begin;
    const whole = planSteps(group, begin, stage);
    const ofOwn = own.length === stepped.length ? whole : planSteps({ ...group, stepped: own }, begin, stage);
    if (own.length > 0) steps.push({ at, ...defined({ due }), ...ofOwn });
    note(due ?? at, whole.plan, (hazard) => 'ref' in hazard && concerns(hazard, { decided, touched }));
    return begin;
  });
  for (const { from, to } of windowsOf(groups, moment.every)) {
    const together = joinFlags(groups.slice(from, to + 1).flatMap(({ stepped }) => stepped));
    if (!together.some(({ flag }) => decided.has(flag.key))) continue;
    const { at = '', due = at } = groups[to] ?? {};
    const { plan } = planSteps({ at: due, stepped: together }, begins[from] ?? flags, stage);
    note(due, plan, (hazard) => !('ref' in hazard));
  }
  const worst = new Set(worstOf(found.lifted.map(({ hazard }) => hazard)));
  return { steps, hazards: worstOf(found.hazards), lifted: found.lifted.filter(({ hazard }) => worst.has(hazard)) };
}

type StepRules = Required<Pick<Plan, 'hazards' | 'lifted'>>;

/** Flags that step at the same time. */
export interface StepGroup extends Pick<StepAhead, 'at' | 'due'> {
  readonly stepped: readonly SteppedFlag[];
}

function eventsOf(flag: DeclaredFlag, moment: Pick<Moment, 'now' | 'every'>): readonly StepGroup[] {
  return (flag.rollouts ?? []).flatMap((rollout) => {
    const { path, steps, step } = rollout;
    const times = timesAhead(rollout, moment);
    return steps.slice(step + 1).map(({ at, to }, ahead): StepGroup => {
      const due = times[ahead] ?? at;
      const place = placeAt(flag.places, `${path}/steps/${step + 1 + ahead}/to`);
      return { at, ...(due !== at && { due }), stepped: [{ flag, values: [{ path, to, place }] }] };
    });
  });
}

/** One for each flag, with the last value of each path. */
function joinFlags(stepped: readonly SteppedFlag[]): readonly SteppedFlag[] {
  return [...groupBy(stepped, ({ flag }) => flag.key).values()].map((own) => {
    const values = new Map(own.flatMap((one) => one.values.map((value) => [value.path, value] as const)));
    return { flag: own[0]?.flag as DeclaredFlag, values: [...values.values()] };
  });
}

/** The steps that one run may make although it is in time: those within an interval. Omits those within a longer window. */
function windowsOf(
  groups: readonly StepGroup[],
  every: number,
): readonly { readonly from: number; readonly to: number }[] {
  const times = groups.map(({ at, due = at }) => Date.parse(due));
  const all = times.map((time, from) => ({ from, to: times.findLastIndex((other) => other < time + every) }));
  return all.filter(({ to }, index) => index === 0 || to > (all[index - 1]?.to ?? -1));
}

/** Whether the plan decides about the step, or about a flag that the step meets. */
function concerns(
  hazard: Extract<Hazard, { readonly ref: string }>,
  { decided, touched }: { readonly decided: ReadonlySet<string>; readonly touched: ReadonlySet<string> },
): boolean {
  const met = [
    ...('dependents' in hazard ? hazard.dependents : []),
    ...('dependencies' in hazard ? hazard.dependencies : []),
  ];
  return decided.has(hazard.key) || met.some((key) => touched.has(key));
}

/** One for each rule and flag, of the first step, and one for each limit, of the run that exceeds it most. */
function worstOf(hazards: readonly Hazard[]): readonly Hazard[] {
  const amount = (hazard: Hazard): number => ('count' in hazard ? hazard.count : 0);
  const groups = groupBy(hazards, (hazard) => `${hazard.code} ${'ref' in hazard ? hazard.ref : ''}`);
  return [...groups.values()].flatMap((own) => own.toSorted((one, other) => amount(other) - amount(one)).slice(0, 1));
}

/** `needs`: the flags that each depends on. */
export function reachAround(
  keys: ReadonlySet<string>,
  needs: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const pairs = [...needs].flatMap(([key, named]) =>
    named.flatMap((other) => [
      { key, beside: other },
      { key: other, beside: key },
    ]),
  );
  const around = groupBy(pairs, ({ key }) => key);
  return reach(keys, (key) => (around.get(key) ?? []).map(({ beside }) => beside));
}
