/** All that the service keeps, behind one value: the queries by subject, and the transaction around them. */

import { createActivityStore, type ActivityStore } from './activity.ts';
import { openDatabase } from './database.ts';
import { createFlagStore, type FlagStore } from './flags.ts';
import { createNameStore, type NameStore } from './names.ts';
import { createRoleAccessStore, createRoleStore, type RoleAccessStore, type RoleStore } from './roles.ts';

export interface Store {
  readonly flags: FlagStore;
  readonly roles: RoleStore;
  readonly roleAccess: RoleAccessStore;
  readonly activity: ActivityStore;
  readonly names: NameStore;
  /** Runs `work` whole or not at all. It is on the disk when this returns. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export function openStore(path: string): Store {
  const database = openDatabase(path);
  return {
    flags: createFlagStore(database),
    roles: createRoleStore(database),
    roleAccess: createRoleAccessStore(database),
    activity: createActivityStore(database),
    names: createNameStore(database),
    transaction: (work) => database.transaction(work).immediate() as ReturnType<typeof work>,
    close: () => void database.close(),
  };
}
