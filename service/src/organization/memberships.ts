/** The members of a role: list, add and remove. */

import { objectOrEmpty, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid, invalidInput, notFound, forbidden } from '../handler/envelope.ts';
import type { StoredMembership, StoredMember } from '../store/organization.ts';
import { answerPage } from '../handler/paging.ts';
import { findRole } from './roles.ts';
import { serializeMembership, serializeMember, findMember, levelOf, MEMBER_LEVELS, ownLevel } from './serialize.ts';

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
  const found = memberships.find(({ id }) => id === call.params['membershipId']?.toLowerCase());
  if (found === undefined) throw notFound();
  return found;
}

/** A member is named by the uuid of the user, not by the id of the membership. */
export function changeMember(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const member = findMember(service, call.params['userUuid']?.toLowerCase());
    if (member === undefined) throw notFound();
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
