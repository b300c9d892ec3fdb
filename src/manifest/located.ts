/** A value with the place of each of its parts, and how its parts are read and changed. */

import { isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';
import type { Place, PlaceTree } from '../base/place.ts';

export interface Located {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

/** The members of a mapping, each with its places. */
export function membersOf(located: Located | undefined): [string, Located][] {
  if (located === undefined || !isJsonObject(located.value)) return [];
  const { value, places } = located;
  const children = places.children ?? {};
  const members: [string, Located][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const tree = Object.hasOwn(children, name) ? children[name] : undefined;
    members.push([name, { value: member, places: tree ?? { place: places.place } }]);
  }
  return members;
}

/** The mapping with each member changed, or dropped if `change` returns `undefined`; the same object if nothing changed. */
export function mapMembers(located: Located, change: (name: string, member: Located) => Located | undefined): Located {
  const members = membersOf(located);
  const changed = members.map(([name, member]) => change(name, member));
  if (isJsonObject(located.value) && members.every(([, member], index) => changed[index] === member)) return located;
  const kept = members.flatMap(([name], index): [string, Located][] => {
    const member = changed[index];
    return member === undefined ? [] : [[name, member]];
  });
  return toMapping(located.places.place, kept);
}

export function toMapping(place: Place, members: readonly (readonly [string, Located])[]): Located {
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    places: { place, children: Object.fromEntries(members.map(([name, { places }]) => [name, places])) },
  };
}

export function toList(place: Place, elements: readonly Located[]): Located {
  return {
    value: elements.map(({ value }) => value),
    places: { place, children: Object.fromEntries(elements.map(({ places }, index) => [String(index), places])) },
  };
}

/** The part of a value at a path of members; `undefined` if there is none. */
export function partAt(located: Located, path: readonly string[]): Located | undefined {
  return path.reduce<Located | undefined>(
    (outer, name) => membersOf(outer).find(([member]) => member === name)?.[1],
    located,
  );
}

/** The elements of a list, each with its places. */
export function elementsOf({ value, places }: Located): Located[] {
  if (!isJsonArray(value)) return [];
  return value.map((element, index) => ({
    value: element,
    places: places.children?.[String(index)] ?? { place: places.place },
  }));
}

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
