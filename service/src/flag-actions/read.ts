/** Answers questions about flags: dependents, ids, status, the payload of a remote configuration, and former versions. */

import { flagStatus } from '../flags/staleness.ts';
import { activeDependents } from '../flags/dependencies.ts';
import { findFlag, findMatching } from '../flags/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { canEdit } from '../flags/serialize.ts';
import {
  objectOrEmpty,
  isJsonNumber,
  type JsonObject,
  type JsonValue,
  arrayOrEmpty,
  isJsonObject,
} from '../../../src/base/json.ts';
import { type StoredFlag, storedValue } from '../store/flag.ts';
import { groupsOf, propertiesOf, variantsOf, findFullRollout } from '../filters/conditions.ts';
import { notFound } from '../handler/envelope.ts';

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
  const rollout = summarizeRollout(flag.filters);
  return { status: 200, body: { status, reason, reason_states_rollout: isByRollout, rollout } };
}

/** An unknown flag, and one that is not a remote configuration, is a 404 without a body; no payload is a 200 without one. */
export function getRemoteConfig({ store }: ServiceContext, call: Call): Answer {
  const { id = '' } = call.params;
  const flag = /^\d{1,15}$/.test(id)
    ? store.flags.find(call.projectId, Number(id))
    : store.flags.findByKey(call.projectId, id);
  if (flag === undefined || flag.deleted || flag.fields['is_remote_configuration'] !== true) return { status: 404 };
  const { true: payload = null } = objectOrEmpty(flag.filters['payloads']);
  // An empty payload counts as none.
  return payload === '' || payload === null ? { status: 200 } : { status: 200, body: payload };
}

/** `max_rollout_percentage` is null without conditions. A condition without a percentage counts as 100. */
function summarizeRollout(filters: JsonObject): JsonObject {
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
  const isOff = summarizeRollout(filters)['max_rollout_percentage'] === 0;
  return { rollout_state: isOff ? 'not_rolled_out' : 'partial', active_variant: null };
}

/** The fields of an answer that the activity records, with the defaults of fields that are not stored. */
const FIELDS: Readonly<Record<string, JsonValue>> = {
  key: '',
  name: '',
  filters: {},
  active: true,
  deleted: false,
  version: null,
  ensure_experience_continuity: false,
  has_enriched_analytics: false,
  is_remote_configuration: false,
  has_encrypted_payloads: false,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
};

interface VersionOrigin {
  readonly version_timestamp: JsonValue;
  readonly modified_by: JsonValue;
}

export function getVersion(service: ServiceContext, call: Call): Answer {
  const { version: wanted = '' } = call.params;
  if (!/^\d{1,15}$/.test(wanted)) throw notFound();
  const flag = findFlag(service, call);
  if (flag.fields['has_encrypted_payloads'] === true) return refuseEncrypted();
  if (flag.version === null) return incomplete();
  const version = Number(wanted);
  // These refusals are not in the error envelope.
  if (version < 1 || version > flag.version)
    return { status: 404, body: { detail: `There is no version ${version}; the current version is ${flag.version}.` } };
  const current = Object.fromEntries(
    Object.entries(FIELDS).map(([name, fallback]) => [name, storedValue(flag, name) ?? fallback]),
  );
  if (version === flag.version) {
    const origin = {
      version_timestamp: flag.fields['updated_at'] ?? flag.createdAt,
      modified_by: userId(flag, 'last_modified_by'),
    };
    return show(flag, current, { ...origin, is_historical: false });
  }
  const found = rewind(service, flag, { current, version });
  if (found === undefined) return incomplete();
  // The encryption may have ended since, but the activity still has the secret.
  if (found.values['has_encrypted_payloads'] === true) return refuseEncrypted();
  return show(flag, found.values, { ...found.origin, is_historical: true });
}

/** Undoes entries, newest first, down to the version; `undefined` if the entry that led to it is missing. */
function rewind(
  service: ServiceContext,
  flag: StoredFlag,
  { current, version }: { readonly current: JsonObject; readonly version: number },
): { readonly values: JsonObject; readonly origin: VersionOrigin } | undefined {
  const subject = { projectId: flag.projectId, scope: 'FeatureFlag', itemId: flag.id } as const;
  let values = current;
  for (const entry of service.store.activity.list(subject, { limit: -1, offset: 0 }).entries) {
    const changes = arrayOrEmpty(objectOrEmpty(entry['detail'])['changes']).filter(isJsonObject);
    const reached = changes.find(({ field }) => field === 'version')?.['after'];
    if (reached === version) {
      const { created_at: at = null } = entry;
      return { values, origin: { version_timestamp: at, modified_by: writerOf(service, entry) } };
    }
    if (typeof reached !== 'number') continue;
    values = { ...values, ...undone(changes) };
  }
  // No entry leads to the version of a creation.
  if (version !== 1) return undefined;
  return { values, origin: { version_timestamp: flag.createdAt, modified_by: userId(flag, 'created_by') } };
}

/** The activity names its user by the address. */
function writerOf({ store }: ServiceContext, entry: JsonObject): JsonValue {
  const { email } = objectOrEmpty(entry['user']);
  const writer = store.organization.listMembers().find(({ user }) => user['email'] === email);
  return writer?.user['id'] ?? null;
}

function undone(changes: readonly JsonObject[]): JsonObject {
  const known = changes.flatMap(({ field, before = null }): [string, JsonValue][] =>
    typeof field === 'string' && Object.hasOwn(FIELDS, field) ? [[field, before]] : [],
  );
  return Object.fromEntries(known);
}

function show(
  flag: StoredFlag,
  values: JsonObject,
  origin: VersionOrigin & { readonly is_historical: boolean },
): Answer {
  return {
    status: 200,
    body: {
      id: flag.id,
      ...values,
      last_called_at: flag.fields['last_called_at'] ?? null,
      created_at: flag.createdAt,
      created_by: userId(flag, 'created_by'),
      ...origin,
    },
  };
}

function userId(flag: StoredFlag, field: 'last_modified_by' | 'created_by'): JsonValue {
  const { id = null } = objectOrEmpty(flag.fields[field]);
  return id;
}

function incomplete(): Answer {
  return { status: 422, body: { detail: 'The activity does not lead back to this version.' } };
}

function refuseEncrypted(): Answer {
  return { status: 400, body: { detail: 'A flag with encrypted payloads shows no earlier versions.' } };
}
