/** The effect of a flag's change, and which of it is missing: for staleness, resume, undo and verification. */

import { definedKeys, isJsonObject, type JsonObject } from '../../base/json.ts';
import { compareFields } from './comparison.ts';
import { findPartOwner } from './ownership.ts';
import type { Names } from '../../engine/snapshot.ts';
import type { Difference } from '../../engine/diff.ts';
import type { FlagChange } from '../plan.ts';

/** Where `live`, in comparable form, lacks the effect of the change; empty once the change is in effect. */
export function missingEffect(change: FlagChange, live: JsonObject, names: Names): Difference[] {
  return compareFields(effectOf(change), live, names);
}

/**
 * The fields that the change is about. A body also repeats parts of `filters` that other products own; the service may drop
 * them, so they are not part of the effect. (docs/service.md, "Filters")
 */
export function effectOf(change: FlagChange): JsonObject {
  return withoutCarriedParts(change.body, change);
}

/** The same fields without the parts of `filters` that the change only repeats. */
export function withoutCarriedParts(fields: JsonObject, { fields: changed }: Pick<FlagChange, 'fields'>): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const isChanged = (part: string): boolean =>
    changed.some(({ path }) => path === '/filters' || `${path}/`.startsWith(`/filters/${part}/`));
  const own = definedKeys(filters).filter((part) => findPartOwner(part, isChanged(part)) === 'manifest');
  return { ...fields, filters: Object.fromEntries(own.map((part) => [part, filters[part]])) };
}
