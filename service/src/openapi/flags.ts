/**
 * Describes flags and the roles of 2023, from the tables that serialize and read flags; and the actions on flags, which only today's service
 * has: their operations, bodies and answers.
 */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import { ANSWER_FIELDS } from '../flags/serialize.ts';
import { writableNames } from '../flags/fields.ts';
import { LIST_FILTERS } from '../flags/list-filter.ts';
import type { Profile } from '../handler/profile.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  ID,
  INTEGER,
  listOf,
  mapOf,
  nullable,
  OBJECT,
  objectOf,
  openObjectOf,
  type Operations,
  optional,
  pageOf,
  PERCENTAGE,
  ref,
  type Schemas,
  SENT_BOOLEAN,
  SENT_INTEGER,
  SENT_TEXT,
  TEXT,
  UUID,
} from './schema.ts';

const IDS = listOf(INTEGER);

/** All fields of a flag in either profile. */
const FLAG_FIELDS: Schemas = {
  id: INTEGER,
  name: { ...TEXT, description: 'The description; `name` is historical.' },
  key: { ...TEXT, maxLength: 400 },
  filters: ref('Filters'),
  deleted: BOOLEAN,
  active: BOOLEAN,
  created_by: nullable(ref('User')),
  created_at: DATE_TIME,
  ensure_experience_continuity: nullable(BOOLEAN),
  experiment_set: IDS,
  can_edit: BOOLEAN,
  tags: listOf(TEXT),
  usage_dashboard: nullable(INTEGER),
  is_simple_flag: BOOLEAN,
  rollout_percentage: nullable({ type: 'number' }),
  rollback_conditions: ANYTHING,
  performed_rollback: nullable(BOOLEAN),
  archived: BOOLEAN,
  updated_at: nullable(DATE_TIME),
  version: nullable(INTEGER),
  last_modified_by: nullable(ref('User')),
  status: { enum: ['ACTIVE', 'STALE', 'ARCHIVED', 'DELETED', 'UNKNOWN'] },
  user_access_level: nullable(TEXT),
  evaluation_runtime: { enum: ['server', 'client', 'all', null] },
  evaluation_contexts: listOf(TEXT),
  bucketing_identifier: { enum: ['distinct_id', 'device_id', null] },
  is_remote_configuration: nullable(BOOLEAN),
  has_encrypted_payloads: nullable(BOOLEAN),
  has_enriched_analytics: nullable(BOOLEAN),
  surveys: ANYTHING,
  features: ANYTHING,
  experiment_set_metadata: listOf(objectOf({ id: INTEGER, name: TEXT, is_running: BOOLEAN })),
  analytics_dashboards: IDS,
  last_called_at: nullable(DATE_TIME),
  is_used_in_replay_settings: BOOLEAN,
  is_eligible_for_experiment: BOOLEAN,
};

export function flagSchemas(profile: Profile): Schemas {
  const answered = ANSWER_FIELDS[profile].map(([name]) => name);
  const written = writtenFields(profile);
  return {
    Flag: objectOf(selectFields(answered)),
    FlagWrite: { type: 'object', description: 'Other members are ignored.', properties: written },
    FlagCreate: {
      type: 'object',
      description: 'Other members are ignored.',
      required: ['key'],
      properties: written,
    },
    Filters: {
      type: 'object',
      properties: { groups: listOf(OBJECT), multivariate: nullable(OBJECT), payloads: nullable(OBJECT) },
    },
    User: openObjectOf({ id: INTEGER, uuid: UUID, distinct_id: TEXT, first_name: TEXT, email: TEXT }),
    MinimalFlag: minimalFlag(profile),
    ...roleSchemas(profile),
  };
}

