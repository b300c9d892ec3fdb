/** Reads the fields of a body, and those that a write of a flag may send, by a table of names and types. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import {
  type FieldType,
  anything,
  boolean,
  choice,
  dateTime,
  list,
  object,
  reference,
  tags,
  text,
} from './field-types.ts';
import type { Call } from '../handler/call.ts';
import type { Profile } from '../handler/profile.ts';

export interface BodyField {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  /** `store`: null is kept. `ignore`: null counts as absent. Default: null is refused. */
  readonly null?: 'store' | 'ignore';
}

/** The checked values; members without a field are ignored. With `partial`, required fields can be absent. */
export function readFields(
  body: JsonValue | undefined,
  fields: readonly BodyField[],
  { partial = false }: { readonly partial?: boolean } = {},
): JsonObject {
  const sent = body === undefined ? {} : body;
  if (sent === null) throw invalid('null', 'No data provided', null);
  if (!isJsonObject(sent)) throw invalidInput('Invalid data. Expected an object.');
  const values: [string, JsonValue][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
    if (value === undefined) {
      if (field.required && !partial) throw invalid('required', 'This field is required.', field.name);
    } else if (value !== null) {
      values.push([field.name, field.type(value, field.name)]);
    } else if (field.null === 'store') {
      values.push([field.name, null]);
    } else if (field.null !== 'ignore') {
      throw invalid('null', 'This field may not be null.', field.name);
    }
  }
  return Object.fromEntries(values);
}

const COMMON: readonly BodyField[] = [
  { name: 'key', type: text({ maxLength: 400 }), required: true },
  { name: 'name', type: text({ blank: true }) },
  { name: 'filters', type: object },
  { name: 'deleted', type: boolean },
  { name: 'active', type: boolean },
  { name: 'created_at', type: dateTime },
  { name: 'ensure_experience_continuity', type: boolean, null: 'store' },
  { name: 'tags', type: tags, null: 'ignore' },
];

const WRITE_FIELDS: Readonly<Record<Profile, readonly BodyField[]>> = {
  documented: [
    ...COMMON,
    { name: 'rollback_conditions', type: anything, null: 'store' },
    { name: 'performed_rollback', type: boolean, null: 'store' },
  ],
  posthog: [
    ...COMMON,
    { name: 'archived', type: boolean },
    { name: 'evaluation_contexts', type: list(text({ maxLength: 255 }), { maxLength: 50 }) },
    { name: 'evaluation_runtime', type: choice(['server', 'client', 'all']), null: 'store' },
    { name: 'bucketing_identifier', type: choice(['distinct_id', 'device_id']), null: 'store' },
    { name: 'is_remote_configuration', type: boolean, null: 'store' },
    { name: 'has_encrypted_payloads', type: boolean, null: 'store' },
    { name: 'has_enriched_analytics', type: boolean, null: 'store' },
    { name: 'analytics_dashboards', type: list(reference) },
  ],
};

/** The names of the writable fields of a profile. */
export function writableNames(profile: Profile): string[] {
  return WRITE_FIELDS[profile].map((field) => field.name);
}

/**
 * The fields of a flag in a body. A form has no filters, which counts as empty ones, and a form that creates a flag
 * without `active` disables it: the service reads a missing checkbox as false.
 */
export function flagBody(
  { body, isForm }: Pick<Call, 'body' | 'isForm'>,
  { isNew }: { readonly isNew: boolean },
): JsonValue | undefined {
  if (isForm !== true || !isJsonObject(body)) return body;
  return { ...(isNew && { active: false }), ...body, filters: {} };
}

/** Reads and checks the fields of a body; reports the first problem. */
export function readWrite(
  body: JsonValue | undefined,
  { profile, partial }: { readonly profile: Profile; readonly partial: boolean },
): JsonObject {
  return readFields(body, WRITE_FIELDS[profile], { partial });
}
