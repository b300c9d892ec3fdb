/** The schemas of actions on flags, which only today's service has. */

import type { JsonObject } from '../../base/json.ts';
import { FLAG_FIELDS } from './flag-schema.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  ID,
  INTEGER,
  listOf,
  mapOf,
  nullable,
  objectOf,
  OBJECT,
  PERCENTAGE,
  ref,
  SENT_INTEGER,
  SENT_TEXT,
  TEXT,
} from './schema.ts';

/** A whole number from 0, or a string of digits. */
const COUNT: JsonObject = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\s*([+]?\\d+|-0+)\\s*$' },
  ],
};
/** The version that the caller has read; null for a flag that was last written before flags had one. */
const READ_VERSION = nullable(COUNT);

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

export const ACTION_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  ActionRefusal: { anyOf: [ref('Error'), objectOf({ success: { const: false }, error: TEXT })] },
  BadRequest: { anyOf: [ref('Error'), objectOf({ error: TEXT })] },
  VersionRefusal: objectOf({ detail: TEXT }),
  NoVersion: { anyOf: [ref('Error'), ref('VersionRefusal')] },
  ConditionRollout: objectOf(
    { condition_index: COUNT, rollout_percentage: PERCENTAGE, version: READ_VERSION },
    { isOpen: true },
  ),
  FullRollout: objectOf(
    { version: READ_VERSION, variant_key: nullable(SENT_TEXT) },
    { isOpen: true, optional: ['variant_key'] },
  ),
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
    ...Object.fromEntries(VERSION_FIELDS.map((name) => [name, FLAG_FIELDS[name] ?? ANYTHING])),
    version: INTEGER,
    created_by: nullable(ID),
    is_historical: BOOLEAN,
    version_timestamp: nullable(DATE_TIME),
    modified_by: nullable(ID),
  }),
  RemoteConfig: { description: 'The payload, a string of JSON.', type: 'string' },
  FlagIds: objectOf({ ids: listOf(ID), total: INTEGER }),
  BulkKeysQuestion: objectOf({ ids: nullable(listOf(ANYTHING)) }, { isOpen: true, optional: ['ids'] }),
  BulkKeys: objectOf({ keys: mapOf(TEXT), warning: TEXT }, { optional: ['warning'] }),
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
    errors: listOf(objectOf({ id: ANYTHING, key: TEXT, reason: TEXT }, { optional: ['key'] })),
  }),
  BulkTagging: objectOf(
    {
      ids: { ...listOf(SENT_INTEGER), minItems: 1, maxItems: 500 },
      action: { enum: ['add', 'remove', 'set'] },
      tags: listOf(SENT_TEXT),
    },
    { isOpen: true },
  ),
  BulkTagged: objectOf({
    updated: listOf(objectOf({ id: ID, tags: listOf(TEXT) })),
    skipped: listOf(objectOf({ id: INTEGER, reason: TEXT })),
  }),
};
