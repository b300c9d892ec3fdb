/**
 * The fields of a flag, as one table: the name in the API and in manifests, who decides the value, and how an export writes
 * it. The order is that of exported manifests. A manifest may declare other fields under `fields`.
 */

import { compareStrings } from '../../../base/compare-strings.ts';
import { isJsonArray, type JsonValue, memberOf, type JsonObject } from '../../../base/json.ts';
import type { Place } from '../../../base/place.ts';
import type { Ownership } from '../../../core/engine/ownership.ts';
import { matchesField, type FieldPath } from '../../../core/engine/field-path.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './tolerances.ts';

export type FlagField = ManifestField | ServiceField;

/** A field that manifests may manage. */
export interface ManifestField {
  readonly ownership: 'managed';
  /** Name in the service's API and in JSON documents. */
  readonly api: string;
  /** Name in a manifest; absent for a field that is declared under `fields` or by `declaredBy`. */
  readonly manifest?: string;
  /** The part of a manifest that decides the field without being a field itself. */
  readonly declaredBy?: 'flags' | 'deleted';
  /** Converts a value for an export. Absent for a field that is not exported. */
  readonly write?: (value: JsonValue) => JsonValue;
  /** Default values of a flag in the form of `write`: a minimal export omits them. */
  readonly usual?: readonly JsonValue[];
}

/** A field that the service computes, or that changes with traffic: never compared, never written. */
interface ServiceField {
  readonly ownership: 'computed';
  readonly api: string;
  readonly manifest?: undefined;
}

const MANIFEST_FIELDS: readonly Omit<ManifestField, 'ownership'>[] = [
  { api: 'key', declaredBy: 'flags' },
  { api: 'deleted', declaredBy: 'deleted' },

  { api: 'name', manifest: 'description', write: trimmed, usual: [''] },
  { api: 'active', manifest: 'active', write: unchanged },
  // Written in one of three forms, see `layout/`.
  { api: 'filters', manifest: 'filters' },
  {
    api: 'ensure_experience_continuity',
    manifest: 'ensure_experience_continuity',
    write: unchanged,
    usual: [false, null],
  },
  { api: 'tags', manifest: 'tags', write: sortedStrings, usual: [[]] },
  { api: 'rollback_conditions', manifest: 'rollback_conditions', write: (value) => value ?? [], usual: [[], {}] },
  // Exports omit it: a flag that is created from the manifest gets its own value.
  { api: 'performed_rollback', manifest: 'performed_rollback' },
  { api: 'created_at', manifest: 'created_at' },

  // Fields of newer services, under `fields`.
  { api: 'archived', ...unlessChosen(false) },
  { api: 'bucketing_identifier', ...unlessChosen('distinct_id') },
  { api: 'evaluation_contexts', ...unlessChosen([]) },
  { api: 'evaluation_runtime', ...unlessChosen('all') },
  { api: 'evaluation_tags', ...unlessChosen([]) },
  { api: 'has_encrypted_payloads', ...unlessChosen(false) },
  { api: 'is_remote_configuration', ...unlessChosen(false) },
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
  ...MANIFEST_FIELDS.map((field): ManifestField => ({ ownership: 'managed', ...field })),
  ...COMPUTED_FIELDS.map((api): ServiceField => ({ ownership: 'computed', api })),
];

/** Fields that the service computes: left out of every comparison. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set(COMPUTED_FIELDS);

/** Fields whose meaning is known. Others may change by themselves, so only declared ones are compared. */
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
    field.ownership === 'managed' && (field.write !== undefined || field.api === 'filters'),
);

/** A field in which null means the value of a new flag. */
function unlessChosen(usual: JsonValue): Required<Pick<ManifestField, 'write' | 'usual'>> {
  return { write: (value) => value ?? usual, usual: [usual] };
}

function unchanged(value: JsonValue): JsonValue {
  return value;
}

function trimmed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value.trim() : '';
}

// The client has checked that tags are strings.
function sortedStrings(value: JsonValue): JsonValue {
  return isJsonArray(value) ? (value as readonly string[]).toSorted(compareStrings) : [];
}

/** A place in a flag, and who decides there. */
export interface OwnershipRule {
  readonly path: FieldPath;
  readonly ownership: Ownership;
  /** The place in a manifest or in the configuration. */
  readonly source: Place;
}

/** The parts of live filters that other products decide, as manifests declare filters without them. */
export function partsOfOthers(declared: JsonObject, live: JsonObject): readonly string[] {
  return PARTS_OF_OTHER_PRODUCTS.filter(
    (part) =>
      (memberOf(live, part) ?? null) !== null && (!Object.hasOwn(declared, part) || declared[part] === undefined),
  );
}

/**
 * The owner at a pointer into the fields, by API name. `rules`: the weakest first, so the last that matches counts. `undefined`: no rule
 * matches.
 */
export function findOwnership(
  rules: readonly OwnershipRule[],
  pointer: string,
  fields: JsonObject,
): Ownership | undefined {
  return rules.findLast(({ path }) => matchesField(path, pointer, fields))?.ownership;
}

/** Whether git decides about a whole field, which no rule then names. */
export function isManagedField(rules: readonly OwnershipRule[] | undefined, field: string): boolean {
  return (findOwnership(rules ?? [], `/${field}`, {}) ?? 'managed') === 'managed';
}

/** The top-level field that a path is about. */
export function fieldOf({ steps: [first] }: Pick<FieldPath, 'steps'>): string | undefined {
  return first?.kind === 'member' ? first.name : undefined;
}
