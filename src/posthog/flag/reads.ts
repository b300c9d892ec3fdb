/** Which flags must be read of the service. */

import { namedKeys } from '../../engine/desired.ts';
import type { Reads } from '../model.ts';
import type { FlagChange } from './change.ts';
import { namedFlags } from './references.ts';

export const FLAG_READS: Reads<FlagChange> = {
  toPlan: (flag) => ({
    flags: { keys: [...namedKeys(flag), ...(flag.kind === 'declared' ? namedFlags(flag.fields['filters']) : [])] },
  }),
  toApply: ({ action, key, id, body }, { liveKey, created }) => ({
    flags: {
      keys: [
        ...(action === 'create' ? [] : [liveKey(key)]),
        ...namedFlags(body['filters'])
          .filter((named) => !created.has(named))
          .map(liveKey),
      ],
      // The service does not list flags that are soft-deleted.
      ids: (action === 'restore' || action === 'delete') && id !== undefined ? [id] : [],
    },
  }),
  toUndo: (change, answered) => ({
    flags: {
      // What a flag depended on before the run may be in the archive, which is read only for keys.
      keys: [change.key, ...(change.action === 'create' ? [] : namedFlags(change.base.former['filters']))],
      ids: change.action !== 'create' ? [change.id] : typeof answered === 'number' ? [answered] : [],
    },
  }),
};
