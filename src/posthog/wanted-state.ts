/** What a run must read of the service: to plan, before it applies a plan, and to revert a run. */

import type { DesiredFlag, DesiredState } from './desired.ts';
import { kindFor, KINDS } from './kinds.ts';
import type { Change } from './plan.ts';

/** Flags by key, where the service knows them by that key now. */
export interface WantedState {
  readonly keys: readonly string[];
  readonly roleAccessOf: readonly string[];
  /** The same by id, where keys may have changed since. */
  readonly roleAccessOfIds?: readonly number[];
  /** Whether to read what the organisation says about access, where flags have levels of access. */
  readonly organization?: boolean;
  /** Flags that are read one by one where the list leaves them out, as it does with deleted ones. */
  readonly ids?: readonly number[];
  /** The declared flags: where the list has none of a flag's keys, the flag that had them is looked for. */
  readonly declared?: readonly DesiredFlag[];
}

/** What changes are about: flags that a plan found already. */
export type KnownState = Required<Omit<WantedState, 'declared'>>;

/** How plans name flags that the service has under other keys, or does not have yet. */
export interface PlanKeys {
  /** The key of now for a key that the plan gives. */
  readonly liveKey: (key: string) => string;
  readonly created: ReadonlySet<string>;
}

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
