/** A flag's body as the service takes it: a plan names dependencies by key and new cohorts by alias, a request names ids. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Impossible } from '../../engine/writer.ts';
import { readReference } from '../filter-tree.ts';
import { mapReferences } from './references.ts';

/** Ids of what a plan names. */
export interface IdLookup {
  readonly flag: (key: string) => number | undefined;
  readonly cohort: (alias: string) => number | undefined;
}

/** The first flag or cohort that does not exist. */
export type MissingReference = { readonly flag: string } | { readonly cohort: string };

/** The body with ids, where everything that it names exists. */
export function withIds(body: JsonObject, ids: IdLookup): JsonObject {
  const resolved = resolveBody(body, ids);
  return 'missing' in resolved ? body : resolved.body;
}

/** The body with ids, or what does not exist. */
export function resolveBody(
  body: JsonObject,
  ids: IdLookup,
): { readonly body: JsonObject } | { readonly missing: MissingReference } {
  const { filters } = body;
  if (!isJsonObject(filters)) return { body };
  const missing: MissingReference[] = [];
  const resolved = mapReferences(filters, {
    flag: (reference) => {
      if (typeof reference === 'number') return String(reference);
      const id = ids.flag(reference);
      if (id === undefined) missing.push({ flag: reference });
      return String(id);
    },
    cohort: (value) => {
      const reference = readReference(value);
      if (typeof reference !== 'string') return value;
      const id = ids.cohort(reference);
      if (id === undefined) missing.push({ cohort: reference });
      return id ?? value;
    },
  });
  return missing[0] === undefined ? { body: { ...body, filters: resolved } } : { missing: missing[0] };
}

/** The reason that a change with such a reference cannot be sent. */
export function missingReference(missing: MissingReference): Impossible {
  const [code, name] =
    'cohort' in missing
      ? ['cohort_missing', `cohort ${missing.cohort}`]
      : ['dependency_missing', `flag ${missing.flag}`];
  const message = `The ${name}, which a condition names, does not exist.`;
  return { impossible: { code, message, field: 'filters' } };
}
