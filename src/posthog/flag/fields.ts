/**
 * The fields of a flag, as a table: what a manifest calls each, and who decides its value.
 * A field that is not listed may still be managed through a manifest's `fields`.
 */

type FieldOwner =
  /** Managed by whoever declares it. */
  | 'manifest'
  /** The service computes it, or it moves with traffic: never compared, never written. */
  | 'service';

export interface FlagField {
  /** Name in the service's API and in JSON documents. */
  readonly api: string;
  /** Name in a manifest, where the field may be declared by its own name. */
  readonly manifest?: string;
  readonly owner: FieldOwner;
}

export const FLAG_FIELDS: readonly FlagField[] = [
  { api: 'name', manifest: 'description', owner: 'manifest' },
  { api: 'active', manifest: 'active', owner: 'manifest' },
  { api: 'filters', manifest: 'filters', owner: 'manifest' },
  { api: 'tags', manifest: 'tags', owner: 'manifest' },
  { api: 'ensure_experience_continuity', manifest: 'ensure_experience_continuity', owner: 'manifest' },
  { api: 'rollback_conditions', manifest: 'rollback_conditions', owner: 'manifest' },
  { api: 'performed_rollback', manifest: 'performed_rollback', owner: 'manifest' },
  { api: 'created_at', manifest: 'created_at', owner: 'manifest' },
  { api: 'key', owner: 'manifest' },
  { api: 'deleted', owner: 'manifest' },
  { api: 'archived', owner: 'manifest' },
  { api: 'evaluation_runtime', owner: 'manifest' },
  { api: 'evaluation_contexts', owner: 'manifest' },
  { api: 'evaluation_tags', owner: 'manifest' },
  { api: 'bucketing_identifier', owner: 'manifest' },
  { api: 'is_remote_configuration', owner: 'manifest' },
  { api: 'has_encrypted_payloads', owner: 'manifest' },

  { api: 'id', owner: 'service' },
  { api: 'created_by', owner: 'service' },
  { api: 'updated_at', owner: 'service' },
  { api: 'last_modified_by', owner: 'service' },
  { api: 'last_called_at', owner: 'service' },
  { api: 'version', owner: 'service' },
  { api: 'status', owner: 'service' },
  { api: 'can_edit', owner: 'service' },
  { api: 'user_access_level', owner: 'service' },
  { api: 'is_simple_flag', owner: 'service' },
  { api: 'rollout_percentage', owner: 'service' },
  { api: 'experiment_set', owner: 'service' },
  { api: 'experiment_set_metadata', owner: 'service' },
  { api: 'surveys', owner: 'service' },
  { api: 'features', owner: 'service' },
  { api: 'usage_dashboard', owner: 'service' },
  { api: 'analytics_dashboards', owner: 'service' },
  { api: 'has_enriched_analytics', owner: 'service' },
  { api: 'is_used_in_replay_settings', owner: 'service' },
  { api: 'is_eligible_for_experiment', owner: 'service' },
];

/** Fields that the service decides about: left out of every comparison. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set(
  FLAG_FIELDS.filter((field) => field.owner === 'service').map((field) => field.api),
);

/** Fields whose meaning is known here. Others may move by themselves, so that only a manifest makes them matter. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(FLAG_FIELDS.map(({ api }) => api));
