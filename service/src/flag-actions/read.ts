/** Answers questions about flags: dependents, ids, status, and the payload of a remote configuration. */

import { activeDependents } from '../flags/dependencies.ts';
import { findFlag, findMatching } from '../flags/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { canEdit } from '../flags/serialize.ts';
import { flagStatus } from '../flags/staleness.ts';
import { objectOrEmpty, isJsonNumber, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { StoredFlag } from '../store/flag.ts';
import { groupsOf, propertiesOf, variantsOf, findFullRollout } from '../filters/conditions.ts';

/** A flag without a name shows its key. */
export function dependentFlags(service: ServiceContext, call: Call): Answer {
  const flags = activeDependents(service, findFlag(service, call));
  return { status: 200, body: flags.map(({ id, key, name }) => ({ id, key, name: name || key })) };
}

export function matchingIds(service: ServiceContext, call: Call): Answer {
  const ids = findMatching(service, call.projectId, call.query)
    .filter(canEdit)
    .map(({ id }) => id);
  return { status: 200, body: { ids, total: ids.length } };
}

/** The status is in lower case here, unlike in the flag. */
export function getStatus(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call);
  const { status, reason, isByRollout } = flagStatus(flag, service.now());
  const rollout = { ...summarizeRollout(flag.filters) };
  return { status: 200, body: { status, reason, reason_states_rollout: isByRollout, rollout } };
}

/** An unknown flag, and one that is not a remote configuration, is a 404 without a body; no payload is a 200 without one. */
export function getRemoteConfig({ store }: ServiceContext, call: Call): Answer {
  const { id = '' } = call.params;
  const flag = /^\d{1,15}$/.test(id)
    ? store.flags.find(call.projectId, Number(id))
    : store.flags.findByKey(call.projectId, id);
  if (flag === undefined || flag.deleted || flag.fields['is_remote_configuration'] !== true) return { status: 404 };
  const payload = payloadOf(flag);
  // An empty payload counts as none.
  return payload === '' || payload === null ? { status: 200 } : { status: 200, body: payload };
}

function payloadOf({ filters: { payloads } }: StoredFlag): NonNullable<Answer['body']> | null {
  return objectOrEmpty(payloads)['true'] ?? null;
}

interface RolloutSummary {
  readonly effectively_full_rollout: boolean;
  readonly has_targeting_conditions: boolean;
  /** Null without conditions. A condition without a percentage counts as 100. */
  readonly max_rollout_percentage: number | null;
  readonly is_multivariate: boolean;
}

function summarizeRollout(filters: JsonObject): RolloutSummary {
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
  const isOff = summarizeRollout(filters).max_rollout_percentage === 0;
  return { rollout_state: isOff ? 'not_rolled_out' : 'partial', active_variant: null };
}
