/** Flags that some role may edit now and none afterwards. Deleting a flag locks no role out. */

import type { Change } from '../plan.ts';
import type { LockoutRisk } from './change.ts';

export function findLockouts(changes: readonly Change[]): readonly LockoutRisk[] {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.key] : [])));
  const byKey = new Map<string, { readonly left: Set<string>; lastRevoke?: string }>();
  for (const change of changes) {
    if (change.resource !== 'role_access') continue;
    const { action, key, ref, role, base } = change;
    const flag = byKey.get(key) ?? { left: new Set(base.roles) };
    byKey.set(key, flag);
    if (action === 'grant') flag.left.add(role.id);
    else {
      flag.left.delete(role.id);
      flag.lastRevoke = ref;
    }
  }
  return [...byKey].flatMap(([key, { left, lastRevoke: ref }]): LockoutRisk[] =>
    ref === undefined || left.size > 0 || deleted.has(key)
      ? []
      : [{ code: 'lockout', ref, key, permit: { kind: 'risky', value: key } }],
  );
}
