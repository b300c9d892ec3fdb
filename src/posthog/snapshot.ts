/** Live state of a project as one value: found by id and name, and made comparable at most once. */

import { mapFamilies } from './families.ts';
import { pendingByFlag, type Schedules } from './flag/schedules.ts';
import type { FamilyName, FamilyTypes } from './kind-types.ts';
import type { LiveState } from './live.ts';
import { wireOfAll, type Wire } from './role-access/access.ts';

type FamilySnapshots = { readonly [Name in FamilyName]: FamilyTypes[Name]['snapshot'] };

export interface ProjectSnapshot extends FamilySnapshots {
  readonly roleAccess: LiveState['roleAccess'];
  readonly organization: LiveState['organization'];
  readonly accessWire: Wire | undefined;
  readonly schedules: Schedules;
}

export function takeSnapshot(live: LiveState): ProjectSnapshot {
  const { flags, roleAccess, organization, schedules = [] } = live;
  return {
    ...mapFamilies<FamilySnapshots>((family) => family.takeSnapshot(live)),
    roleAccess,
    organization,
    accessWire: wireOfAll(flags, roleAccess),
    schedules: pendingByFlag(schedules),
  };
}
