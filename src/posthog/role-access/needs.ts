/** The dependencies of access changes: changes of their flag, and changes that give more access to the same flag. */

import type { Needs } from '../../engine/kind.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';
import { rankOf } from './access.ts';
import type { RoleChange } from './change.ts';

export function findRoleNeeds(changes: readonly Change[], flags: FlagSnapshot): Needs {
  const live = flags.graph();
  const created = new Map<string, string>();
  const raises = new Map<string, string[]>();
  for (const change of changes) {
    const { action, key, ref } = change;
    if ((action === 'create' || action === 'restore') && !live.has(key)) created.set(key, ref);
    if (change.resource === 'role_access' && isRaise(change)) raises.set(key, [...(raises.get(key) ?? []), ref]);
  }
  const own = changes.filter((change) => change.resource === 'role_access');
  return new Map(
    own.map((change) => {
      const flag = created.get(change.key);
      // A raise that fails must leave those who have access.
      const before = isRaise(change) ? [] : (raises.get(change.key) ?? []);
      return [change.ref, flag === undefined ? before : [flag, ...before]];
    }),
  );
}

/** A rule that is removed may have withheld access, but what applies instead is not known, so it counts as a reduction. */
export function isRaise(change: RoleChange): boolean {
  switch (change.action) {
    case 'grant':
      return true;
    case 'adjust': {
      const inherited = change.base.levels?.inherited ?? null;
      const [before, after] = [change.before ?? inherited, change.level ?? inherited];
      return before !== null && after !== null && rankOf(after) > rankOf(before);
    }
    case 'revoke':
      return false;
  }
}
