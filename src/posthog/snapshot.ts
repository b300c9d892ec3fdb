/** Live state of a project as one value: found by id and key, and made comparable at most once. */

import { indexResources, renameSome } from '../engine/snapshot.ts';
import { snapshotFlags, type FlagSnapshot } from './flag/snapshot.ts';
import type { LiveState } from './live.ts';
import { wireOfAll, type Wire } from './role-access/access.ts';

export interface ProjectSnapshot {
  readonly flags: FlagSnapshot;
  readonly roleAccess: LiveState['roleAccess'];
  readonly organization: LiveState['organization'];
  readonly accessWire: Wire | undefined;
}

export function takeSnapshot({ flags, roleAccess, organization }: LiveState): ProjectSnapshot {
  return { flags: snapshotFlags(indexResources(flags)), roleAccess, organization, accessWire: wireOfAll(flags) };
}

/** The same live state, with other keys for some flags, by id. */
export function renameFlags(
  { flags, ...others }: ProjectSnapshot,
  renamed: ReadonlyMap<number, string>,
): ProjectSnapshot {
  return { flags: snapshotFlags({ ...flags, keyOf: renameSome(flags, renamed) }), ...others };
}
