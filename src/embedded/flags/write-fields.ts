/** The fields that a create or update may write, per profile. Other fields are ignored. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { invalid } from '../handler/envelope.ts';
import type { Profile } from '../handler/profile.ts';
import {
  anything,
  boolean,
  choice,
  dateTime,
  integer,
  list,
  object,
  tags,
  text,
  type FieldType,
} from './field-types.ts';

interface WriteField {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  /** `store`: null is stored. `ignore`: null counts as absent. Default: null is refused. */
  readonly null?: 'store' | 'ignore';
}

const COMMON: readonly WriteField[] = [
  { name: 'key', type: text({ maxLength: 400 }), required: true },
  { name: 'name', type: text({ blank: true }) },
  { name: 'filters', type: object },
  { name: 'deleted', type: boolean },
  { name: 'active', type: boolean },
  { name: 'created_at', type: dateTime },
  { name: 'ensure_experience_continuity', type: boolean, null: 'store' },
  { name: 'tags', type: tags, null: 'ignore' },
];

const WRITE_FIELDS: Readonly<Record<Profile, readonly WriteField[]>> = {
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
    { name: 'analytics_dashboards', type: list(integer) },
  ],
};

/** The names of the writable fields of a profile. */
export function writableNames(profile: Profile): string[] {
  return WRITE_FIELDS[profile].map((field) => field.name);
}

/** Reads and checks the fields of a body; reports the first problem. */
export function readWrite(
  body: JsonValue | undefined,
  { profile, partial }: { readonly profile: Profile; readonly partial: boolean },
): JsonObject {
  const sent = body === undefined ? {} : body;
  if (sent === null) throw invalid('null', 'No data provided', null);
  if (!isJsonObject(sent)) throw invalid('invalid_input', 'Invalid data. Expected an object.', null);
  const values: [string, JsonValue][] = [];
  for (const field of WRITE_FIELDS[profile]) {
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
