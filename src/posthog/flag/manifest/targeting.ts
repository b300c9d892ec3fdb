/** The members that decide who gets a flag: filters, their shorthand, unchecked filters, and an overlay's changes of parts. */

import { fromPointer, valueAt } from '../../../base/json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { partAt, type Located } from '../../../manifest/located.ts';

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

/** The members of an overlay that change single parts of the base's filters. */
export const PARTS = ['conditions', 'variants', 'payloads'] as const;

export function isPart(member: string): boolean {
  return PARTS.some((part) => part === member);
}

/** The members that lead to the filters of a layer, once a shorthand is expanded. */
export function pathTo(form: string): string[] {
  return fromPointer(form === UNCHECKED ? UNCHECKED : FILTERS);
}

/** The filters of a layer, whatever the form; `undefined` when it has none. */
export function filtersIn(layer: Located): Located | undefined {
  const [form] = isJsonObject(layer.value) ? findTargeting(layer.value) : [];
  const declared = form === undefined ? undefined : partAt(layer, fromPointer(form));
  return declared !== undefined && form === SHORTHAND ? expandShorthand(declared) : declared;
}

/** The filters that a layer declares as written, without their places. */
export function declaredFilters(layer: JsonObject): JsonObject | undefined {
  const [form] = findTargeting(layer);
  const declared = form === undefined ? undefined : valueAt(layer, form);
  const filters = form === SHORTHAND && declared !== undefined ? shorthandFor(declared) : declared;
  return isJsonObject(filters) ? filters : undefined;
}

/** The filters that a shorthand means. All of them have its place. */
export function expandShorthand({ value, places: { place } }: Located): Located {
  const condition = { place, children: { rollout_percentage: { place } } };
  return {
    value: shorthandFor(value),
    places: { place, children: { groups: { place, children: { '0': condition } } } },
  };
}

function shorthandFor(percentage: JsonValue): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: percentage }] };
}
