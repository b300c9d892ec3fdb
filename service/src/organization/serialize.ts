/** Serializes the organization, its members, its roles and their memberships. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { type ServiceContext, EMBEDDED_ORGANIZATION_ID, EMBEDDED_MEMBER_ID, userOf } from '../handler/call.ts';
import type { StoredMember, StoredMembership, StoredRole } from '../store/people.ts';

/** The paid features that access to flags needs. */
const FEATURES = ['access_control', 'role_based_access'] as const;

export function serializeOrganization(service: ServiceContext): JsonObject {
  const missing = service.store.organization.missingFeatures();
  return {
    id: EMBEDDED_ORGANIZATION_ID,
    name: 'Embedded',
    membership_level: ownLevel(service),
    available_product_features: FEATURES.filter((key) => !missing.has(key)).map((key) => ({ key, name: key })),
  };
}

export function describeProject(projectId: string): JsonObject {
  const id = /^\d{1,15}$/.test(projectId) ? Number(projectId) : projectId;
  return { id, organization: EMBEDDED_ORGANIZATION_ID, name: `Project ${projectId}`, api_token: `phc_${projectId}` };
}

/** Every key of this service has all rights. Its value and times are not stored. */
export function serializeCurrentKey({ id, email }: JsonObject): JsonObject {
  return {
    id: `key-${id as number}`,
    label: `Key of ${email as string}`,
    value: null,
    mask_value: null,
    created_at: null,
    last_used_at: null,
    last_rolled_at: null,
    user_id: id ?? null,
    scopes: ['*'],
    scoped_teams: [],
    scoped_organizations: [],
  };
}

export function serializeRole(service: ServiceContext, { id, name, createdAt }: StoredRole): JsonObject {
  const members = service.store.organization.listMemberships(id);
  return {
    id,
    name,
    created_at: createdAt,
    // The real service sets only the organization.
    created_by: null,
    members: members.map((membership) => serializeMembership(service, membership)),
    is_default: false,
  };
}

export function serializeMembership({ store }: ServiceContext, membership: StoredMembership): JsonObject {
  const { id, roleId, memberId, joinedAt } = membership;
  const member = store.organization.findMember(memberId);
  return {
    id,
    role_id: roleId,
    organization_member: member === undefined ? null : serializeMember(member),
    user: member?.user ?? null,
    joined_at: joinedAt,
    updated_at: joinedAt,
  };
}

export function serializeMember(member: StoredMember): JsonObject {
  const { id, user, joinedAt } = member;
  return { id, user, level: levelOf(member), joined_at: joinedAt, updated_at: joinedAt };
}

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
