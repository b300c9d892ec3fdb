/** What grants and revokes wait for: the flag that they are about, and the grants of the same flag. */

import type { Needs } from '../../engine/kind.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';

export function findRoleNeeds(changes: readonly Change[], flags: FlagSnapshot): Needs {
  const live = flags.graph();
  const created = new Map<string, string>();
  const grants = new Map<string, string[]>();
  for (const { action, key, ref } of changes) {
    if ((action === 'create' || action === 'restore') && !live.has(key)) created.set(key, ref);
    if (action === 'grant') grants.set(key, [...(grants.get(key) ?? []), ref]);
  }
  const own = changes.filter((change) => change.resource === 'role_access');
  return new Map(
    own.map(({ ref, key, action }) => {
      const flag = created.get(key);
      // A grant that fails must leave the roles that have access.
      const before = action === 'revoke' ? (grants.get(key) ?? []) : [];
      return [ref, flag === undefined ? before : [flag, ...before]];
    }),
  );
}
