/** One role that may edit one flag, in the shape of the service's interface (docs/service.md, "Role access of 2023"). */

import type { JsonPath } from '../../base/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { readInteger, readObject, readText } from '../client/shape.ts';

export interface Role extends JsonObject {
  readonly id: string;
  readonly name: string;
}

/** One role that may edit one flag. `id` identifies the entry, not the role or the flag. */
export interface RoleAccessEntry extends JsonObject {
  readonly id: number;
  readonly role: Role;
}

/** A role without a name gets its id as the name. */
export function readEntry(value: JsonValue | undefined, path: JsonPath = []): RoleAccessEntry {
  const entry = readObject(value, path);
  const role = readObject(entry['role'], [...path, 'role']);
  const roleId = readText(role['id'], [...path, 'role', 'id']);
  const name = typeof role['name'] === 'string' ? role['name'] : roleId;
  return { ...entry, id: readInteger(entry['id'], [...path, 'id']), role: { ...role, id: roleId, name } };
}
