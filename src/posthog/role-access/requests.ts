/** The operations on the access to one flag, and on the organization whose roles have it. */

import type { JsonPath } from '../../base/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { readListing } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readNothing, readObject, readText, UnexpectedShape } from '../client/shape.ts';
import {
  type AccessRule,
  type AccessRules,
  readEntry,
  readRule,
  readRules,
  type RoleAccessEntry,
  readFlagLevels,
  type FlagLevel,
} from './access.ts';

/** A role of the organization. */
export interface OrganizationRole extends JsonObject {
  readonly id: string;
  readonly name: string;
}

/** A member of the organization. `id` is that of the membership, which rules of access name. */
interface OrganizationMember extends JsonObject {
  readonly id: string;
}

/** Null: for everyone, or no level. */
export interface AccessLevel {
  readonly role: string | null;
  readonly level: string | null;
}

interface AccessSettings extends JsonObject {
  /** Whether only Terraform may change the rules that it manages. */
  readonly lock_terraform_managed_rules: boolean;
}

export interface RoleAccessOperations {
  /**
   * All entries of a flag. The first request has no query parameter, because the real service answers any of them with
   * 500 (docs/service/access.md, "Role access of 2023"). Throws `not_found` where the service no longer has role access.
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
  /** The access rules of a flag. Throws `not_found` on a service of 2023, and `forbidden` without `access_control:read`. */
  getAccess(flagId: number): Promise<AccessRules>;
  /**
   * Sets the level of a role (UUID) or of everyone; null removes it, even if there is none. Throws `forbidden` for a role if the
   * organization lacks role-based access. Not repeated when the service may have executed it.
   */
  setAccess(flagId: number, access: AccessLevel): Promise<AccessRule | undefined>;
  /** What the project says of rules that another program manages. Throws `not_found` on services without such rules. */
  getAccessSettings(): Promise<AccessSettings>;
  /**
   * The levels that everyone has by rules, for all flags of the project. Throws `forbidden` without `access_control:read`, and
   * `not_found` on services without the list.
   */
  listDefaultAccess(): Promise<readonly FlagLevel[]>;
  /** The levels that a role (UUID) has, in the same way. */
  listAccessOfRole(roleId: string): Promise<readonly FlagLevel[]>;
  /** The levels that a member has, by the id of the membership, in the same way. */
  listAccessOfMember(memberId: string): Promise<readonly FlagLevel[]>;
  /** The project itself, with the id of its `organization`. Throws `not_found` on a service of 2023. */
  getProject(): Promise<JsonObject>;
  /** An organization by its id, or `@current`, with its `available_product_features`. */
  getOrganization(id: string): Promise<JsonObject>;
  /** The roles of an organization; on a service of 2023 with the flags that they can edit (`associated_flags`). */
  listRoles(organizationId: string): Promise<readonly OrganizationRole[]>;
  /** The members of an organization. Throws `forbidden` without `organization_member:read`. */
  listMembers(organizationId: string): Promise<readonly OrganizationMember[]>;
}

export function roleAccessOperations(operations: Operations): RoleAccessOperations {
  return { ...accessOperations(operations), ...organizationOperations(operations) };
}

type OrganizationOperation = 'getProject' | 'getOrganization' | 'listRoles' | 'listMembers';

