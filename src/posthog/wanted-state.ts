/** What a run must read of the service: to plan, before it applies a plan, and to revert a run. */

import { familyOf } from '../engine/kind.ts';
import type { DesiredState } from './desired.ts';
import { kindFor, KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { Change } from './plan.ts';
import type { KnownState, PlanKeys, WantedState } from './wanted.ts';

export function wantedState(desired: DesiredState): Required<WantedState> {
  const { flags, cohorts = [] } = desired;
  const wanted = joinWanted([...readsOf('flag', flags), ...readsOf('cohort', cohorts)]);
  return { ...wanted, declared: desired.flags, declaredCohorts: cohorts };
}

function readsOf(family: string, desired: readonly PostHog['desired'][]): readonly Partial<WantedState>[] {
  const kinds = KINDS.filter((kind) => familyOf(kind) === family);
  return desired.flatMap((resource) => kinds.map(({ reads }) => reads.toPlan(resource)));
}

/** What the changes of a plan are about and name, as it is live. */
export function wantedToApply(changes: readonly Change[]): KnownState {
  const formerKeys = new Map(
    changes.filter(isOfFlag).flatMap((change): [string, string][] => {
      const liveKey = kindFor(change).liveKey(change);
      return liveKey === change.key ? [] : [[change.key, liveKey]];
    }),
  );
  const keys: PlanKeys = {
    liveKey: (key) => formerKeys.get(key) ?? key,
    created: new Set(changes.filter(isOfFlag).flatMap(({ action, key }) => (action === 'create' ? [key] : []))),
  };
  return joinWanted(changes.map((change) => kindFor(change).reads.toApply(change, keys)));
}

function isOfFlag(change: Change): boolean {
  return familyOf(kindFor(change)) === 'flag';
}

/** A change that was sent, with the id that the service answered. */
export interface SentChange {
  readonly change: Change;
  readonly id: number | undefined;
}

/** Every flag that the changes may have written, and what is attached to it. */
export function wantedToUndo(sent: readonly SentChange[]): KnownState {
  return joinWanted(sent.map(({ change, id }) => kindFor(change).reads.toUndo(change, id)));
}

function joinWanted(parts: readonly Partial<WantedState>[]): KnownState {
  return {
    keys: parts.flatMap(({ keys = [] }) => keys),
    roleAccessOf: parts.flatMap(({ roleAccessOf = [] }) => roleAccessOf),
    roleAccessOfIds: parts.flatMap(({ roleAccessOfIds = [] }) => roleAccessOfIds),
    organization: parts.some(({ organization }) => organization === true),
    ids: parts.flatMap(({ ids = [] }) => ids),
    cohorts: parts.some(({ cohorts }) => cohorts === true),
    cohortIds: parts.flatMap(({ cohortIds = [] }) => cohortIds),
  };
}
