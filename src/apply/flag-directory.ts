/** Keys and ids of the flags of a project while it is being changed. */

import type { Change } from '../posthog/plan.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { FlagDirectory } from '../posthog/run-state.ts';

export function createDirectory(flags: readonly Flag[], changes: readonly Change[]): FlagDirectory {
  const keys = new Map(flags.map((flag) => [flag.id, flag.key]));
  for (const change of changes) {
    if (change.resource === 'flag' && change.action !== 'create') keys.set(change.id, change.key);
  }
  const ids = new Map([...keys].map(([id, key]) => [key, id]));
  return {
    idOf: (key) => ids.get(key),
    keyOf: (id) => keys.get(id),
    add: (key, id) => {
      keys.set(id, key);
      ids.set(key, id);
    },
  };
}
