/** A flag as it was at an earlier version, reconstructed backwards from the activity. */

import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { findFlag } from '../flags/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';

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
