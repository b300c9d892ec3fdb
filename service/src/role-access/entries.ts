/** Lists the access of roles to a flag, grants a role access, and revokes it. */

import { isJsonObject, type JsonValue, type JsonObject } from '../../../src/base/json.ts';
import { type Answer, type Call, type ServiceContext, EMBEDDED_USER } from '../handler/call.ts';
import { invalid, invalidInput, orNotFound } from '../handler/envelope.ts';
import { findEditableFlag, parseId, findFlag } from '../flags/read.ts';
import type { StoredRole, StoredRoleAccess } from '../store/people.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { buildPage, readPage } from '../handler/lists.ts';
import { serialize } from '../flags/serialize.ts';
import type { StoredFlag } from '../store/flag.ts';

export function grantRoleAccess(service: ServiceContext, call: Call): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const flag = findEditableFlag(service, call, 'flagId');
    const role = readRole(service, call.body);
    if (store.roleAccess.has(flag.id, role.id)) {
      throw invalid('unique', 'The role already has access to this feature flag.', null);
    }
    const access = store.roleAccess.insert({ flagId: flag.id, roleId: role.id, addedAt: formatTimestamp(now()) });
    return { status: 201, body: serializeAccess(service, flag, access) };
  });
}

export function revokeRoleAccess(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const flag = findEditableFlag(service, call, 'flagId');
    const access = orNotFound(store.roleAccess.find(flag.id, parseId(call.params['id'])));
    store.roleAccess.remove(access.id);
    return { status: 204 };
  });
}

function readRole({ store }: ServiceContext, body: JsonValue | undefined): StoredRole {
  const sent = body === undefined ? {} : body;
  if (sent === null) throw invalid('null', 'No data provided', null);
  if (!isJsonObject(sent)) throw invalidInput('Invalid data. Expected an object.');
  const id = sent['role_id'];
  if (id === undefined) throw invalid('required', 'This field is required.', 'role_id');
  if (id === null) throw invalid('null', 'This field may not be null.', 'role_id');
  if (typeof id !== 'string') throw invalid('incorrect_type', 'Incorrect type. Expected a role id.', 'role_id');
  const role = store.roles.find(id.toLowerCase()) ?? store.roles.find(id);
  if (role === undefined) throw invalid('does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'role_id');
  return role;
}

export function listRoleAccess(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  const flag = findFlag(service, call, 'flagId');
  const page = readPage(call.query);
  const results = store.roleAccess.list(flag.id, page).map((access) => serializeAccess(service, flag, access));
  return { status: 200, body: buildPage(call, page, { count: store.roleAccess.count(flag.id), results }) };
}

export function getRoleAccess(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call, 'flagId');
  const access = orNotFound(service.store.roleAccess.find(flag.id, parseId(call.params['id'])));
  return { status: 200, body: serializeAccess(service, flag, access) };
}

function serializeAccess(service: ServiceContext, flag: StoredFlag, access: StoredRoleAccess): JsonObject {
  const role = service.store.roles.find(access.roleId);
  return {
    id: access.id,
    feature_flag: serialize(service, flag),
    role: role === undefined ? null : serializeRole(service, role),
    added_at: access.addedAt,
    updated_at: access.addedAt,
  };
}

/** `members` and `associated_flags` are lists, although the document calls them strings. */
export function serializeRole({ store }: ServiceContext, role: StoredRole): JsonObject {
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
