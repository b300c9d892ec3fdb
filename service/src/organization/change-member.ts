/** Changes the level of a member of the organization. */

import { isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { forbidden, invalid, invalidInput, notFound } from '../handler/envelope.ts';
import { userOf } from '../handler/user.ts';
import type { StoredMember } from '../store/organization.ts';
import { findMember, levelOf, MEMBER_LEVELS, ownLevel } from './member-levels.ts';
import { serialiseMember } from './serialise.ts';

/** A member is named by the uuid of the user, not by the id of the membership. */
export function changeMember(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const member = findMember(service, call.params['userUuid']?.toLowerCase());
    if (member === undefined) throw notFound();
    const level = readLevel(call.body);
    if (level === undefined) return { status: 200, body: serialiseMember(member) };
    refuseUnlessAllowed(service, member, level);
    store.organization.setLevel(member.id, level);
    return { status: 200, body: serialiseMember({ ...member, level }) };
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
  if (member.user['uuid'] === userOf(service)['uuid']) throw forbidden('A member may not change the own level.');
  const own = ownLevel(service);
  if (level > own) throw forbidden('A member may give others no higher level than the own.');
  if (own < MEMBER_LEVELS.admin) throw forbidden('Only administrators may change other members.');
  if (levelOf(member) > own) throw forbidden('A member may not change others with a higher level.');
}
