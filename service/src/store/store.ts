/** The service's data behind one value: queries by subject, and transactions. */

import { createAccessRuleStore, type AccessRuleStore } from './access-rules.ts';
import { createActivityStore, type ActivityStore } from './activity.ts';
import { createApprovalStore, type ApprovalStore } from './approvals.ts';
import { createCohortStore, type CohortStore } from './cohorts.ts';
import { createDashboards } from './dashboards.ts';
import { openDatabase } from './database.ts';
import { createDeclaredFlagStore, type DeclaredFlagStore } from './declared-flags.ts';
import { createEarlyAccessFeatureStore, type EarlyAccessFeatureStore } from './early-access-features.ts';
import { createEventStore, type EventStore } from './events.ts';
import { createFlagStore, type FlagStore } from './flags.ts';
import { createGroupStore, type GroupStore } from './groups.ts';
import { keepFlags } from './kept-flags.ts';
import { createMemory, forgetting } from './memory.ts';
import { createKeptObjectStore, type KeptObjectStore } from './kept-objects.ts';
import { createOrganizationStore, type OrganizationStore } from './organization.ts';
import { createPersonStore, type PersonStore } from './persons.ts';
import { createProjectAccessStore, type ProjectAccessStore } from './project-access.ts';
import { createPropertyCounts, type PropertyCounts } from './property-counts.ts';
import { createRoleAccessStore, createRoleStore, type RoleAccessStore, type RoleStore } from './roles.ts';
import { createScheduledChangeStore, type ScheduledChangeStore } from './scheduled-changes.ts';

export interface Store {
  readonly flags: FlagStore;
  readonly declaredFlags: DeclaredFlagStore;
  readonly roles: RoleStore;
  readonly roleAccess: RoleAccessStore;
  readonly accessRules: AccessRuleStore;
  readonly projectAccess: ProjectAccessStore;
  readonly organization: OrganizationStore;
  readonly scheduledChanges: ScheduledChangeStore;
  readonly approvals: ApprovalStore;
  readonly activity: ActivityStore;
  readonly cohorts: CohortStore;
  readonly earlyAccessFeatures: EarlyAccessFeatureStore;
  readonly keptObjects: KeptObjectStore;
  readonly groups: GroupStore;
  readonly persons: PersonStore;
  readonly propertyCounts: PropertyCounts;
  readonly events: EventStore;
  /** The value that `read` returned last under this name, unless flags, cohorts or groups were written since. */
  remember<T>(name: string, read: () => T): T;
  /** The same object until cohorts or groups are written: whoever keeps a text with their names compares it. */
  names(): object;
  /** Runs `work` completely or not at all. It is on disk when this returns. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export function openStore(path: string): Store {
  const database = openDatabase(path);
  const memory = createMemory(database);
  const names = createMemory(database);
  const kept = keepFlags(database);
  const dashboards = createDashboards(database);
  return {
    flags: forgetting(createFlagStore(database, { kept, dashboards }), memory, ['insert', 'update', 'remove', 'hide']),
    declaredFlags: createDeclaredFlagStore(database),
    roles: createRoleStore(database),
    roleAccess: createRoleAccessStore(database),
    accessRules: createAccessRuleStore(database),
    projectAccess: createProjectAccessStore(database),
    organization: createOrganizationStore(database),
    scheduledChanges: createScheduledChangeStore(database),
    approvals: createApprovalStore(database),
    activity: createActivityStore(database),
    cohorts: forgetting(
      forgetting(createCohortStore(database), memory, ['put', 'register', 'insert', 'update', 'addMember']),
      names,
      ['put', 'register', 'insert', 'update'],
    ),
    earlyAccessFeatures: createEarlyAccessFeatureStore(database),
    keptObjects: createKeptObjectStore(database),
    groups: forgetting(forgetting(createGroupStore(database), memory, ['put', 'putType']), names, ['put', 'putType']),
    persons: createPersonStore(database),
    propertyCounts: createPropertyCounts(database),
    events: createEventStore(database),
    remember: (name, read) => memory.remember(name, read),
    names: () => names.remember('names', () => ({})),
    transaction: (work) => {
      try {
        return database.transaction(work).immediate() as ReturnType<typeof work>;
      } catch (error) {
        // The transaction may not have been committed, so values read within it are dropped.
        memory.forget();
        names.forget();
        kept.forgetAll();
        dashboards.forget();
        throw error;
      }
    },
    close: () => void database.close(),
  };
}
