/** Finds the conditions and variants that the names of an overlay mean. */

import { isJsonObject, memberOf, type JsonValue } from '../../../base/json.ts';

/**
 * The indices of the conditions that a name means; a mistake unless there is one. Conditions are counted from 1, and only a
 * name that is no number is a description.
 */
export function findConditions(conditions: readonly JsonValue[], name: string): number[] {
  if (/^\d+$/.test(name)) return [Number(name) - 1].filter((index) => index in conditions);
  return indicesOf(conditions, 'description', name);
}

/** A key that two variants have means the first: the second is reported as a mistake. */
export function findVariants(variants: readonly JsonValue[], key: string): number[] {
  return indicesOf(variants, 'key', key).slice(0, 1);
}

function indicesOf(parts: readonly JsonValue[], member: string, value: string): number[] {
  return parts.flatMap((part, index) => (isJsonObject(part) && memberOf(part, member) === value ? [index] : []));
}
