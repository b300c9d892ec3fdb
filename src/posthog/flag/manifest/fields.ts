/** Converts the members of a manifest, with their places, to the fields of the service's API. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import type { PlaceTree } from '../../../base/place.ts';
import { API_NAMES, MEMBER_NAMES } from '../fields.ts';
import type { Layer } from '../../../manifest/layers.ts';
import { membersOf } from '../../../manifest/located.ts';
import { expandShorthand, isUnchecked, SHORTHAND, UNCHECKED } from './targeting.ts';

export interface FlagFields {
  readonly fields: JsonObject;
  readonly places: PlaceTree;
  /** The filters are sent as they are: not checked, and cohorts in them are ids. */
  readonly unchecked: boolean;
}

/**
 * A field under `fields` that has its own member is ignored, since it was reported as an error. Filters are taken from there
 * if the flag has no others.
 */
export function toFields(flag: Layer): FlagFields {
  const unchecked = isUnchecked(flag.value);
  const isRaw = ([name]: readonly [string, unknown]): boolean =>
    !MEMBER_NAMES.has(name) || (name === 'filters' && unchecked);
  const fields: [string, JsonValue][] = [];
  const children: [string, PlaceTree][] = [];
  const add = (name: string, value: JsonValue, places: PlaceTree): void => {
    fields.push([name, value]);
    children.push([name, places]);
  };
  for (const [member, part] of membersOf(flag)) {
    const api = API_NAMES.get(member);
    if (api !== undefined) add(api, part.value, part.places);
    else if (member === 'rollout_percentage' && !Object.hasOwn(flag.value, 'filters')) {
      const filters = expandShorthand(part);
      add('filters', filters.value, filters.places);
    } else if (member === 'fields') {
      for (const [name, field] of membersOf(part).filter(isRaw)) add(name, field.value, field.places);
    }
  }
  return {
    fields: Object.fromEntries(fields),
    places: { place: flag.places.place, children: Object.fromEntries(children) },
    unchecked,
  };
}

/** Converts a pointer in the API's names to one in the manifest's names. */
export function memberPointer(flag: Layer, apiPointer: string): string {
  const [field, ...rest] = fromPointer(apiPointer);
  if (field === undefined) return '';
  if (field === 'filters' && isUnchecked(flag.value)) return UNCHECKED + toPointer(rest);
  if (field === 'filters' && !Object.hasOwn(flag.value, 'filters')) return SHORTHAND;
  const further = flag.value['fields'];
  if (field !== 'filters' && isJsonObject(further) && Object.hasOwn(further, field))
    return toPointer(['fields', field, ...rest]);
  return toPointer([MEMBER_NAMES.get(field) ?? field, ...rest]);
}
