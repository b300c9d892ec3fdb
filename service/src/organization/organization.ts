/** The organization, its projects and members, and its roles: list, create, change and delete. */

import { isJsonObject, type JsonValue, objectOrEmpty } from '../../../src/base/json.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid, invalidInput, orNotFound, forbidden } from '../handler/envelope.ts';
import { serializeRole as serializeRoleOf2023 } from '../role-access/entries.ts';
import { EDITOR_LEVEL, type StoredRole, type StoredMembership, type StoredMember } from '../store/people.ts';
import { answerPage } from '../handler/lists.ts';
import {
  describeProject,
  serializeCurrentKey,
  serializeOrganization,
  serializeRole,
  serializeMembership,
  serializeMember,
  findMember,
  levelOf,
  MEMBER_LEVELS,
  ownLevel,
} from './serialize.ts';

const LONGEST_NAME = 200;

export function getOrganization(service: ServiceContext): Answer {
  return { status: 200, body: serializeOrganization(service) };
}

/** The key of the request. */
export function getCurrentKey(service: ServiceContext): Answer {
  return { status: 200, body: serializeCurrentKey(userOf(service)) };
}

export function getProject(_: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: describeProject(projectId) };
}

export function listMembers({ store }: ServiceContext, call: Call): Answer {
  return answerPage(call, store.organization.listMembers(), serializeMember);
}

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

function findRole({ store }: ServiceContext, { params: { roleId = '' } }: Call): StoredRole {
  return orNotFound(store.roles.find(roleId.toLowerCase()));
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

export function listMemberships(service: ServiceContext, call: Call): Answer {
  const memberships = service.store.organization.listMemberships(findRole(service, call).id);
  return answerPage(call, memberships, (membership) => serializeMembership(service, membership));
}

export function getMembership(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeMembership(service, findMembership(service, call)) };
}

export function addMembership(service: ServiceContext, call: Call): Answer {
  const { store, now, randomUuid } = service;
  return store.transaction(() => {
    const role = findRole(service, call);
    const { user_uuid: uuid } = objectOrEmpty(call.body);
    if (uuid === undefined) throw invalid('required', 'This field is required.', 'user_uuid');
    if (typeof uuid !== 'string') throw invalid('invalid_input', 'Must be a valid UUID.', 'user_uuid');
    const member = store.organization.listMembers().find(({ user }) => user['uuid'] === uuid.toLowerCase());
    if (member === undefined) throw invalidInput('No member of the organization has this UUID.');
    if (store.organization.listMemberships(role.id).some(({ memberId }) => memberId === member.id)) {
      throw invalidInput('The member has the role already.');
    }
    const joinedAt = formatTimestamp(now());
    const membership = { id: randomUuid(), roleId: role.id, memberId: member.id, joinedAt };
    store.organization.addMembership(membership);
    return { status: 201, body: serializeMembership(service, membership) };
  });
}

export function removeMembership(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    store.organization.removeMembership(findMembership(service, call).id);
    return { status: 204 };
  });
}

function findMembership(service: ServiceContext, call: Call): StoredMembership {
  const memberships = service.store.organization.listMemberships(findRole(service, call).id);
  return orNotFound(memberships.find(({ id }) => id === call.params['membershipId']?.toLowerCase()));
}

/** A member is named by the uuid of the user, not by the id of the membership. */
export function changeMember(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const member = orNotFound(findMember(service, call.params['userUuid']?.toLowerCase()));
    const level = readLevel(call.body);
    if (level === undefined) return { status: 200, body: serializeMember(member) };
    refuseUnlessAllowed(service, member, level);
    store.organization.setLevel(member.id, level);
    return { status: 200, body: serializeMember({ ...member, level }) };
  });
}

function readLevel(body: JsonValue | undefined): number | undefined {
  if (body !== undefined && !isJsonObject(body)) {
    throw invalidInput('Invalid data. Expected an object.');
  }
  const level = body?.['level'];
  if (level === undefined) return undefined;
  const known: readonly number[] = Object.values(MEMBER_LEVELS);
  if (typeof level !== 'number' || !known.includes(level)) {
    throw invalid('invalid_choice', `Not a valid level. Known: ${known.join(', ')}.`, 'level');
  }
  return level;
}

/** The checks are in the service's order. */
function refuseUnlessAllowed(service: ServiceContext, member: StoredMember, level: number): void {
  if (member.user['uuid'] === userOf(service)['uuid']) throw forbidden('Members may not change their own level.');
  const own = ownLevel(service);
  if (level > own) throw forbidden('Members may not give others a higher level than their own.');
  if (own < MEMBER_LEVELS.admin) throw forbidden('Only administrators may change other members.');
  if (levelOf(member) > own) throw forbidden('A member may not change others with a higher level.');
}
