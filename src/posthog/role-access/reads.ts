/** Which role access must be read of the service. */

import { namedKeys } from '../../engine/desired.ts';
import type { Reads } from '../model.ts';
import type { RoleChange } from './change.ts';
import { isManaged } from './changes.ts';

export const ROLE_READS: Reads<RoleChange> = {
  toPlan: (flag) =>
    flag.kind === 'declared' && isManaged(flag) ? { roleAccess: { keys: namedKeys(flag), organization: true } } : {},
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
