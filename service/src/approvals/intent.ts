/** The content of a change request, as its `intent` and for people; encrypted payloads are kept apart from both. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { GatedAction } from '../store/approvals.ts';
import { countedVersion, type StoredFlag } from '../store/flag.ts';
import type { CheckedWrite } from './actions.ts';
import { gatedValuesOf, triggeredPaths, valuesByPath, type GatedValues } from './gated-values.ts';

export interface RequestedWrite extends CheckedWrite {
  /** An action on the flag keeps outdated members of `filters`, and the approved write does too. */
  readonly keepsOutdated?: boolean;
}

/** The value that callers without the secret read instead of an encrypted payload. */
const SECRET_MARK = '"********* (encrypted)"';

export function buildIntent(action: GatedAction, write: RequestedWrite): JsonObject {
  const { before, values, after } = write;
  const isUpdate = action === 'feature_flag.update';
  const gated = gatedValuesOf(before, after);
  return {
    flag_id: before?.id ?? null,
    flag_key: before?.key ?? values['key'] ?? null,
    current_state: isUpdate ? { ...gated.before } : { active: before?.active ?? false },
    gated_changes: isUpdate ? { ...gated.after } : activeIn(values),
    ...(isUpdate && { triggered_paths: triggeredPaths(gated) }),
    full_request_data: withoutSecrets(write),
    preconditions: preconditionsOf(before),
    ...(!isUpdate && { skip_opportunistic_filter_cleanup: write.keepsOutdated === true }),
    http_method: before === undefined ? 'POST' : 'PATCH',
  };
}

function activeIn({ active }: JsonObject): JsonObject {
  return active === undefined ? {} : { active };
}

/** An approved write applies only to this version. */
function preconditionsOf(before: StoredFlag | undefined): JsonObject {
  if (before === undefined) return { version: null, updated_at: null };
  return { version: countedVersion(before), updated_at: before.fields['updated_at'] ?? null };
}

/** The values of a write, with marks instead of payloads to encrypt. */
function withoutSecrets({ values, after }: CheckedWrite): JsonObject {
  const secrets = secretsOf({ values, after });
  const { filters } = values;
  if (!isJsonObject(filters) || Object.keys(secrets).length === 0) return values;
  const marked = Object.keys(secrets).map((name) => [name, SECRET_MARK] as const);
  const payloads = { ...objectOrEmpty(filters['payloads']), ...Object.fromEntries(marked) };
  return { ...values, filters: { ...filters, payloads } };
}

/** The payloads to encrypt, by name. */
export function secretsOf({ values, after }: Pick<CheckedWrite, 'values' | 'after'>): JsonObject {
  if (after.fields['has_encrypted_payloads'] !== true) return {};
  const { payloads } = objectOrEmpty(values['filters']);
  return Object.fromEntries(Object.entries(objectOrEmpty(payloads)).filter(([, value]) => value !== SECRET_MARK));
}

/** The content for the page of the request. */
export function displayIntent(action: GatedAction, intent: JsonObject): JsonObject {
  const { current_state: before = {}, gated_changes: gated = {}, full_request_data: asked = {} } = intent;
  const key = typeof intent['flag_key'] === 'string' ? intent['flag_key'] : '';
  if (action !== 'feature_flag.update') {
    const verb = action === 'feature_flag.enable' ? 'Enable' : 'Disable';
    return { description: `${verb} the flag ${key}.`, before, after: asked };
  }
  const paths = (intent['triggered_paths'] ?? []) as string[];
  const moves = paths.map((path) => moveText(before as GatedValues, gated as GatedValues, path));
  const description = `Change who gets the flag ${key}: ${moves.join('; ')}.`;
  return { description, before, after: gated, triggered_paths: paths };
}

function moveText(before: GatedValues, after: GatedValues, path: string): string {
  const [old, now] = [before, after].map(({ rollout_percentage: percentages }) => valuesByPath(percentages).get(path));
  if (old === undefined && now === undefined) return path;
  const text = (value: JsonValue | undefined): string => (value === undefined ? 'none' : `${stringifyJson(value)}%`);
  return `${path}: ${text(old)} to ${text(now)}`;
}
