/** A run's knowledge of the flags that it writes: as they were read, and what its own writes changed. */

import { indexResources } from '../../engine/snapshot.ts';
import type { FlagChange } from '../plan.ts';
import type { Flag, FlagNames } from './model/flag.ts';

/** Names flags by the keys that they have once the plan is applied, as the plan's canonical forms do. */
export interface FlagRun extends FlagNames {
  /** Requests name dependencies by id. */
  readonly idOf: (key: string) => number | undefined;
  /** The flag as it was read, or as the service answered to a write of this run. */
  readonly find: (id: number) => Flag | undefined;
  /** Keeps what a later read found; `undefined` if the flag is gone. */
  readonly see: (id: number, flag: Flag | undefined) => void;
  /** Keeps the service's answer to a write, under the key that the plan gives the flag. */
  readonly keep: (key: string, flag: Flag) => void;
  /** Whether a flag had the key when live state was read, so that a create collides with it. */
  readonly isTaken: (key: string) => boolean;
  /** The id of a cohort that the plan names by alias, once it exists. */
  readonly cohortIdOf: (alias: string) => number | undefined;
}

export function openFlags(
  live: readonly Flag[],
  changes: readonly FlagChange[],
  cohortIdOf: FlagRun['cohortIdOf'],
): FlagRun {
  const { byId, byKey } = indexResources(live);
  const seen = new Map<number, Flag | undefined>();
  const keys = new Map(live.map(({ id, key }) => [id, key]));
  for (const { id, key } of changes) if (id !== undefined) keys.set(id, key);
  const ids = new Map([...keys].map(([id, key]) => [key, id]));
  return {
    cohortIdOf,
    idOf: (key) => ids.get(key),
    keyOf: (id: number) => keys.get(id),
    find: (id) => (seen.has(id) ? seen.get(id) : byId(id)),
    see: (id, flag) => void seen.set(id, flag),
    keep: (key, flag) => {
      seen.set(flag.id, flag);
      keys.set(flag.id, key);
      ids.set(key, flag.id);
    },
    isTaken: (key) => {
      const flag = byKey(key);
      return flag !== undefined && flag.deleted !== true;
    },
  };
}