function accessOperations({
  send,
  projectPath,
  concurrency,
  callee,
}: Operations): Omit<RoleAccessOperations, OrganizationOperation> {
  const entries = (flagId: number): string => `${projectPath}/feature_flags/${flagId}/role_access/`;
  const rules = (flagId: number): string => `${projectPath}/feature_flags/${flagId}/access_controls/`;
  const get = async <Read>(
    operation: string,
    path: string,
    { read, query = {} }: { read: (body: JsonValue | undefined) => Read; query?: Readonly<Record<string, string>> },
  ): Promise<Read> => send({ operation, method: 'GET', path, query, repeat: 'freely', read });
  const listObjects = (operation: string, of: string, query = {}): Promise<readonly FlagLevel[]> =>
    get(operation, `${projectPath}/access_control_${of}_objects/`, { query, read: readFlagLevels });
  return {
    listRoleAccess: (flagId) =>
      readListing(send, {
        operation: 'listRoleAccess',
        path: entries(flagId),
        first: {},
        concurrency,
        callee,
        readEntry,
      }),
    createRoleAccess: (flagId, roleId) =>
      send({
        operation: 'createRoleAccess',
        method: 'POST',
        path: entries(flagId),
        body: { role_id: roleId },
        repeat: 'unless_sent',
        read: (body) => readGranted(body, { flagId, roleId }),
      }),
    getRoleAccess: (flagId, id) =>
      get('getRoleAccess', `${entries(flagId)}${id}/`, { read: (body) => readEntry(body) }),
    deleteRoleAccess: (flagId, id) =>
      send({
        operation: 'deleteRoleAccess',
        method: 'DELETE',
        path: `${entries(flagId)}${id}/`,
        repeat: 'until_gone',
        read: (body, status) => readNothing(body, { status, expected: [204] }),
      }),
    getAccess: (flagId) => get('getAccess', rules(flagId), { read: readRules }),
    setAccess: (flagId, { role, level }) =>
      send({
        operation: 'setAccess',
        method: 'PUT',
        path: rules(flagId),
        body: { role, organization_member: null, access_level: level },
        repeat: 'unless_sent',
        read: (body, status) =>
          level === null ? readNothing(body, { status, expected: [204] }) : readSet(body, { role, level }),
      }),
    getAccessSettings: () =>
      get('getAccessSettings', `${projectPath}/access_control_management_settings/`, { read: readSettings }),
    listDefaultAccess: () => listObjects('listDefaultAccess', 'default'),
    listAccessOfRole: (id) => listObjects('listAccessOfRole', 'role', { role_id: id }),
    listAccessOfMember: (id) => listObjects('listAccessOfMember', 'member', { member_id: id }),
  };
}

function readSettings(body: JsonValue | undefined): AccessSettings {
  const settings = readObject(body);
  const lock = settings['lock_terraform_managed_rules'];
  if (typeof lock !== 'boolean') throw new UnexpectedShape(['lock_terraform_managed_rules'], 'true or false');
  return { ...settings, lock_terraform_managed_rules: lock };
}

function organizationOperations({
  send,
  projectPath,
  organizationPath,
  concurrency,
  callee,
}: Operations): Pick<RoleAccessOperations, OrganizationOperation> {
  const get = (operation: string, path: string): Promise<JsonObject> =>
    send({ operation, method: 'GET', path, repeat: 'freely', read: (body) => readObject(body) });
  const list = <One extends OrganizationMember>(
    { operation, path, limit }: { operation: string; path: string; limit: number },
    readEntry: (value: JsonValue, path: JsonPath) => One,
  ): Promise<readonly One[]> =>
    readListing(send, { operation, path, first: { limit }, concurrency, callee, readEntry });
  return {
    getProject: () => get('getProject', `${projectPath}/`),
    getOrganization: (id) => get('getOrganization', `${organizationPath(id)}/`),
    listRoles: (id) => list({ operation: 'listRoles', path: `${organizationPath(id)}/roles/`, limit: 100 }, readRole),
    listMembers: (id) =>
      list({ operation: 'listMembers', path: `${organizationPath(id)}/members/`, limit: 500 }, (value, path) => {
        const member = readObject(value, path);
        return { ...member, id: readText(member['id'], [...path, 'id']) };
      }),
  };
}

function readRole(value: JsonValue, path: JsonPath): OrganizationRole {
  const role = readObject(value, path);
  return {
    ...role,
    id: readText(role['id'], [...path, 'id']).toLowerCase(),
    name: readText(role['name'], [...path, 'name']),
  };
}

/** Reads the rule of this subject with this level; an answer that holds another rule has an unexpected shape. */
function readSet(body: JsonValue | undefined, { role, level }: AccessLevel): AccessRule {
  const rule = readRule(body);
  if (rule.role !== (role?.toLowerCase() ?? null)) throw new UnexpectedShape(['role'], role ?? 'null');
  if (rule.access_level !== level) throw new UnexpectedShape(['access_level'], `'${level ?? ''}'`);
  return rule;
}

/** The entry of this flag and this role: another entry is no answer to this request. */
function readGranted(
  body: JsonValue | undefined,
  { flagId, roleId }: { flagId: number; roleId: string },
): RoleAccessEntry {
  const entry = readEntry(body);
  if (entry.role.id.toLowerCase() !== roleId.toLowerCase()) throw new UnexpectedShape(['role', 'id'], `'${roleId}'`);
  const flag = entry['feature_flag'];
  if (isJsonObject(flag) && flag['id'] !== flagId) throw new UnexpectedShape(['feature_flag', 'id'], String(flagId));
  return entry;
}
