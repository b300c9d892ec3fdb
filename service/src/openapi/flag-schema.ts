/** The schemas of flags and roles, built from the tables that serialize and read flags. */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import { ANSWER_FIELDS } from '../flags/serialize.ts';
import { writableNames } from '../flags/fields.ts';
import type { Profile } from '../handler/profile.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  nullable,
  OBJECT,
  objectOf,
  openObjectOf,
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

export function selectFields(names: readonly string[]): Schemas {
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
