/** The rollout of filters by the configuration, whether or not applications ask for the flag. */

import { isJsonNumber, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { groupsOf, propertiesOf, variantsOf } from '../filters/conditions.ts';
import { findFullRollout } from '../filters/full-rollout.ts';

export interface RolloutSummary {
  readonly effectively_full_rollout: boolean;
  readonly has_targeting_conditions: boolean;
  /** Null without conditions. A condition without a percentage counts as 100. */
  readonly max_rollout_percentage: number | null;
  readonly is_multivariate: boolean;
}

export function summariseRollout(filters: JsonObject): RolloutSummary {
  const groups = groupsOf(filters);
  const percentages = groups.map(({ rollout_percentage: rollout = null }) =>
    isJsonNumber(rollout) ? Number(rollout) : 100,
  );
  return {
    effectively_full_rollout: findFullRollout(filters) !== undefined,
    has_targeting_conditions: groups.some((group) => propertiesOf(group).length > 0),
    max_rollout_percentage: percentages.length === 0 ? null : Math.max(...percentages),
    is_multivariate: variantsOf(filters).length > 0,
  };
}

/** The name of a flag's rollout in a bulk deletion. */
export function rolloutState(filters: JsonObject): { rollout_state: string; active_variant: JsonValue } {
  const full = findFullRollout(filters);
  if (full !== undefined) return { rollout_state: 'fully_rolled_out', active_variant: full.variant };
  const isOff = summariseRollout(filters).max_rollout_percentage === 0;
  return { rollout_state: isOff ? 'not_rolled_out' : 'partial', active_variant: null };
}
