/** Finds the changes in the access to a flag since the plan saw it. */

import { diff } from '../../engine/diff.ts';
import type { JsonObject } from '../../base/json.ts';
import type { FieldChange, RoleChange } from '../plan.ts';
import type { RunState } from '../run-state.ts';
import { heldAccess } from './access.ts';
import { EVERYONE, type LevelsBase } from './change.ts';
import { baseOf, refOf } from './changes.ts';

/** Empty when nothing changed. The list is absent if it was not read, as for a flag that was deleted. */
export function findMovedRoles(
  { id, key, base }: RoleChange,
  { roleAccess, isExpected }: Pick<RunState, 'roleAccess' | 'isExpected'>,
): readonly FieldChange[] {
  if (id === undefined) return [];
  const access = roleAccess[String(id)];
  const held = access === undefined ? undefined : heldAccess(access, undefined);
  if (held === undefined) return [{ path: '', before: key }];
  const ofOthers = (subject: string): boolean => !isExpected(refOf(key, subject));
  const now = baseOf(held);
  if (base.levels === undefined || now.levels === undefined) {
    return diff(base.roles.filter(ofOthers), now.roles.filter(ofOthers), ['role_access']);
  }
  return diff(comparable(base.levels, ofOthers), comparable(now.levels, ofOthers), ['access']);
}

function comparable({ roles, everyone }: LevelsBase, ofOthers: (subject: string) => boolean): JsonObject {
  return {
    roles: Object.fromEntries(Object.entries(roles).filter(([id]) => ofOthers(id))),
    ...(ofOthers(EVERYONE) ? { default: everyone } : {}),
  };
}
