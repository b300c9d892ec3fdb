/** The named schemas of the OpenAPI document. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { ACTION_SCHEMAS } from './flag-actions.ts';
import { ALERT_SCHEMAS } from './alerts.ts';
import { APPROVAL_SCHEMAS } from './approvals.ts';
import { EARLY_ACCESS_SCHEMAS } from './early-access.ts';
import { flagSchemas } from './flag-schema.ts';
import { KEPT_OBJECT_SCHEMAS } from './kept-objects.ts';
import { SDK_SCHEMAS } from './sdks.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  mapOf,
  nullable,
  objectOf,
  pageOf,
  OBJECT,
  ref,
  TEXT,
  UUID,
  SENT_BOOLEAN,
  SENT_TEXT,
} from './schema.ts';
import { LEVELS, PROJECT_LEVELS, RESOURCES } from '../access/levels.ts';

const LINK = nullable({ type: 'string', format: 'uri' });
const VALUE = { type: ['boolean', 'string'] };
const PEOPLE = listOf(objectOf({ people: listOf(ref('Person')), count: INTEGER }));

const RETENTION = objectOf({
  result: listOf(objectOf({ person: ref('Person'), appearances: listOf({ enum: [0, 1] }) })),
  next: LINK,
  missing_persons: INTEGER,
});

export function buildSchemas(profile: Profile): Record<string, JsonObject> {
  return {
    ...flagSchemas(profile),
    ...accessSchemas(profile),
    ...personSchemas(profile),
    ...cohortSchemas(profile),
    ...evaluationSchemas(profile),
    ...(profile === 'posthog' && {
      ...ACTION_SCHEMAS,
      ...ALERT_SCHEMAS,
      ...APPROVAL_SCHEMAS,
      ...EARLY_ACCESS_SCHEMAS,
      ...KEPT_OBJECT_SCHEMAS,
    }),
    ...SDK_SCHEMAS,
    ...COMMON,
  };
}

const COMMON: Readonly<Record<string, JsonObject>> = {
  Error: objectOf({
    type: {
      enum: ['validation_error', 'invalid_request', 'authentication_error', 'throttled_error', 'server_error'],
    },
    code: TEXT,
    detail: TEXT,
    attr: nullable(TEXT),
  }),
  FlagPage: pageOf('Flag'),
  ActivityPage: objectOf({ results: listOf(ref('Activity')), next: LINK, previous: LINK, total_count: INTEGER }),
  Activity: objectOf(
    {
      id: UUID,
      user: objectOf({ first_name: TEXT, email: nullable(TEXT) }, { isOpen: true }),
      activity: TEXT,
      scope: { enum: ['FeatureFlag', 'Person', 'Cohort'] },
      item_id: TEXT,
      detail: objectOf(
        {
          name: TEXT,
          short_id: nullable(TEXT),
          type: nullable(TEXT),
          trigger: nullable(OBJECT),
          changes: nullable(listOf(ref('Change'))),
        },
        { optional: ['type'] },
      ),
      created_at: DATE_TIME,
      client: nullable(TEXT),
      is_system: BOOLEAN,
      was_impersonated: BOOLEAN,
    },
    { optional: ['id', 'client', 'is_system', 'was_impersonated'] },
  ),
  Change: objectOf(
    { type: TEXT, action: TEXT, field: nullable(TEXT), before: ANYTHING, after: ANYTHING },
    { optional: ['field', 'before', 'after'] },
  ),
  Captured: objectOf({ status: INTEGER }),
};

function personSchemas(profile: Profile): Record<string, JsonObject> {
  const page = { results: listOf(ref('Person')), next: LINK, previous: LINK, count: INTEGER };
  return {
    Person: objectOf({
      id: INTEGER,
      name: TEXT,
      distinct_ids: listOf(TEXT),
      properties: OBJECT,
      created_at: DATE_TIME,
      uuid: UUID,
    }),
    PersonPage: objectOf(page, { optional: ['count'] }),
    PersonWrite: { type: 'object', properties: { properties: OBJECT } },
    PropertyWrite: { type: 'object', properties: { key: TEXT, value: ANYTHING } },
    PropertyDelete: { type: 'object', properties: { $unset: TEXT } },
    Split: { type: 'object', properties: { main_distinct_id: nullable(TEXT) } },
    AnalysisQuestion: {
      type: 'object',
      properties: { properties: ANYTHING, events: ANYTHING, limit: ANYTHING, offset: ANYTHING },
    },
    NamedCounts: listOf(objectOf({ name: TEXT, count: INTEGER })),
    People: objectOf({
      results: PEOPLE,
      next: LINK,
      initial: TEXT,
      missing_persons: INTEGER,
      is_cached: BOOLEAN,
      last_refresh: DATE_TIME,
    }),
    ShortPeople: objectOf({ results: PEOPLE, next: LINK }),
    ...(profile === 'documented' ? { Retention: RETENTION } : { Success: objectOf({ success: BOOLEAN }) }),
    Incomplete: { anyOf: [ref('Error'), objectOf({ message: TEXT, detail: TEXT })] },
    Timeline: objectOf({
      points: listOf(objectOf({ timestamp: DATE_TIME, properties: OBJECT, relevant_event_count: INTEGER })),
      crossed_over: BOOLEAN,
      effective_date_from: DATE_TIME,
      effective_date_to: DATE_TIME,
    }),
  };
}

function cohortSchemas(profile: Profile): Record<string, JsonObject> {
  return {
    Cohort: objectOf({
      id: INTEGER,
      name: nullable(TEXT),
      description: TEXT,
      groups: listOf(ANYTHING),
      deleted: BOOLEAN,
      filters: OBJECT,
      is_calculating: BOOLEAN,
      created_by: nullable(OBJECT),
      created_at: nullable(DATE_TIME),
      last_calculation: nullable(DATE_TIME),
      errors_calculating: INTEGER,
      count: nullable(INTEGER),
      is_static: BOOLEAN,
      ...(profile === 'posthog'
        ? {
            query: nullable(OBJECT),
            version: nullable(INTEGER),
            pending_version: nullable(INTEGER),
            last_error_message: nullable(TEXT),
            last_backfill_person_properties_at: nullable(DATE_TIME),
            cohort_type: nullable(TEXT),
            experiment_set: listOf(INTEGER),
          }
        : {}),
    }),
    CohortWrite: objectOf(
      {
        name: { ...nullable(SENT_TEXT), maxLength: 400 },
        description: { ...SENT_TEXT, maxLength: 1000 },
        groups: listOf(ANYTHING),
        deleted: SENT_BOOLEAN,
        filters: cohortFilters(profile),
        is_static: SENT_BOOLEAN,
      },
      { isOpen: true, optional: ['name', 'description', 'groups', 'deleted', 'filters', 'is_static'] },
    ),
    CohortPage: objectOf({ results: listOf(ref('Cohort')), next: LINK, previous: LINK, count: INTEGER }),
    Cohorts: objectOf({
      results: listOf(
        objectOf({ id: INTEGER, name: nullable(TEXT), is_static: BOOLEAN, filters: OBJECT, deleted: BOOLEAN }),
      ),
    }),
  };
}

/** Filters of the documented profile are stored as they are sent. Today's static cohorts take any that are without criteria. */
function cohortFilters(profile: Profile): JsonObject {
  return profile === 'documented' ? objectOf({ properties: ANYTHING }, { isOpen: true }) : nullable(OBJECT);
}

