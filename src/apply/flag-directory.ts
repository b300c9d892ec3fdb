/** Keys and ids of the flags of a project while it is being changed: requests name dependencies by id. */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { mapReferences } from '../posthog/flag/references.ts';
import type { Change } from '../posthog/plan.ts';

export interface FlagDirectory {
  readonly idOf: (key: string) => number | undefined;
  /** By the key that the flag will have once the plan is applied, as in the plan's own canonical forms. */
  readonly keyOf: (id: number) => string | undefined;
  readonly add: (key: string, id: number) => void;
}

export function createDirectory(flags: readonly Flag[], changes: readonly Change[]): FlagDirectory {
  const keys = new Map(flags.map((flag) => [flag.id, flag.key]));
  for (const change of changes) {
    if (change.resource === 'flag' && change.action !== 'create') keys.set(change.id, change.key);
  }
  const ids = new Map([...keys].map(([id, key]) => [key, id]));
  return {
    idOf: (key) => ids.get(key),
    keyOf: (id) => keys.get(id),
    add: (key, id) => {
      keys.set(id, key);
      ids.set(key, id);
    },
  };
}

/** A body as the service takes it, or the first dependency whose flag does not exist. */
export function resolveBody(body: JsonObject, directory: FlagDirectory): { body: JsonObject } | { missing: string } {
  const { filters } = body;
  if (!isJsonObject(filters)) return { body };
  const missing: string[] = [];
  const resolved = mapReferences(filters, {
    flag: (reference) => {
      if (typeof reference === 'number') return String(reference);
      const id = directory.idOf(reference);
      if (id === undefined) missing.push(reference);
      return String(id);
    },
  });
  return missing[0] === undefined ? { body: { ...body, filters: resolved } } : { missing: missing[0] };
}
