/** JSON Merge Patch (RFC 7396) on values and their places together. */

import { isJsonObject, type JsonValue } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';
import { membersOf, type Located } from './located.ts';

/** The patch replaces parts of the base: null removes, mappings are merged, lists are replaced whole. */
export function mergePatch(base: Located | undefined, patch: Located): Located {
  if (!isJsonObject(patch.value)) return patch;
  const original = base !== undefined && isJsonObject(base.value) ? base : undefined;
  const values = new Map<string, JsonValue>();
  const places = new Map<string, PlaceTree>();
  for (const [name, part] of membersOf(original)) {
    values.set(name, part.value);
    places.set(name, part.places);
  }
  for (const [name, part] of membersOf(patch)) {
    if (part.value === null) {
      values.delete(name);
      places.delete(name);
      continue;
    }
    const before = values.get(name);
    const tree = places.get(name);
    const merged = mergePatch(
      before === undefined || tree === undefined ? undefined : { value: before, places: tree },
      part,
    );
    values.set(name, merged.value);
    places.set(name, merged.places);
  }
  const place = (original ?? patch).places.place;
  return { value: Object.fromEntries(values), places: { place, children: Object.fromEntries(places) } };
}
