/** The levels of the organization's members. */

import type { JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { EMBEDDED_MEMBER_ID, userOf } from '../handler/user.ts';
import type { StoredMember } from '../store/organization.ts';

export const MEMBER_LEVELS = { member: 1, admin: 8, owner: 15 } as const;

/** The user of the service owns the organization. */
export function levelOf({ id, level }: StoredMember): number {
  return id === EMBEDDED_MEMBER_ID ? MEMBER_LEVELS.owner : level;
}

/** The level of who makes the request; 0 for somebody who is no member. */
export function ownLevel(service: ServiceContext): number {
  const own = findMember(service, userOf(service)['uuid']);
  return own === undefined ? 0 : levelOf(own);
}

/** Finds a member by the uuid of the user. */
export function findMember({ store }: ServiceContext, uuid: JsonValue | undefined): StoredMember | undefined {
  return uuid === undefined ? undefined : store.organization.listMembers().find(({ user }) => user['uuid'] === uuid);
}
