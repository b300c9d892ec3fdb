/** Reads a body by a table of fields, and reports the first problem as Django REST Framework does. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { FieldType } from './field-types.ts';

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
