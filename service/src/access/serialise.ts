/** Serialises an access rule. It has no id: its subject identifies it. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { StoredRule } from '../store/access-rules.ts';
import { RESOURCE } from './levels.ts';

export function serialiseRule({
  flagId,
  roleId,
  memberId,
  level,
  managedBy,
  createdAt,
  updatedAt,
}: StoredRule): JsonObject {
  return {
    access_level: level,
    resource: RESOURCE,
    resource_id: String(flagId),
    organization_member: memberId,
    role: roleId,
    // The real service never sets it.
    created_by: null,
    managed_by: managedBy,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
