/** Serialises a role access entry, the whole flag and the whole role, but never `role_id`; and a role as of 2023. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { serialise } from '../flags/serialise.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { StoredRole, StoredRoleAccess } from '../store/roles.ts';
import { EMBEDDED_USER } from '../handler/user.ts';

export function serialiseAccess(service: ServiceContext, flag: StoredFlag, access: StoredRoleAccess): JsonObject {
  const role = service.store.roles.find(access.roleId);
  return {
    id: access.id,
    feature_flag: serialise(service, flag),
    role: role === undefined ? null : serialiseRole(service, role),
    added_at: access.addedAt,
    updated_at: access.addedAt,
  };
}

/** `members` and `associated_flags` are lists, although the document calls them strings. */
export function serialiseRole({ store }: ServiceContext, role: StoredRole): JsonObject {
  const { id, name } = role;
  return {
    id,
    name,
    feature_flags_access_level: role.accessLevel,
    created_at: role.createdAt,
    created_by: EMBEDDED_USER,
    members: [],
    associated_flags: store.roles.listFlags(id),
  };
}
