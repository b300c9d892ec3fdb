/** Roles of the organization: list, create, rename and delete. */

import { isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput, notFound } from '../handler/envelope.ts';
import { serializeRole as serializeRoleOf2023 } from '../role-access/entries.ts';
import { EDITOR_LEVEL, type StoredRole } from '../store/roles.ts';
import { answerPage } from '../handler/paging.ts';
import { serializeRole } from './serialize.ts';

const LONGEST_NAME = 200;

/** A role of 2023 lists the flags that it can edit. */
export function listRoles(service: ServiceContext, call: Call): Answer {
  const serialize = service.rules.access === 'entries' ? serializeRoleOf2023 : serializeRole;
  return answerPage(call, service.store.roles.list(), (role) => serialize(service, role));
}

export function getRole(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeRole(service, findRole(service, call)) };
}

export function createRole(service: ServiceContext, { body }: Call): Answer {
  const { store, now, randomUuid } = service;
  return store.transaction(() => {
    const name = readName(service, body);
    const role = { id: randomUuid(), name, accessLevel: EDITOR_LEVEL, createdAt: formatTimestamp(now()) };
    store.roles.put(role);
    return { status: 201, body: serializeRole(service, role) };
  });
}

export function renameRole(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const role = findRole(service, call);
    const renamed = { ...role, name: readName(service, call.body, role) };
    store.roles.put(renamed);
    return { status: 200, body: serializeRole(service, renamed) };
  });
}

/** Deletes the rules and memberships of the role too. */
export function deleteRole(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    store.roles.remove(findRole(service, call).id);
    return { status: 204 };
  });
}

export function findRole({ store }: ServiceContext, { params: { roleId = '' } }: Call): StoredRole {
  const role = store.roles.find(roleId.toLowerCase());
  if (role === undefined) throw notFound();
  return role;
}

/** A PATCH may omit the name. */
function readName({ store }: ServiceContext, body: JsonValue | undefined, of?: StoredRole): string {
  if (body === null) throw invalid('null', 'No data provided', null);
  if (body !== undefined && !isJsonObject(body)) {
    throw invalidInput('Invalid data. Expected an object.');
  }
  const sent = body?.['name'];
  if (sent === undefined && of !== undefined) return of.name;
  if (sent === undefined) throw invalid('required', 'This field is required.', 'name');
  if (sent === null) throw invalid('null', 'This field may not be null.', 'name');
  if (typeof sent !== 'string') throw invalid('invalid_input', 'Not a valid string.', 'name');
  const name = sent.trim();
  if (name === '') throw invalid('blank', 'This field may not be blank.', 'name');
  if (name.length > LONGEST_NAME) {
    throw invalid('max_length', `Ensure this field has no more than ${LONGEST_NAME} characters.`, 'name');
  }
  const same = store.roles.list().find((role) => role.id !== of?.id && role.name.toLowerCase() === name.toLowerCase());
  if (same !== undefined) throw invalid('unique', 'A role has this name already.', 'name');
  return name;
}
