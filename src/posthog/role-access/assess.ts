/**
 * What changes of access need, and what they cause: flags that nobody can edit any more, or that the owner of the key can no longer manage.
 */

import type { Needs } from '../../engine/kind.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { canEdit, heldAccess, rankOf } from './access.ts';
import {
  EVERYONE,
  levelAfter,
  type LockoutRisk,
  type OwnAccessRisk,
  type RoleAccessBase,
  type RoleChange,
  subjectOf,
} from './change.ts';

interface AccessAssessment {
  readonly risks: readonly (LockoutRisk | OwnAccessRisk)[];
  readonly warnings: readonly never[];
}

/** A deleted flag locks nobody out. */
export function assessAccess(changes: readonly Change[], snapshot: ProjectSnapshot): AccessAssessment {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.key] : [])));
  const byKey = new Map<string, RoleChange[]>();
  for (const change of changes) {
    if (change.resource !== 'role_access' || deleted.has(change.key)) continue;
    byKey.set(change.key, [...(byKey.get(change.key) ?? []), change]);
  }
  return { risks: [...byKey.values()].flatMap((own) => assessFlag(own, snapshot)), warnings: [] };
}

function assessFlag(changes: readonly RoleChange[], { roleAccess }: ProjectSnapshot): AccessAssessment['risks'] {
  const last = changes.findLast((change) => !isRaise(change));
  if (last === undefined) return [];
  const { ref, key, id, base } = last;
  const access = id === undefined ? undefined : roleAccess[String(id)];
  const held = access === undefined ? undefined : heldAccess(access, undefined);
  const before = levelsOf(base, held?.members);
  const after = applyChanges(before, changes);
  const permit = { kind: 'risky', value: key } as const;
  if (some(before, canEdit) && !some(after, canEdit)) return [{ code: 'lockout', ref, key, permit }];
  const isOwn = base.levels !== undefined && held?.mayChange === true && some(before, canManage);
  return isOwn && !some(after, canManage) ? [{ code: 'own_access', ref, key, permit }] : [];
}

interface AccessStanding {
  readonly roles: ReadonlyMap<string, string>;
  readonly everyone: string | null;
  readonly inherited: string | null;
  readonly members: readonly string[];
}

/** A service of 2023 does not say what everyone may do. */
function levelsOf({ roles, levels }: RoleAccessBase, members: readonly string[] = []): AccessStanding {
  if (levels === undefined) {
    return { roles: new Map(roles.map((id) => [id, 'editor'])), everyone: null, inherited: null, members };
  }
  const { everyone, inherited } = levels;
  return { roles: new Map(Object.entries(levels.roles)), everyone, inherited, members };
}

function applyChanges(before: AccessStanding, changes: readonly RoleChange[]): AccessStanding {
  const roles = new Map(before.roles);
  let { everyone } = before;
  for (const change of changes) {
    const [subject, level] = [subjectOf(change), levelAfter(change)];
    if (subject === EVERYONE) everyone = level;
    else if (level === null) roles.delete(subject);
    else roles.set(subject, level);
  }
  return { ...before, roles, everyone };
}

/** Subjects without their own rule have the level of everyone. */
function some(
  { roles, everyone, inherited, members }: AccessStanding,
  can: (level: string | null) => boolean,
): boolean {
  return [...roles.values(), ...members, everyone ?? inherited].some(can);
}

function canManage(level: string | null): boolean {
  return level !== null && rankOf(level) >= rankOf('manager');
}

/** The dependencies of access changes: changes of their flag, and changes that give more access to the same flag. */
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
function isRaise(change: RoleChange): boolean {
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
