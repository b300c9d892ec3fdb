/** The declared fields of which an earlier declaration said something. */

import { objectFrom, type JsonObject, type JsonValue } from '../base/json.ts';

export function knownFields(fields: JsonObject, former: JsonObject): JsonObject {
  const known = Object.entries(fields).filter(([field]) => field === 'key' || Object.hasOwn(former, field));
  return objectFrom(known as [string, JsonValue][]);
}