/** The service accepts more than it answers. */
function writtenFields(profile: Profile): Schemas {
  const key = profile === 'posthog' ? { ...SENT_TEXT, pattern: KEY } : { ...SENT_TEXT, minLength: 1 };
  const lock = profile === 'posthog' ? { version: nullable(INTEGER), original_flag: ANYTHING } : {};
  const own = Object.fromEntries(Object.entries(SENT_FIELDS).filter(([name]) => writableNames(profile).includes(name)));
  return { ...selectFields(writableNames(profile)), ...own, key, ...lock };
}

/** The service trims a key before it checks it. */
const KEY = '^\\s*[a-zA-Z0-9_-]{1,400}\\s*$';

const SENT_FIELDS: Schemas = {
  name: SENT_TEXT,
  deleted: SENT_BOOLEAN,
  active: SENT_BOOLEAN,
  archived: SENT_BOOLEAN,
  ensure_experience_continuity: nullable(SENT_BOOLEAN),
  performed_rollback: nullable(SENT_BOOLEAN),
  is_remote_configuration: nullable(SENT_BOOLEAN),
  has_encrypted_payloads: nullable(SENT_BOOLEAN),
  has_enriched_analytics: nullable(SENT_BOOLEAN),
  tags: nullable(listOf(SENT_TEXT)),
  evaluation_contexts: { ...listOf({ ...SENT_TEXT, minLength: 1 }), maxItems: 50 },
  analytics_dashboards: listOf(SENT_INTEGER),
};

function selectFields(names: readonly string[]): Schemas {
  return Object.fromEntries(
    names.map((name) => {
      const schema = memberOf(FLAG_FIELDS, name);
      if (schema === undefined) throw new Error(`The OpenAPI document lacks the flag's field ${name}`);
      return [name, schema];
    }),
  );
}

function minimalFlag(profile: Profile): JsonObject {
  const old = ['id', 'name', 'key', 'filters', 'deleted', 'active', 'ensure_experience_continuity'];
  const newer = ['version', 'evaluation_runtime', 'bucketing_identifier', 'evaluation_contexts'];
  const fields = { ...selectFields(old), team_id: INTEGER };
  return profile === 'documented'
    ? { type: 'object', required: Object.keys(fields), properties: { ...fields, ...selectFields(newer) } }
    : objectOf({ ...fields, ...selectFields(newer) });
}

function roleSchemas(profile: Profile): Schemas {
  if (profile !== 'documented') return {};
  const role = objectOf({
    id: UUID,
    name: TEXT,
    feature_flags_access_level: { enum: [21, 37] },
    created_at: DATE_TIME,
    created_by: ref('User'),
    members: listOf(ANYTHING),
    associated_flags: listOf(objectOf({ id: INTEGER, key: TEXT })),
  });
  const entry = { id: INTEGER, feature_flag: ref('Flag'), role: nullable(ref('Role')) };
  return { Role: role, RoleAccess: objectOf({ ...entry, added_at: DATE_TIME, updated_at: DATE_TIME }) };
}

const REFUSED = { 400: 'ActionRefusal' };
/** Answers of actions that an approval policy may cover. */
const GATED_ACTION = { ...REFUSED, 409: 'WriteConflict' };

