/**
 * Finds how many people the future steps of rollouts affect. Each step is compared with the flags as the plan and earlier steps leave them,
 * including what no manifest declares.
 */

import type { JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { indexResources } from '../engine/snapshot.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import { snapshotFlags, type FlagSnapshot } from '../posthog/flag/snapshot.ts';
import { setAt } from '../posthog/flag/values-of-others.ts';
import type { Change } from '../posthog/plan.ts';
import { reachAround, type StepAhead } from '../posthog/planning/steps-ahead.ts';
import { afterPlan, asUpdate, isAt } from './after-plan.ts';
import { findImpact, type Circumstances, type PlannedImpact } from './find-impact.ts';
import type { StepImpact } from './impact.ts';

export interface PlannedStep {
  readonly at: string;
  readonly jump_since?: string;
  readonly planned: PlannedImpact;
  /** Flags that the plan leaves at another value than the one with which the step begins. */
  readonly left: readonly string[];
}

/** The planned steps in order, each on the flags as the earlier ones leave them. */
export function stepsOnLive(steps: readonly StepAhead[], { changes, live }: PlannedImpact): readonly PlannedStep[] {
  const keys = new Set(steps.flatMap((step) => step.plan.changes.map(({ key }) => key)));
  let world = concerning(keys, afterPlan(snapshotOf(live), changes));
  const worlds = new Map<string, readonly Flag[]>();
  return steps.map(({ at, jump_since: since, plan }) => {
    // A jump begins where the first of its steps does.
    const { updates, ...step } = stepIn(since === undefined ? world : (worlds.get(since) ?? world), plan);
    if (since !== undefined) return { at, jump_since: since, ...step };
    worlds.set(at, world);
    const after = new Map(updates.map(({ flag }) => [flag.id, flag]));
    world = world.map((flag) => after.get(flag.id) ?? flag);
    return { at, ...step };
  });
}

function stepIn(
  live: readonly Flag[],
  { changes }: StepAhead['plan'],
): Pick<PlannedStep, 'planned' | 'left'> & { readonly updates: readonly ChangedFlag[] } {
  const flags = snapshotOf(live);
  const made = changes.map((change) => ({ change, update: stepOf(change, flags) }));
  const updates = made.flatMap(({ update }) => update ?? []);
  const left = made.filter(({ update }) => update === undefined).map(({ change }) => change.key);
  return { updates, planned: { changes: updates.map(({ change }) => change), warnings: [], live }, left };
}

function snapshotOf(flags: readonly Flag[]): FlagSnapshot {
  return snapshotFlags(indexResources(flags));
}

/** The flags, and all that depend on them or that they depend on. */
function concerning(keys: ReadonlySet<string>, flags: readonly Flag[]): readonly Flag[] {
  const graph = snapshotOf(flags).graph();
  const reached = reachAround(keys, new Map([...graph].map(([key, { dependsOn }]) => [key, dependsOn])));
  return flags.filter(({ key }) => reached.has(key));
}

interface ChangedFlag {
  readonly change: Change;
  readonly flag: Flag;
}

/** The step, applied to the flag that is live at that time; `undefined` if that flag has another value. */
function stepOf(change: Change, flags: FlagSnapshot): ChangedFlag | undefined {
  const flag = flags.byKey(change.key);
  if (flag === undefined || change.resource !== 'flag' || change.action !== 'update') return undefined;
  const before = flags.comparable(flag);
  if (!change.fields.every(({ path, before: value }) => isAt(before, path, value))) return undefined;
  const make = <Of extends JsonObject>(one: Of): Of =>
    change.fields.reduce((made, { path, after }) => setAt(made, path, after), one);
  const update = asUpdate({ key: change.key, id: flag.id, before, after: make(before), flags });
  return { change: update, flag: make(flag) };
}

export function findStepImpact(steps: readonly PlannedStep[], circumstances: Circumstances): readonly StepImpact[] {
  return steps.map(({ at, jump_since: since, planned, left }) => ({
    at,
    ...defined({ jump_since: since }),
    flags: [
      ...findImpact(planned, circumstances).flags,
      ...left.map((key) => ({ key, by: 'change', estimate: { kind: 'unknown', why: 'left' } }) as const),
    ],
  }));
}
