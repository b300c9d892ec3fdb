/** What a run must read of the service: to plan, before it applies a plan, and to revert a run. */

import type { DesiredState } from './desired.ts';
import { kindFor, KINDS } from './kinds.ts';
import type { Change } from './plan.ts';
import type { KnownState, PlanKeys, WantedState } from './wanted.ts';

export function wantedState(desired: DesiredState): Required<WantedState> {
  const wanted = joinWanted(desired.flags.flatMap((flag) => KINDS.map(({ reads }) => reads.toPlan(flag))));
  return { ...wanted, declared: desired.flags };
}

/** What the changes of a plan are about and name, as it is live. */
export function wantedToApply(changes: readonly Change[]): KnownState {
  const formerKeys = new Map(
    changes.flatMap((change): [string, string][] => {
      const liveKey = kindFor(change).liveKey(change);
      return liveKey === change.key ? [] : [[change.key, liveKey]];
    }),
  );
  const keys: PlanKeys = {
    liveKey: (key) => formerKeys.get(key) ?? key,
    created: new Set(changes.flatMap(({ action, key }) => (action === 'create' ? [key] : []))),
  };
  return joinWanted(changes.map((change) => kindFor(change).reads.toApply(change, keys)));
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
  };
}
