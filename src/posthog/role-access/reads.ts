/** Which role access must be read of the service. */

import { namedKeys } from '../../engine/desired.ts';
import type { Reads } from '../model.ts';
import type { RoleChange } from './change.ts';
import { isManaged } from './changes.ts';

export const ROLE_READS: Reads<RoleChange> = {
  toPlan: (flag) =>
    flag.kind === 'declared' && isManaged(flag) ? { roleAccessOf: namedKeys(flag), organization: true } : {},
  // The same plan may rename the flag before or after this read.
  toApply: ({ key }, { liveKey }) => ({ keys: [liveKey(key)], roleAccessOf: [key, liveKey(key)] }),
  toUndo: ({ key, id }) => ({ keys: [key], roleAccessOf: [key], roleAccessOfIds: id === undefined ? [] : [id] }),
};
