/** Live state of a project as one value: found by id and key, and made comparable at most once. */

import { indexResources, renameSome } from '../engine/snapshot.ts';
import { snapshotFlags, type FlagSnapshot } from './flag/snapshot.ts';
import { pendingByFlag, type Schedules } from './flag/schedules.ts';
import type { LiveState } from './live.ts';
import { wireOfAll, type Wire } from './role-access/access.ts';

export interface ProjectSnapshot {
  readonly flags: FlagSnapshot;
  readonly roleAccess: LiveState['roleAccess'];
  readonly organization: LiveState['organization'];
  readonly accessWire: Wire | undefined;
  readonly schedules: Schedules;
}

export function takeSnapshot({ flags, roleAccess, organization, schedules = [] }: LiveState): ProjectSnapshot {
  return {
    flags: snapshotFlags(indexResources(flags)),
    roleAccess,
    organization,
    accessWire: wireOfAll(flags),
    schedules: pendingByFlag(schedules),
  };
}

/** The same live state, with other keys for some flags, by id. */
export function renameFlags(
  { flags, ...others }: ProjectSnapshot,
  renamed: ReadonlyMap<number, string>,
): ProjectSnapshot {
  return { flags: snapshotFlags({ ...flags, keyOf: renameSome(flags, renamed) }), ...others };
}
