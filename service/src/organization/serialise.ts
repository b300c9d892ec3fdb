/** Serialises the organization, its members, its roles and their memberships. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { EMBEDDED_ORGANIZATION_ID } from '../handler/user.ts';
import type { StoredMember, StoredMembership } from '../store/organization.ts';
import { levelOf, ownLevel } from './member-levels.ts';
import type { StoredRole } from '../store/roles.ts';

/** The paid features that access to flags needs. */
const FEATURES = ['access_control', 'role_based_access'] as const;

export function serialiseOrganization(service: ServiceContext): JsonObject {
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
export function serialiseCurrentKey({ id, email }: JsonObject): JsonObject {
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

export function serialiseRole(service: ServiceContext, { id, name, createdAt }: StoredRole): JsonObject {
  const members = service.store.organization.listMemberships(id);
  return {
    id,
    name,
    created_at: createdAt,
    // The real service sets only the organization.
    created_by: null,
    members: members.map((membership) => serialiseMembership(service, membership)),
    is_default: false,
  };
}

export function serialiseMembership({ store }: ServiceContext, membership: StoredMembership): JsonObject {
  const { id, roleId, memberId, joinedAt } = membership;
  const member = store.organization.findMember(memberId);
  return {
    id,
    role_id: roleId,
    organization_member: member === undefined ? null : serialiseMember(member),
    user: member?.user ?? null,
    joined_at: joinedAt,
    updated_at: joinedAt,
  };
}

export function serialiseMember(member: StoredMember): JsonObject {
  const { id, user, joinedAt } = member;
  return { id, user, level: levelOf(member), joined_at: joinedAt, updated_at: joinedAt };
}
