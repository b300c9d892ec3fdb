/** What a flag's change is to bring about, and how much of that is not so yet: staleness, resume, undo and verification. */

import { definedKeys, isJsonObject, type JsonObject } from '../../base/json.ts';
import { compareFields } from './comparison.ts';
import { findPartOwner } from './ownership.ts';
import type { Names } from '../../engine/snapshot.ts';
import type { Difference } from '../../engine/diff.ts';
import type { FlagChange } from '../plan.ts';

/** Where `live`, in comparable form, is not yet as the change makes it; empty once the change is in effect. */
export function missingEffect(change: FlagChange, live: JsonObject, names: Names): Difference[] {
  return compareFields(effectOf(change), live, names);
}

/**
 * The fields that the change is about. Parts of `filters` that other products own are carried along in what is sent, and
 * the service may drop them: they are nothing that the change wants. (docs/service.md, "Filters")
 */
export function effectOf(change: FlagChange): JsonObject {
  return withoutCarriedParts(change.body, change);
}

/** The same fields without the parts of `filters` that the change only carries along. */
export function withoutCarriedParts(fields: JsonObject, { fields: changed }: Pick<FlagChange, 'fields'>): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const isChanged = (part: string): boolean =>
    changed.some(({ path }) => path === '/filters' || `${path}/`.startsWith(`/filters/${part}/`));
  const own = definedKeys(filters).filter((part) => findPartOwner(part, isChanged(part)) === 'manifest');
  return { ...fields, filters: Object.fromEntries(own.map((part) => [part, filters[part]])) };
}
