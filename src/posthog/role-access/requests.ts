/** The operations on the roles that may edit one flag. */

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { readListing } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readNothing, UnexpectedShape } from '../client/shape.ts';
import { readEntry, type RoleAccessEntry } from './entry.ts';

export interface RoleAccessOperations {
  /**
   * All entries of a flag. The first request has no query parameter, because the real service answers any of them with
   * 500 (docs/service.md, "Role access"). Throws `not_found` where the service no longer has role access.
   */
  listRoleAccess(flagId: number): Promise<readonly RoleAccessEntry[]>;
  /**
   * Grants a role (UUID) access. The real service answers a second grant with 500: list first.
   * Never repeated when the service may have executed it. Throws `validation` at `role_id` for an unknown role.
   */
  createRoleAccess(flagId: number, roleId: string): Promise<RoleAccessEntry>;
  /** One entry by its own id, which is not the role's. Throws `not_found`. */
  getRoleAccess(flagId: number, id: number): Promise<RoleAccessEntry>;
  /**
   * Revokes access; the answer is 204. Throws `not_found` for an entry that did not exist before the first attempt.
   * `mayHaveHappened` is set after any other answer: list the entries then.
   */
  deleteRoleAccess(flagId: number, id: number): Promise<void>;
}

export function roleAccessOperations({ send, projectPath, concurrency, callee }: Operations): RoleAccessOperations {
  const collection = (flagId: number): string => `${projectPath}/feature_flags/${flagId}/role_access/`;
  return {
    listRoleAccess: (flagId) =>
      readListing(send, {
        operation: 'listRoleAccess',
        path: collection(flagId),
        first: {},
        concurrency,
        callee,
        readEntry,
      }),
    createRoleAccess: (flagId, roleId) =>
      send({
        operation: 'createRoleAccess',
        method: 'POST',
        path: collection(flagId),
        body: { role_id: roleId },
        repeat: 'unless_sent',
        read: (body) => readGranted(body, { flagId, roleId }),
      }),
    getRoleAccess: (flagId, id) =>
      send({
        operation: 'getRoleAccess',
        method: 'GET',
        path: `${collection(flagId)}${id}/`,
        repeat: 'freely',
        read: (body) => readEntry(body),
      }),
    deleteRoleAccess: (flagId, id) =>
      send({
        operation: 'deleteRoleAccess',
        method: 'DELETE',
        path: `${collection(flagId)}${id}/`,
        repeat: 'until_gone',
        read: (body, status) => readNothing(body, { status, expected: [204] }),
      }),
  };
}

interface Grant {
  readonly flagId: number;
  readonly roleId: string;
}

/** The entry of this flag and this role: another entry is no answer to this request. */
function readGranted(body: JsonValue | undefined, { flagId, roleId }: Grant): RoleAccessEntry {
  const entry = readEntry(body);
  if (entry.role.id.toLowerCase() !== roleId.toLowerCase()) throw new UnexpectedShape(['role', 'id'], `'${roleId}'`);
  const flag = entry['feature_flag'];
  if (isJsonObject(flag) && flag['id'] !== flagId) throw new UnexpectedShape(['feature_flag', 'id'], String(flagId));
  return entry;
}