function evaluationSchemas(profile: Profile): Record<string, JsonObject> {
  const reason = { reason: TEXT, condition_index: nullable(INTEGER) };
  const radius = profile === 'documented' ? ['users_affected', 'total_users'] : ['affected', 'total'];
  const definitions = objectOf({
    flags: listOf(ref('MinimalFlag')),
    group_type_mapping: mapOf(TEXT),
    cohorts: mapOf(OBJECT),
    minimal_flag_called_events: BOOLEAN,
    property_matching_version: INTEGER,
  });
  const older = objectOf(
    { flags: listOf(ref('MinimalFlag')), group_type_mapping: mapOf(TEXT), cohorts: mapOf(OBJECT) },
    { optional: ['cohorts'] },
  );
  return {
    Reasons: mapOf(
      objectOf({
        value: VALUE,
        evaluation: objectOf(profile === 'documented' ? reason : { ...reason, description: TEXT }),
      }),
    ),
    Definitions: definitions,
    LocalEvaluation: profile === 'documented' ? older : definitions,
    MyFlags: listOf(
      objectOf({ feature_flag: profile === 'documented' ? ref('Flag') : ref('MinimalFlag'), value: VALUE }),
    ),
    BlastRadiusQuestion: objectOf(
      { condition: nullable(OBJECT), group_type_index: nullable(INTEGER) },
      { isOpen: true, optional: ['group_type_index'] },
    ),
    BlastRadius: objectOf(Object.fromEntries(radius.map((name) => [name, INTEGER]))),
    RemoteEvaluation: objectOf(
      {
        errorsWhileComputingFlags: BOOLEAN,
        flags: mapOf(ref('EvaluatedFlag')),
        featureFlags: { anyOf: [mapOf(VALUE), listOf(TEXT)] },
        featureFlagPayloads: mapOf(TEXT),
        requestId: UUID,
        evaluatedAt: INTEGER,
      },
      { isOpen: true, optional: ['flags', 'featureFlags', 'featureFlagPayloads', 'evaluatedAt'] },
    ),
    EvaluatedFlag: EVALUATED_FLAG,
  };
}

const EVALUATED_FLAG: JsonObject = objectOf(
  {
    key: TEXT,
    enabled: BOOLEAN,
    variant: nullable(TEXT),
    value: { ...ANYTHING, description: 'In place of `enabled` and `variant` since version 3.' },
    failed: { const: true },
    reason: objectOf({ code: TEXT, condition_index: nullable(INTEGER), description: TEXT }),
    metadata: objectOf(
      {
        id: INTEGER,
        version: INTEGER,
        description: nullable(TEXT),
        payload: nullable(TEXT),
        has_experiment: BOOLEAN,
        config_version: INTEGER,
        rule_id: TEXT,
        rule_type: TEXT,
        variant_key: TEXT,
      },
      { optional: ['description', 'config_version', 'rule_id', 'rule_type', 'variant_key'] },
    ),
  },
  { optional: ['failed', 'enabled', 'variant', 'value'] },
);

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

function accessSchemas(profile: Profile): Record<string, JsonObject> {
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
