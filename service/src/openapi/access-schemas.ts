/** The schemas of access: entries for roles in the profile `documented`, rules and the organization in `posthog`. */

import type { JsonObject } from '../../../src/base/json.ts';
import { LEVELS, PROJECT_LEVELS, RESOURCES } from '../access/levels.ts';
import type { Profile } from '../handler/profile.ts';
import { BOOLEAN, DATE_TIME, INTEGER, listOf, nullable, objectOf, pageOf, ref, TEXT, UUID } from './schema.ts';

const LEVEL: JsonObject = { enum: [...LEVELS] };
const PROJECT_LEVEL: JsonObject = { enum: [...PROJECT_LEVELS] };
const KIND: JsonObject = { enum: [...RESOURCES] };

const SUBJECT = {
  organization_member: nullable(UUID),
  role: nullable(UUID),
};

const WRITE = { isOpen: true, optional: ['organization_member', 'role'] };

const RULE = {
  ...SUBJECT,
  created_by: nullable(INTEGER),
  managed_by: nullable({ const: 'terraform' }),
  created_at: DATE_TIME,
  updated_at: DATE_TIME,
};

/** What a project answers of its own rules. */
function projectAccess(rule: string, level: JsonObject): JsonObject {
  return objectOf({
    access_controls: listOf(ref(rule)),
    available_access_levels: listOf(level),
    default_access_level: level,
    user_access_level: PROJECT_LEVEL,
    user_can_edit_access_levels: BOOLEAN,
  });
}

const INHERITED = objectOf({
  access_level: LEVEL,
  source: TEXT,
  source_subject: nullable(TEXT),
  source_resource: TEXT,
  source_resource_id: nullable(TEXT),
  source_display_name: nullable(TEXT),
});

export function accessSchemas(profile: Profile): Record<string, JsonObject> {
  return profile === 'documented' ? ENTRIES : { ...ACCESS, ...ORGANIZATION };
}

const PROJECT = objectOf({ id: { type: ['integer', 'string'] }, organization: UUID, name: TEXT, api_token: TEXT });

const ENTRIES: Readonly<Record<string, JsonObject>> = {
  Project: PROJECT,
  RolePage: pageOf('Role'),
  RoleAccessPage: pageOf('RoleAccess'),
  RoleAccessWrite: objectOf({ role_id: UUID }, { isOpen: true }),
};

const ACCESS: Readonly<Record<string, JsonObject>> = {
  Access: objectOf({
    access_controls: listOf(ref('AccessRule')),
    available_access_levels: listOf(LEVEL),
    default_access_level: LEVEL,
    minimum_access_level: LEVEL,
    maximum_access_level: LEVEL,
    user_access_level: LEVEL,
    user_can_edit_access_levels: BOOLEAN,
    inherited_access: nullable(INHERITED),
  }),
  AccessRule: objectOf({
    access_level: LEVEL,
    resource: { const: 'feature_flag' },
    resource_id: TEXT,
    ...RULE,
  }),
  ProjectAccess: projectAccess('ProjectRule', PROJECT_LEVEL),
  ProjectRule: objectOf({
    access_level: PROJECT_LEVEL,
    resource: { const: 'project' },
    resource_id: TEXT,
    ...RULE,
  }),
  ProjectAccessWrite: objectOf({ access_level: nullable(PROJECT_LEVEL), ...SUBJECT }, WRITE),
  ResourceAccess: projectAccess('ResourceRule', LEVEL),
  ResourceRule: objectOf({ access_level: LEVEL, resource: KIND, resource_id: { type: 'null' }, ...RULE }),
  ResourceAccessWrite: objectOf({ access_level: nullable(LEVEL), resource: KIND, ...SUBJECT }, WRITE),
  AccessManagementSettings: objectOf({
    lock_terraform_managed_rules: BOOLEAN,
    has_terraform_managed_rules: BOOLEAN,
  }),
  AccessManagementSettingsWrite: objectOf({ lock_terraform_managed_rules: BOOLEAN }, { isOpen: true }),
  AccessObjects: objectOf({
    results: listOf(
      objectOf({
        resource: { const: 'feature_flag' },
        resource_id: TEXT,
        name: TEXT,
        short_id: nullable(TEXT),
        access_level: LEVEL,
      }),
    ),
  }),
  AccessWrite: objectOf({ access_level: nullable(LEVEL), ...SUBJECT }, WRITE),
};

const member = {
  id: UUID,
  user: ref('User'),
  level: { enum: [1, 8, 15] },
  joined_at: DATE_TIME,
  updated_at: DATE_TIME,
};

const ORGANIZATION: Readonly<Record<string, JsonObject>> = {
  Project: PROJECT,
  CurrentKey: objectOf({
    id: TEXT,
    label: TEXT,
    value: { type: 'null' },
    mask_value: nullable(TEXT),
    created_at: nullable(DATE_TIME),
    last_used_at: nullable(DATE_TIME),
    last_rolled_at: nullable(DATE_TIME),
    user_id: INTEGER,
    scopes: listOf(TEXT),
    scoped_teams: listOf(INTEGER),
    scoped_organizations: listOf(TEXT),
  }),
  Organization: objectOf({
    id: UUID,
    name: TEXT,
    membership_level: INTEGER,
    available_product_features: listOf(objectOf({ key: TEXT, name: TEXT })),
  }),
  Member: objectOf(member),
  MemberPage: pageOf('Member'),
  MemberChange: { type: 'object', properties: { level: member.level } },
  OrganizationRole: objectOf({
    id: UUID,
    name: TEXT,
    created_at: DATE_TIME,
    created_by: { type: 'null' },
    members: listOf(ref('RoleMembership')),
    is_default: BOOLEAN,
  }),
  RolePage: pageOf('OrganizationRole'),
  RoleChange: { type: 'object', properties: { name: { ...TEXT, minLength: 1, maxLength: 200 } } },
  RoleWrite: objectOf({ name: { ...TEXT, minLength: 1, maxLength: 200 } }, { isOpen: true }),
  RoleMembership: objectOf({
    id: UUID,
    role_id: UUID,
    organization_member: nullable(ref('Member')),
    user: nullable(ref('User')),
    joined_at: DATE_TIME,
    updated_at: DATE_TIME,
  }),
  RoleMembershipPage: pageOf('RoleMembership'),
  RoleMembershipWrite: objectOf({ user_uuid: UUID }, { isOpen: true }),
};
