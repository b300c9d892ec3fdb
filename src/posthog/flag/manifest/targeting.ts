/** The members that say who gets a flag: filters, the shorthand for them, and filters that are not checked. */

import { isJsonObject, type JsonObject } from '../../../base/json.ts';

export const FILTERS = '/filters';
export const SHORTHAND = '/rollout_percentage';
/** Filters such as a service holds although its rules of today refuse them: compared and sent as they stand. */
export const UNCHECKED = '/fields/filters';

/** Pointers to those of them that a layer of a flag has; more than one is a mistake. */
export function targetingOf(layer: JsonObject): string[] {
  const { filters, fields, rollout_percentage: rollout } = layer;
  return [
    ...(isJsonObject(filters) ? [FILTERS] : []),
    ...(typeof rollout === 'number' ? [SHORTHAND] : []),
    ...(isJsonObject(fields) && isJsonObject(fields['filters']) ? [UNCHECKED] : []),
  ];
}

/** Whether the filters of a flag, its layers merged, are taken as they stand. */
export function isUnchecked(layer: JsonObject): boolean {
  return targetingOf(layer).join() === UNCHECKED;
}
