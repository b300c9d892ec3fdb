/** Live state of a project as one value: found by id and key, and made comparable at most once. */

import { defined } from '../base/optional.ts';
import { snapshotCohorts, type CohortSnapshot } from './cohort/snapshot.ts';
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
  readonly cohorts: CohortSnapshot;
}

export function takeSnapshot({
  flags,
  hasPayloadDigests,
  roleAccess,
  organization,
  schedules = [],
  cohorts = [],
  turnedOff,
}: LiveState): ProjectSnapshot {
  return {
    flags: snapshotFlags({ ...indexResources(flags), ...defined({ hasPayloadDigests, turnedOff }) }),
    roleAccess,
    organization,
    accessWire: wireOfAll(flags, roleAccess),
    schedules: pendingByFlag(schedules),
    cohorts: snapshotCohorts(cohorts),
  };
}

/** The same live state, with other keys for some flags, by id. */
export function renameFlags(
  { flags, ...others }: ProjectSnapshot,
  renamed: ReadonlyMap<number, string>,
): ProjectSnapshot {
  return { flags: snapshotFlags({ ...flags, keyOf: renameSome(flags, renamed) }), ...others };
}

/** The same live state, in which cohorts have aliases, with their ids. */
export function nameCohorts(
  { flags, cohorts, ...others }: ProjectSnapshot,
  aliases: ReadonlyMap<string, number>,
): ProjectSnapshot {
  if (aliases.size === 0) return { flags, cohorts, ...others };
  const named = snapshotCohorts(cohorts.all, aliases);
  return { flags: snapshotFlags({ ...flags, cohortIdOf: named.idOf }), cohorts: named, ...others };
}
