/** Live state of a project as one value: found by id and key, and made comparable at most once. */

import { indexResources, renameSome } from '../engine/snapshot.ts';
import { snapshotFlags, type FlagSnapshot } from './flag/snapshot.ts';
import type { LiveState } from './live.ts';

export interface ProjectSnapshot {
  readonly flags: FlagSnapshot;
  readonly roleAccess: LiveState['roleAccess'];
}

export function takeSnapshot({ flags, roleAccess }: LiveState): ProjectSnapshot {
  return { flags: snapshotFlags(indexResources(flags)), roleAccess };
}

/** The same live state, with other keys for some flags, by id. */
export function renameFlags(
  { flags, roleAccess }: ProjectSnapshot,
  renamed: ReadonlyMap<number, string>,
): ProjectSnapshot {
  return { flags: snapshotFlags({ ...flags, keyOf: renameSome(flags, renamed) }), roleAccess };
}
