/** Serializes a flag for each profile: fields in order, each stored, computed or defaulted. */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { Profile } from '../handler/profile.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { variantsOf, decorate } from '../filters/conditions.ts';
import { flagStatus, type FlagStaleness } from './staleness.ts';

/** A computed field, or the default of a stored one. */
type FieldSource = ((flag: StoredFlag, status: Status) => JsonValue) | { readonly default: JsonValue };
type Status = FlagStaleness['status'];
type AnswerFields = readonly (readonly [name: string, source: FieldSource])[];

const COMMON: AnswerFields = [
  ['id', { default: null }],
  ['name', { default: '' }],
  ['key', { default: '' }],
  ['filters', { default: {} }],
  ['deleted', { default: false }],
  ['active', { default: true }],
  ['created_by', { default: null }],
  ['created_at', { default: null }],
  ['ensure_experience_continuity', { default: false }],
  ['experiment_set', { default: [] }],
  ['can_edit', { default: true }],
  ['tags', { default: [] }],
  ['usage_dashboard', { default: null }],
];

export const ANSWER_FIELDS: Readonly<Record<Profile, AnswerFields>> = {
  documented: [
    ...COMMON,
    ['is_simple_flag', isSimple],
    ['rollout_percentage', simpleRollout],
    ['rollback_conditions', { default: null }],
    ['performed_rollback', { default: false }],
  ],
  posthog: [
    ...COMMON,
    ['archived', { default: false }],
    ['updated_at', { default: null }],
    ['version', { default: null }],
    ['last_modified_by', { default: null }],
    ['status', (_, status) => status.toUpperCase()],
    ['user_access_level', (flag) => flag.fields['user_access_level'] ?? (canEdit(flag) ? 'editor' : 'viewer')],
    ['evaluation_runtime', { default: 'all' }],
    ['evaluation_contexts', { default: [] }],
    ['bucketing_identifier', { default: 'distinct_id' }],
    ['is_remote_configuration', { default: false }],
    ['has_encrypted_payloads', { default: false }],
    ['has_enriched_analytics', { default: false }],
    ['surveys', { default: [] }],
    ['features', linkedFeatures],
    ['experiment_set_metadata', { default: [] }],
    ['analytics_dashboards', { default: [] }],
    ['last_called_at', { default: null }],
    ['is_used_in_replay_settings', { default: false }],
    ['is_eligible_for_experiment', isEligible],
  ],
};

/** The value that answers show where none is stored; null for a computed field. */
export function defaultOf(profile: Profile, name: string): JsonValue {
  const source = ANSWER_FIELDS[profile].find(([field]) => field === name)?.[1];
  return source === undefined || typeof source === 'function' ? null : source.default;
}

export function serialize(service: ServiceContext, flag: StoredFlag): JsonObject {
  return serializer(service)(flag);
}

/** Serializes many flags. Answers are the same object until the flag, its status, or a name in it changes. */
export function serializer({ rules, store, now }: ServiceContext): (flag: StoredFlag) => JsonObject {
  const names = rules.decorated ? store.names() : undefined;
  const time = now();
  return (flag) => {
    const { status } = flagStatus(flag, time);
    const known = kept.get(flag);
    if (known?.profile === rules.name && known.names === names && known.status === status) return known.answer;
    const shown = rules.decorated ? { ...flag, filters: decorate(flag, store) } : flag;
    const fields = ANSWER_FIELDS[rules.name].map(([name, source]) => {
      if (typeof source === 'function') return [name, source(shown, status)];
      const stored = storedValue(shown, name);
      return [name, stored === undefined ? source.default : stored];
    });
    const answer = Object.fromEntries(fields) as JsonObject;
    kept.set(flag, { profile: rules.name, names, status, answer });
    return answer;
  };
}

const kept = new WeakMap<StoredFlag, KeptAnswer>();

/** An answer, and all other objects that it depends on. */
interface KeptAnswer {
  readonly profile: Profile;
  readonly names: object | undefined;
  readonly status: Status;
  readonly answer: JsonObject;
}

/** Whether the caller can write the flag: true unless the seed says otherwise. */
export function canEdit(flag: StoredFlag): boolean {
  return flag.fields['can_edit'] !== false;
}

/** One condition for everybody. Only the flag-level aggregation counts, since conditions of that time had none. */
function isSimple({ filters }: StoredFlag): boolean {
  const groups = filters['groups'];
  const [group] = isJsonArray(groups) && groups.length === 1 ? groups : [];
  if (!isJsonObject(group) || (filters['aggregation_group_type_index'] ?? null) !== null) return false;
  const properties = group['properties'];
  return properties === undefined || properties === null || (isJsonArray(properties) && properties.length === 0);
}

function simpleRollout(flag: StoredFlag): JsonValue {
  const [group] = arrayOrEmpty(flag.filters['groups']);
  return isSimple(flag) && isJsonObject(group) ? (group['rollout_percentage'] ?? null) : null;
}

/** The early access features of the flag, which name it by its key. */
function linkedFeatures({ key, fields }: StoredFlag): JsonValue {
  const features = arrayOrEmpty(fields['features']);
  return features.map((feature) => (isJsonObject(feature) ? { ...feature, flagKey: key } : feature));
}

/** Whether the flag can have an experiment. */
function isEligible({ filters }: StoredFlag): boolean {
  const { length } = variantsOf(filters);
  return length >= 2 && length <= 20;
}
