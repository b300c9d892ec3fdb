/**
 * The fields of a flag, as one table: the name in the API and in manifests, who decides the value, and how an export writes
 * it. The order is that of exported manifests. A manifest may declare other fields under `fields`.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import { definedKeys, isJsonArray, isJsonObject, jsonEquals, type JsonValue } from '../../base/json.ts';

export type FlagField = ManifestField | ServiceField;

/** A field that manifests may manage. */
export interface ManifestField {
  readonly owner: 'manifest';
  /** Name in the service's API and in JSON documents. */
  readonly api: string;
  /** Name in a manifest; absent for a field that is declared under `fields` or by `declaredBy`. */
  readonly manifest?: string;
  /** The part of a manifest that decides the field without being a field itself. */
  readonly declaredBy?: 'flags' | 'deleted';
  /** What an export writes for a value; `undefined` for a value that is implied. Absent for a field that is not exported. */
  readonly write?: (value: JsonValue) => JsonValue | undefined;
}

/** A field that the service computes, or that moves with traffic: never compared, never written. */
interface ServiceField {
  readonly owner: 'service';
  readonly api: string;
  readonly manifest?: undefined;
}

const MANIFEST_FIELDS: readonly Omit<ManifestField, 'owner'>[] = [
  { api: 'key', declaredBy: 'flags' },
  { api: 'deleted', declaredBy: 'deleted' },

  { api: 'name', manifest: 'description', write: unlessBlank },
  { api: 'active', manifest: 'active', write: (active) => active },
  // Written in one of three forms, see `layout/`.
  { api: 'filters', manifest: 'filters' },
  { api: 'ensure_experience_continuity', manifest: 'ensure_experience_continuity', write: unless(false) },
  { api: 'tags', manifest: 'tags', write: sortedStrings },
  { api: 'rollback_conditions', manifest: 'rollback_conditions', write: unlessEmpty },
  { api: 'performed_rollback', manifest: 'performed_rollback' },
  { api: 'created_at', manifest: 'created_at' },

  // Fields of newer services, under `fields`.
  { api: 'archived', write: unless(false) },
  { api: 'bucketing_identifier', write: unless('distinct_id') },
  { api: 'evaluation_contexts', write: unless([]) },
  { api: 'evaluation_runtime', write: unless('all') },
  { api: 'evaluation_tags', write: unless([]) },
  { api: 'has_encrypted_payloads', write: unless(false) },
  { api: 'is_remote_configuration', write: unless(false) },
];

const COMPUTED_FIELDS: readonly string[] = [
  'id',
  'created_by',
  'updated_at',
  'last_modified_by',
  'last_called_at',
  'version',
  'status',
  'can_edit',
  'user_access_level',
  'is_simple_flag',
  'rollout_percentage',
  'experiment_set',
  'experiment_set_metadata',
  'surveys',
  'features',
  'usage_dashboard',
  'analytics_dashboards',
  'has_enriched_analytics',
  'is_used_in_replay_settings',
  'is_eligible_for_experiment',
];

export const FLAG_FIELDS: readonly FlagField[] = [
  ...MANIFEST_FIELDS.map((field): ManifestField => ({ owner: 'manifest', ...field })),
  ...COMPUTED_FIELDS.map((api): ServiceField => ({ owner: 'service', api })),
];

/** Fields that the service computes: left out of every comparison. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set(COMPUTED_FIELDS);

/** Fields whose meaning is known. Others may change by themselves, so only those that a manifest declares are compared. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(FLAG_FIELDS.map(({ api }) => api));

/** API names by the names in manifests. */
export const API_NAMES: ReadonlyMap<string, string> = new Map(
  MANIFEST_FIELDS.flatMap(({ api, manifest }) => (manifest === undefined ? [] : [[manifest, api]])),
);

/** Names in manifests by API names. */
export const MEMBER_NAMES: ReadonlyMap<string, string> = new Map([...API_NAMES].map(([member, api]) => [api, member]));

/** The fields that an export writes, those with a name in manifests first. */
export const EXPORTED_FIELDS: readonly ManifestField[] = FLAG_FIELDS.filter(
  (field): field is ManifestField =>
    field.owner === 'manifest' && (field.write !== undefined || field.api === 'filters'),
);

/** Omits the value that a new flag gets, and null. */
function unless(usual: JsonValue): (value: JsonValue) => JsonValue | undefined {
  return (value) => (value === null || jsonEquals(value, usual) ? undefined : value);
}

function unlessBlank(value: JsonValue): JsonValue | undefined {
  return (typeof value === 'string' && value.trim()) || undefined;
}

function unlessEmpty(value: JsonValue): JsonValue | undefined {
  if (isJsonArray(value)) return value.length > 0 ? value : undefined;
  return isJsonObject(value) && definedKeys(value).length > 0 ? value : undefined;
}

// The client has checked that tags are strings.
function sortedStrings(value: JsonValue): JsonValue | undefined {
  return isJsonArray(value) ? unlessEmpty((value as readonly string[]).toSorted(compareStrings)) : undefined;
}