export const ACTION_OPERATIONS: Operations = {
  flag_enable: { summary: 'Enables a flag.', answers: { 200: 'Flag', ...GATED_ACTION } },
  flag_disable: { summary: 'Disables a flag.', answers: { 200: 'Flag', ...GATED_ACTION } },
  flag_archive: { summary: 'Disables and archives a flag.', answers: { 200: 'Flag', ...GATED_ACTION } },
  flag_unarchive: { summary: 'Unarchives a flag, which stays disabled.', answers: { 200: 'Flag', ...REFUSED } },
  flag_set_release_condition_rollout: {
    summary: 'Sets the rollout of one condition.',
    body: 'ConditionRollout',
    answers: { 200: 'Flag', ...GATED_ACTION },
  },
  flag_roll_out_to_everyone: {
    summary: 'Adds a condition for everybody before the others.',
    body: 'FullRollout',
    answers: { 200: 'Flag', ...GATED_ACTION },
  },
  flag_status: { summary: 'Whether a flag is stale, and its rollout.', answers: 'FlagStatus' },
  flag_dependent_flags: { summary: 'The active flags that depend on a flag.', answers: 'DependentFlags' },
  flag_version: {
    summary: 'A flag as it was at a version.',
    answers: { 200: 'FlagVersion', 400: 'NoVersion', 404: 'NoVersion', 422: 'VersionRefusal' },
  },
  flag_remote_config: {
    summary: 'The payload of a remote configuration, by id or key.',
    answers: { 200: 'RemoteConfig', 404: null },
  },
  flags_matching_ids: {
    summary: 'The ids of all flags that a list has and the caller can edit.',
    query: LIST_FILTERS,
    answers: 'FlagIds',
  },
  flags_bulk_keys: {
    summary: 'The keys of flags by id.',
    body: 'BulkKeysQuestion?',
    answers: { 200: 'BulkKeys', 400: 'BadRequest' },
  },
  flags_bulk_delete: {
    summary: 'Deletes several flags.',
    body: 'BulkDeletion',
    answers: { 200: 'BulkDeleted', 400: 'BadRequest' },
  },
  flags_copy: {
    summary: 'Copies a flag into other projects.',
    body: 'CopyFlags',
    answers: { 200: 'CopiedFlags', 400: 'BadRequest', 403: 'BadRequest' },
  },
  flags_bulk_update_tags: {
    summary: 'Adds, removes or replaces tags of several flags.',
    body: 'BulkTagging',
    answers: 'BulkTagged',
  },
};

/** A whole number from 0, or a string of digits. */
const COUNT: JsonObject = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\s*([+]?\\d+|-0+)\\s*$' },
  ],
};
/** The version that the caller has read; null for a flag that was last written before flags had one. */
const READ_VERSION = nullable(COUNT);

/** A flag with what is particular to its copy. */
const COPIED_FLAG = objectOf({
  ...selectFields(ANSWER_FIELDS.posthog.map(([name]) => name)),
  team_id: INTEGER,
  updated_existing: BOOLEAN,
  'flag_dependency_warnings?': listOf(TEXT),
  'copied_dependency_keys?': listOf(TEXT),
  'dependency_copy_warnings?': listOf(TEXT),
});

const VERSION_FIELDS = [
  'id',
  'key',
  'name',
  'filters',
  'active',
  'deleted',
  'ensure_experience_continuity',
  'has_enriched_analytics',
  'is_remote_configuration',
  'has_encrypted_payloads',
  'evaluation_runtime',
  'bucketing_identifier',
  'last_called_at',
  'created_at',
];

const SCHEDULED: Schemas = {
  record_id: SENT_TEXT,
  model_name: { const: 'FeatureFlag' },
  payload: OBJECT,
  scheduled_at: TEXT,
  'is_recurring?': SENT_BOOLEAN,
  'recurrence_interval?': nullable({ enum: ['daily', 'weekly', 'monthly', 'yearly'] }),
  'cron_expression?': nullable(SENT_TEXT),
  'end_date?': nullable(TEXT),
};

