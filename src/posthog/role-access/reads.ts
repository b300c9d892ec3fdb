/** Decides which role access must be read from the service. */

import { defined } from '../../base/optional.ts';
import { namedKeys } from '../../engine/desired.ts';
import type { Reads } from '../model.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { ExpectedAccess } from '../wanted.ts';
import { EDITOR } from './access.ts';
import type { RoleChange } from './change.ts';
import { isManaged } from './changes.ts';

export const ROLE_READS: Reads<RoleChange> = {
  toPlan: (flag) => {
    if (flag.kind !== 'declared' || !isManaged(flag)) return {};
    return { roleAccess: { keys: namedKeys(flag), expected: [expectedOf(flag)], organization: true } };
  },
  // The same plan may rename the flag before or after this read.
  toApply: ({ key }, { liveKey }) => ({
    flags: { keys: [liveKey(key)] },
    roleAccess: { keys: [key, liveKey(key)] },
  }),
  toUndo: ({ key, id }) => ({
    flags: { keys: [key] },
    roleAccess: { keys: [key], ids: id === undefined ? [] : [id] },
  }),
};

function expectedOf(flag: DeclaredFlag): ExpectedAccess {
  const roles = flag.roleAccess?.map(({ id, level = EDITOR }) => ({ id, level }));
  return { keys: namedKeys(flag), ...defined({ roles, everyone: flag.everyone?.level }) };
}
