/** Reads the values in requests that write persons. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Call, ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';

/** The body; an empty object without one. */
export function readObjectBody({ body = {} }: Pick<Call, 'body'>): JsonObject {
  if (body === null) throw invalid('null', 'No data provided', null);
  if (!isJsonObject(body)) throw invalidInput('Invalid data. Expected an object.');
  return body;
}

/** `properties` of the body; `undefined` without them. */
export function readSentProperties(call: Call): JsonObject | undefined {
  const { properties } = readObjectBody(call);
  if (properties === undefined) return undefined;
  if (!isJsonObject(properties)) throw invalid('not_a_dict', 'Expected an object of items.', 'properties');
  return properties;
}

/** A value of the body, or where the profile allows it of the query, as a string. */
export function parameter({ rules }: ServiceContext, call: Call, name: string): JsonValue | undefined {
  const sent = readObjectBody(call);
  if (Object.hasOwn(sent, name)) return sent[name];
  return rules.personParameters === 'body' ? undefined : (call.query.get(name) ?? undefined);
}

/** The 400 for a missing value. */
export function required({ rules }: ServiceContext, name: string): Error {
  const text = 'This field is required.';
  return rules.personRefusals === 'swapped' ? invalid(text, 'required', name) : invalid('required', text, name);
}
