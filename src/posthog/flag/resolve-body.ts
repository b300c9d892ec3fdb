/** A flag's body as the service takes it: a plan names dependencies by key, a request by id. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { mapReferences } from './references.ts';

/** The body with ids, where every dependency exists. */
export function withIds(body: JsonObject, idOf: (key: string) => number | undefined): JsonObject {
  const resolved = resolveBody(body, idOf);
  return 'missing' in resolved ? body : resolved.body;
}

/** The body with ids, or the first dependency whose flag does not exist. */
export function resolveBody(
  body: JsonObject,
  idOf: (key: string) => number | undefined,
): { readonly body: JsonObject } | { readonly missing: string } {
  const { filters } = body;
  if (!isJsonObject(filters)) return { body };
  const missing: string[] = [];
  const resolved = mapReferences(filters, {
    flag: (reference) => {
      if (typeof reference === 'number') return String(reference);
      const id = idOf(reference);
      if (id === undefined) missing.push(reference);
      return String(id);
    },
  });
  return missing[0] === undefined ? { body: { ...body, filters: resolved } } : { missing: missing[0] };
}
