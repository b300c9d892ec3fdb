/** The named schemas of the OpenAPI document. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { ACTION_SCHEMAS, flagSchemas } from './flags.ts';
import { OBJECT_SCHEMAS } from './objects.ts';
import { SDK_SCHEMAS } from './sdks.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  mapOf,
  nullable,
  OBJECT,
  objectOf,
  openObjectOf,
  optional,
  pageOf,
  ref,
  type Schemas,
  SENT_BOOLEAN,
  SENT_TEXT,
  TEXT,
  UUID,
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

export function buildSchemas(profile: Profile): Schemas {
  return {
    ...flagSchemas(profile),
    ...(profile === 'documented' ? ENTRIES : { ...ACCESS, ...ORGANIZATION }),
    ...personSchemas(profile),
    ...cohortSchemas(profile),
    ...evaluationSchemas(profile),
    ...(profile === 'posthog' && { ...ACTION_SCHEMAS, ...OBJECT_SCHEMAS }),
    ...SDK_SCHEMAS,
    ...COMMON,
  };
}

const COMMON: Schemas = {
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
  Activity: objectOf({
    'id?': UUID,
    user: openObjectOf({ first_name: TEXT, email: nullable(TEXT) }),
    activity: TEXT,
    scope: { enum: ['FeatureFlag', 'Person', 'Cohort'] },
    item_id: TEXT,
    detail: objectOf({
      name: TEXT,
      short_id: nullable(TEXT),
      'type?': nullable(TEXT),
      trigger: nullable(OBJECT),
      changes: nullable(listOf(ref('Change'))),
    }),
    created_at: DATE_TIME,
    'client?': nullable(TEXT),
    'is_system?': BOOLEAN,
    'was_impersonated?': BOOLEAN,
  }),
  Change: objectOf({ type: TEXT, action: TEXT, 'field?': nullable(TEXT), 'before?': ANYTHING, 'after?': ANYTHING }),
  Captured: objectOf({ status: INTEGER }),
};

function personSchemas(profile: Profile): Schemas {
  return {
    Person: objectOf({
      id: INTEGER,
      name: TEXT,
      distinct_ids: listOf(TEXT),
      properties: OBJECT,
      created_at: DATE_TIME,
      uuid: UUID,
    }),
    PersonPage: objectOf({ results: listOf(ref('Person')), next: LINK, previous: LINK, 'count?': INTEGER }),
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

function cohortSchemas(profile: Profile): Schemas {
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
    CohortWrite: openObjectOf({
      'name?': { ...nullable(SENT_TEXT), maxLength: 400 },
      'description?': { ...SENT_TEXT, maxLength: 1000 },
      'groups?': listOf(ANYTHING),
      'deleted?': SENT_BOOLEAN,
      // Filters of the documented profile are stored as they are sent. Today's static cohorts take any that are without criteria.
      'filters?': profile === 'documented' ? openObjectOf({ properties: ANYTHING }) : nullable(OBJECT),
      'is_static?': SENT_BOOLEAN,
    }),
    CohortPage: objectOf({ results: listOf(ref('Cohort')), next: LINK, previous: LINK, count: INTEGER }),
    Cohorts: objectOf({
      results: listOf(
        objectOf({ id: INTEGER, name: nullable(TEXT), is_static: BOOLEAN, filters: OBJECT, deleted: BOOLEAN }),
      ),
    }),
  };
}

function evaluationSchemas(profile: Profile): Schemas {
  const reason = { reason: TEXT, condition_index: nullable(INTEGER) };
  const radius = profile === 'documented' ? ['users_affected', 'total_users'] : ['affected', 'total'];
  const definitions = objectOf({
    flags: listOf(ref('MinimalFlag')),
    group_type_mapping: mapOf(TEXT),
    cohorts: mapOf(OBJECT),
    minimal_flag_called_events: BOOLEAN,
    property_matching_version: INTEGER,
  });
  const older = objectOf({
    flags: listOf(ref('MinimalFlag')),
    group_type_mapping: mapOf(TEXT),
    'cohorts?': mapOf(OBJECT),
  });
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
    BlastRadiusQuestion: openObjectOf({ condition: nullable(OBJECT), 'group_type_index?': nullable(INTEGER) }),
    BlastRadius: objectOf(Object.fromEntries(radius.map((name) => [name, INTEGER]))),
    RemoteEvaluation: openObjectOf({
      errorsWhileComputingFlags: BOOLEAN,
      'flags?': mapOf(ref('EvaluatedFlag')),
      'featureFlags?': { anyOf: [mapOf(VALUE), listOf(TEXT)] },
      'featureFlagPayloads?': mapOf(TEXT),
      requestId: UUID,
      'evaluatedAt?': INTEGER,
    }),
    EvaluatedFlag: EVALUATED_FLAG,
  };
}

const EVALUATED_FLAG: JsonObject = objectOf({
  key: TEXT,
  'enabled?': BOOLEAN,
  'variant?': nullable(TEXT),
  'value?': { ...ANYTHING, description: 'In place of `enabled` and `variant` since version 3.' },
  'failed?': { const: true },
  reason: objectOf({ code: TEXT, condition_index: nullable(INTEGER), description: TEXT }),
  metadata: objectOf({
    id: INTEGER,
    version: INTEGER,
    'description?': nullable(TEXT),
    payload: nullable(TEXT),
    has_experiment: BOOLEAN,
    'config_version?': INTEGER,
    'rule_id?': TEXT,
    'rule_type?': TEXT,
    'variant_key?': TEXT,
  }),
});

const LEVEL: JsonObject = { enum: [...LEVELS] };
const PROJECT_LEVEL: JsonObject = { enum: [...PROJECT_LEVELS] };
const KIND: JsonObject = { enum: [...RESOURCES] };

const SUBJECT = { organization_member: nullable(UUID), role: nullable(UUID) };

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

const PROJECT = objectOf({ id: { type: ['integer', 'string'] }, organization: UUID, name: TEXT, api_token: TEXT });

const ENTRIES: Schemas = {
  Project: PROJECT,
  RolePage: pageOf('Role'),
  RoleAccessPage: pageOf('RoleAccess'),
  RoleAccessWrite: openObjectOf({ role_id: UUID }),
};

const ACCESS: Schemas = {
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
  ProjectAccessWrite: openObjectOf({ access_level: nullable(PROJECT_LEVEL), ...optional(SUBJECT) }),
  ResourceAccess: projectAccess('ResourceRule', LEVEL),
  ResourceRule: objectOf({ access_level: LEVEL, resource: KIND, resource_id: { type: 'null' }, ...RULE }),
  ResourceAccessWrite: openObjectOf({ access_level: nullable(LEVEL), resource: KIND, ...optional(SUBJECT) }),
  AccessManagementSettings: objectOf({
    lock_terraform_managed_rules: BOOLEAN,
    has_terraform_managed_rules: BOOLEAN,
  }),
  AccessManagementSettingsWrite: openObjectOf({ lock_terraform_managed_rules: BOOLEAN }),
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
  AccessWrite: openObjectOf({ access_level: nullable(LEVEL), ...optional(SUBJECT) }),
};

const member = {
  id: UUID,
  user: ref('User'),
  level: { enum: [1, 8, 15] },
  joined_at: DATE_TIME,
  updated_at: DATE_TIME,
};

const ORGANIZATION: Schemas = {
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
  RoleWrite: openObjectOf({ name: { ...TEXT, minLength: 1, maxLength: 200 } }),
  RoleMembership: objectOf({
    id: UUID,
    role_id: UUID,
    organization_member: nullable(ref('Member')),
    user: nullable(ref('User')),
    joined_at: DATE_TIME,
    updated_at: DATE_TIME,
  }),
  RoleMembershipPage: pageOf('RoleMembership'),
  RoleMembershipWrite: openObjectOf({ user_uuid: UUID }),
};
