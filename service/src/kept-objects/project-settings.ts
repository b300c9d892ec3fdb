/** A project with its settings, of which the service keeps some and follows none. */

import { plainText } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { boolean, integer, list, text, type FieldType } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { describeProject } from '../organization/serialize.ts';

const SETTINGS: readonly (BodyField & { readonly fallback: JsonValue })[] = [
  { name: 'app_urls', type: addresses, fallback: [] },
  { name: 'recording_domains', type: addresses, null: 'store', fallback: null },
  { name: 'heatmaps_opt_in', type: boolean, null: 'store', fallback: null },
  { name: 'autocapture_exceptions_opt_in', type: boolean, null: 'store', fallback: null },
  { name: 'autocapture_web_vitals_opt_in', type: boolean, null: 'store', fallback: null },
  { name: 'session_recording_opt_in', type: boolean, fallback: false },
  { name: 'surveys_opt_in', type: boolean, null: 'store', fallback: null },
  { name: 'cookieless_server_hash_mode', type: hashMode, null: 'store', fallback: 0 },
];

/** The fields that a request may write. */
export const SETTING_FIELDS: readonly BodyField[] = SETTINGS;

export function getSettings(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeSettings(call.projectId, storedSettings(service, call)) };
}

export function updateSettings(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const before = storedSettings(service, call);
    const fields = { ...before, ...readFields(call.body, SETTING_FIELDS) };
    const place = { ...placeOf(call), id: call.projectId };
    if (store.keptObjects.find(place, call.projectId) === undefined) store.keptObjects.insert({ ...place, fields });
    else store.keptObjects.update({ ...place, fields });
    return { status: 200, body: serializeSettings(call.projectId, fields) };
  });
}

function placeOf({ projectId }: Call): { readonly kind: string; readonly projectId: string } {
  return { kind: 'project_settings', projectId };
}

function storedSettings({ store }: ServiceContext, call: Call): JsonObject {
  return store.keptObjects.find(placeOf(call), call.projectId)?.fields ?? {};
}

function serializeSettings(projectId: string, stored: JsonObject): JsonObject {
  const fallbacks: JsonObject = Object.fromEntries(SETTINGS.map(({ name, fallback }) => [name, fallback]));
  return { ...describeProject(projectId), ...fallbacks, ...stored };
}

/** Empty addresses are dropped. */
function addresses(sent: JsonValue, name: string): JsonValue {
  const element: FieldType = (value, part) =>
    value === null ? '' : text({ maxLength: 200, blank: true })(value, part);
  return arrayOrEmpty(list(element)(sent, name)).filter((address) => plainText(address) !== '');
}

function hashMode(sent: JsonValue, name: string): JsonValue {
  const mode = integer(sent, name);
  if (mode === 0 || mode === 1 || mode === 2) return mode;
  throw invalid('invalid_choice', `"${plainText(mode)}" is not a valid choice.`, name);
}
