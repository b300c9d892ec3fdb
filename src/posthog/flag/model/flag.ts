/**
 * A feature flag in the shape of the service's interface (docs/service.md, "Flags"). Service generations answer differently,
 * so every field but `id` and `key` may be absent, and fields that are not named here are kept as they came.
 */

import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { KeysAfterPlan } from '../../../core/engine/snapshot.ts';

export interface Flag extends JsonObject {
  readonly id: number;
  readonly key: string;
  /** The description; the name is historical. */
  readonly name?: string | null;
  readonly active?: boolean;
  readonly deleted?: boolean;
  readonly archived?: boolean;
  readonly filters?: Filters;
  readonly created_at?: string;
  readonly ensure_experience_continuity?: boolean | null;
  readonly tags?: readonly string[] | null;
  /** Counts accepted updates since 2025; null for flags that are older than the counter, absent before. */
  readonly version?: number | null;
  /** Exists since 2025, like `updated_at`; null if no user did it. */
  readonly last_modified_by?: JsonValue;
  readonly updated_at?: string | null;
  readonly can_edit?: boolean;
  readonly experiment_set?: readonly number[] | null;
  readonly experiment_set_metadata?: readonly ExperimentSummary[] | null;
  readonly has_encrypted_payloads?: boolean | null;
}

/** Whether the flag is in the service's usual list. */
export function isListed({ deleted, archived }: Flag): boolean {
  return deleted !== true && archived !== true;
}

/** A flag with experiments loses its key, since 2025, when it is deleted, and gets it back when it is restored. */
export function keyOnceRestored({ id, key, deleted }: Flag): string {
  const suffix = `:deleted:${id}`;
  return deleted === true && key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

export interface ExperimentSummary extends JsonObject {
  readonly id: number;
  readonly name?: string | null;
  readonly is_running?: boolean | null;
}

export interface Filters extends JsonObject {
  readonly groups?: readonly Condition[];
  readonly multivariate?: { readonly variants: readonly Variant[] } | null;
  /** Variant key, or `true` for a flag without variants, to a JSON value or to JSON text. */
  readonly payloads?: { readonly [variant: string]: JsonValue } | null;
  readonly aggregation_group_type_index?: number | null;
}

/** One release condition: all its properties must match, then the rollout decides. */
export interface Condition extends JsonObject {
  readonly properties?: readonly Property[] | null;
  /** 0 to 100, decimals allowed; absent and null mean 100. */
  readonly rollout_percentage?: number | null;
  readonly variant?: string | null;
  readonly description?: string | null;
  readonly aggregation_group_type_index?: number | null;
}

export interface Property extends JsonObject {
  /** Names the other flag for `type: flag`: by its key in manifests and canonical forms, by its id as text on the wire. */
  readonly key: string | number;
  readonly type?: 'person' | 'cohort' | 'group' | 'flag';
  readonly operator?: string | null;
  readonly value?: JsonValue;
}

export interface Variant extends JsonObject {
  readonly key: string;
  readonly name?: string | null;
  readonly rollout_percentage: number;
}

export interface FlagNames extends KeysAfterPlan {
  /** Secret payloads of live flags are digests already. Otherwise a live payload is never taken for a digest, even if it looks like one. */
  readonly hasPayloadDigests?: true;
  /** The id of a cohort that a plan names by alias; `undefined` while the plan is still to create it. */
  readonly cohortIdOf?: (alias: string) => number | undefined;
}

/** The parts of a flag's filters that have members. */
export type FiltersPart = 'filters' | 'multivariate' | 'condition' | 'property' | 'variant';

/** The names in docs/service.md, "Filters"; a test compares them with the schema. */
export const KNOWN_MEMBERS: { readonly [part in FiltersPart]: readonly string[] } = {
  filters: [
    'groups',
    'multivariate',
    'payloads',
    'aggregation_group_type_index',
    'early_exit',
    'feature_enrollment',
    'holdout',
    'holdout_groups',
    'super_groups',
  ],
  multivariate: ['variants'],
  condition: [
    'properties',
    'rollout_percentage',
    'variant',
    'description',
    'aggregation_group_type_index',
    'sort_key',
    'exposure_frozen',
    'exposure_frozen_cohort',
  ],
  property: [
    'key',
    'type',
    'operator',
    'value',
    'group_type_index',
    'negation',
    'label',
    'cohort_name',
    'group_key_names',
  ],
  variant: ['key', 'name', 'rollout_percentage', 'description'],
};