export const ACTION_SCHEMAS: Schemas = {
  ScheduledChange: objectOf({
    id: ID,
    team_id: INTEGER,
    record_id: TEXT,
    model_name: { const: 'FeatureFlag' },
    payload: OBJECT,
    scheduled_at: DATE_TIME,
    executed_at: nullable(DATE_TIME),
    failure_reason: nullable(TEXT),
    created_at: DATE_TIME,
    created_by: nullable(ref('User')),
    updated_at: DATE_TIME,
    is_recurring: BOOLEAN,
    recurrence_interval: nullable({ enum: ['daily', 'weekly', 'monthly', 'yearly'] }),
    cron_expression: nullable(TEXT),
    last_executed_at: nullable(DATE_TIME),
    end_date: nullable(DATE_TIME),
    timezone: TEXT,
    change_request: nullable(objectOf({ id: TEXT, state: TEXT })),
  }),
  ScheduledChangePage: pageOf('ScheduledChange'),
  ScheduledChangeCreate: openObjectOf(SCHEDULED),
  ScheduledChangeWrite: openObjectOf(optional(SCHEDULED)),
  ActionRefusal: {
    anyOf: [ref('Error'), ref('PolicyConflict'), objectOf({ success: { const: false }, error: TEXT })],
  },
  BadRequest: { anyOf: [ref('Error'), objectOf({ error: TEXT })] },
  VersionRefusal: objectOf({ detail: TEXT }),
  NoVersion: { anyOf: [ref('Error'), ref('VersionRefusal')] },
  ConditionRollout: openObjectOf({ condition_index: COUNT, rollout_percentage: PERCENTAGE, version: READ_VERSION }),
  FullRollout: openObjectOf({ version: READ_VERSION, 'variant_key?': nullable(SENT_TEXT) }),
  FlagStatus: objectOf({
    status: { enum: ['active', 'stale', 'archived', 'deleted'] },
    reason: TEXT,
    reason_states_rollout: BOOLEAN,
    rollout: objectOf({
      effectively_full_rollout: BOOLEAN,
      has_targeting_conditions: BOOLEAN,
      max_rollout_percentage: nullable({ type: 'number' }),
      is_multivariate: BOOLEAN,
    }),
  }),
  DependentFlags: listOf(objectOf({ id: ID, key: TEXT, name: TEXT })),
  FlagVersion: objectOf({
    ...selectFields(VERSION_FIELDS),
    version: INTEGER,
    created_by: nullable(ID),
    is_historical: BOOLEAN,
    version_timestamp: nullable(DATE_TIME),
    modified_by: nullable(ID),
  }),
  RemoteConfig: { description: 'The payload, a string of JSON.', type: 'string' },
  FlagIds: objectOf({ ids: listOf(ID), total: INTEGER }),
  BulkKeysQuestion: openObjectOf({ 'ids?': nullable(listOf(ANYTHING)) }),
  BulkKeys: objectOf({ keys: mapOf(TEXT), 'warning?': TEXT }),
  BulkDeletion: {
    description: 'Either `ids` or `filters`.',
    type: 'object',
    properties: { ids: nullable(listOf(ANYTHING)), filters: nullable(OBJECT) },
  },
  BulkDeleted: objectOf({
    deleted: listOf(
      objectOf({
        id: ID,
        key: TEXT,
        rollout_state: { enum: ['fully_rolled_out', 'not_rolled_out', 'partial'] },
        active_variant: nullable(TEXT),
      }),
    ),
    errors: listOf(objectOf({ id: ANYTHING, 'key?': TEXT, reason: TEXT })),
  }),
  BulkTagging: openObjectOf({
    ids: { ...listOf(SENT_INTEGER), minItems: 1, maxItems: 500 },
    action: { enum: ['add', 'remove', 'set'] },
    tags: listOf(SENT_TEXT),
  }),
  CopyFlags: openObjectOf({
    feature_flag_key: SENT_TEXT,
    from_project: SENT_INTEGER,
    target_project_ids: { ...listOf(SENT_INTEGER), minItems: 1, maxItems: 50 },
    'copy_schedule?': SENT_BOOLEAN,
    'disable_copied_flag?': SENT_BOOLEAN,
    'copy_dependencies?': SENT_BOOLEAN,
  }),
  CopiedFlags: objectOf({
    success: listOf(COPIED_FLAG),
    failed: listOf(objectOf({ project_id: INTEGER, error_message: TEXT })),
  }),
  BulkTagged: objectOf({
    updated: listOf(objectOf({ id: ID, tags: listOf(TEXT) })),
    skipped: listOf(objectOf({ id: INTEGER, reason: TEXT })),
  }),
};
