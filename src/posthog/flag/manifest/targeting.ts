/** The members that decide who gets a flag: filters, their shorthand, and unchecked filters. */

import { isJsonObject, type JsonObject } from '../../../base/json.ts';

export const FILTERS = '/filters';
export const SHORTHAND = '/rollout_percentage';
/** Filters that the service holds although its current rules refuse them: compared and sent as they are. */
export const UNCHECKED = '/fields/filters';

/** Pointers to the forms that a layer has; more than one is a mistake. */
export function findTargeting(layer: JsonObject): string[] {
  const { filters, fields, rollout_percentage: rollout } = layer;
  return [
    ...(isJsonObject(filters) ? [FILTERS] : []),
    ...(typeof rollout === 'number' ? [SHORTHAND] : []),
    ...(isJsonObject(fields) && isJsonObject(fields['filters']) ? [UNCHECKED] : []),
  ];
}

/** Whether the filters of a flag, after merging its layers, are unchecked. */
export function isUnchecked(layer: JsonObject): boolean {
  return findTargeting(layer).join() === UNCHECKED;
}
