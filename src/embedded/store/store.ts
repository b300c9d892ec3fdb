/** The service's data behind one value: queries by subject, and transactions. */

import { createAccessRuleStore, type AccessRuleStore } from './access-rules.ts';
import { createActivityStore, type ActivityStore } from './activity.ts';
import { createCohortStore, type CohortStore } from './cohorts.ts';
import { openDatabase } from './database.ts';
import { createDeclaredFlagStore, type DeclaredFlagStore } from './declared-flags.ts';
import { createEventStore, type EventStore } from './events.ts';
import { createFlagStore, type FlagStore } from './flags.ts';
import { createGroupStore, type GroupStore } from './groups.ts';
import { createOrganizationStore, type OrganizationStore } from './organization.ts';
import { createPersonStore, type PersonStore } from './persons.ts';
import { createPropertyCounts, type PropertyCounts } from './property-counts.ts';
import { createRoleAccessStore, createRoleStore, type RoleAccessStore, type RoleStore } from './roles.ts';

export interface Store {
  readonly flags: FlagStore;
  readonly declaredFlags: DeclaredFlagStore;
  readonly roles: RoleStore;
  readonly roleAccess: RoleAccessStore;
  readonly accessRules: AccessRuleStore;
  readonly organization: OrganizationStore;
  readonly activity: ActivityStore;
  readonly cohorts: CohortStore;
  readonly groups: GroupStore;
  readonly persons: PersonStore;
  readonly propertyCounts: PropertyCounts;
  readonly events: EventStore;
  /** Runs `work` completely or not at all. It is on disk when this returns. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export function openStore(path: string): Store {
  const database = openDatabase(path);
  return {
    flags: createFlagStore(database),
    declaredFlags: createDeclaredFlagStore(database),
    roles: createRoleStore(database),
    roleAccess: createRoleAccessStore(database),
    accessRules: createAccessRuleStore(database),
    organization: createOrganizationStore(database),
    activity: createActivityStore(database),
    cohorts: createCohortStore(database),
    groups: createGroupStore(database),
    persons: createPersonStore(database),
    propertyCounts: createPropertyCounts(database),
    events: createEventStore(database),
    transaction: (work) => database.transaction(work).immediate() as ReturnType<typeof work>,
    close: () => void database.close(),
  };
}
