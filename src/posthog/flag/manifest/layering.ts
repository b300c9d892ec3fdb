/** The layers of a flag, prepared for merging: an overlay replaces the base's filters in any form, or changes parts of them. */

import { toPointer, fromPointer, valueAt } from '../../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonValue } from '../../../base/json.ts';
import type { Layering, PreparedLayers, LayerOrigin } from '../../../manifest/layers.ts';
import {
  elementsOf,
  type Located,
  mapMembers,
  membersOf,
  mergePatch,
  partAt,
  toList,
  toMapping,
} from '../../../manifest/located.ts';
import {
  FILTERS,
  filtersIn,
  findConditions,
  findTargeting,
  findVariants,
  isPart,
  pathTo,
  SHORTHAND,
  UNCHECKED,
} from './fields.ts';

/** A list of the filters in which an overlay has changed elements. */
interface ListSources {
  /** The member of the overlay. */
  readonly part: string;
  /** The members of the filters that lead to the list. */
  readonly path: readonly string[];
  /** The index in the base of each remaining element, and its name in the overlay if that changes it. */
  readonly sources: readonly { readonly index: number; readonly name?: string }[];
}

interface ChangedFilters {
  /** The form of the base's filters. */
  readonly form: string;
  readonly lists: readonly ListSources[];
  readonly overlay: JsonValue;
}

/** Where a member of changed filters may come from. */
interface Candidates {
  /** Its path in the overlay, if the overlay may have the member. */
  readonly inOverlay?: readonly string[];
  readonly inBase: readonly (string | number)[];
}

interface ListForm {
  readonly part: 'conditions' | 'variants';
  /** The members of the filters that lead to the list. */
  readonly path: readonly string[];
  readonly find: (elements: JsonArray, name: string) => number[];
}

const LISTS: readonly ListForm[] = [
  { part: 'conditions', path: ['groups'], find: findConditions },
  { part: 'variants', path: ['multivariate', 'variants'], find: findVariants },
];

interface ChangedList extends ListSources {
  readonly changed: Located;
}

export const layering: Layering = {
  prepare: (base, overlay) => applyParts(withoutReplaced(base, overlay.value), overlay),
};

/** The three forms declare the same filters, so the form that an overlay uses replaces the whole of the base's. */
function withoutReplaced(base: Located, overlay: JsonValue): Located {
  const [declared] = isJsonObject(overlay) ? findTargeting(overlay) : [];
  if (declared === undefined) return base;
  const replaced = [FILTERS, SHORTHAND, UNCHECKED].filter((form) => form !== declared || form === UNCHECKED);
  const isReplaced = (...path: string[]): boolean => replaced.includes(toPointer(path));
  return mapMembers(base, (name, member) => {
    if (isReplaced(name)) return undefined;
    if (name !== 'fields' || !isJsonObject(member.value)) return member;
    return mapMembers(member, (field, located) => (isReplaced(name, field) ? undefined : located));
  });
}

/** A name that finds nothing changes nothing: `checks/layers.ts` reports it. */
function applyParts(base: Located, overlay: Located): PreparedLayers {
  if (!membersOf(overlay).some(([name]) => isPart(name))) return { base, overlay };
  const others = mapMembers(overlay, (name, member) => (isPart(name) ? undefined : member));
  const filters = filtersIn(base);
  const form = formOf(base);
  if (filters === undefined || form === undefined || formOf(overlay) !== undefined) return { base, overlay: others };
  const lists = LISTS.flatMap((list) => changeList(list, filters, overlay) ?? []);
  const changes = [
    ...(form === SHORTHAND ? membersOf(filters) : []),
    ...lists.map(({ path, changed }) => nest(path, changed)),
    ...membersOf(overlay).filter(([name, { value }]) => name === 'payloads' && isJsonObject(value)),
  ];
  const patch = nest(pathTo(form), toMapping(filters.places.place, changes));
  const kept = mapMembers(base, (name, member) => (toPointer([name]) === SHORTHAND ? undefined : member));
  return {
    base: mergePatch(kept, toMapping(base.places.place, [patch])),
    overlay: others,
    originOf: (pointer) => originOfPart(fromPointer(pointer), { form, lists, overlay: overlay.value }),
  };
}

function formOf({ value }: Located): string | undefined {
  return isJsonObject(value) ? findTargeting(value)[0] : undefined;
}

/** The member that leads along a path to a value. */
function nest(path: readonly string[], value: Located): [string, Located] {
  const [first = '', ...rest] = path;
  return [first, rest.length === 0 ? value : toMapping(value.places.place, [nest(rest, value)])];
}

function changeList({ find, ...list }: ListForm, filters: Located, overlay: Located): ChangedList | undefined {
  const before = partAt(filters, list.path);
  const part = partAt(overlay, [list.part]);
  if (before === undefined || part === undefined || !isJsonArray(before.value)) return undefined;
  const elements = before.value;
  const named = membersOf(part).flatMap(([name, change]) => {
    const [index, ...others] = find(elements, name);
    return index === undefined || others.length > 0 ? [] : [{ index, name, change }];
  });
  const left = elementsOf(before).flatMap((element, index) => {
    const found = named.find((each) => each.index === index);
    if (found === undefined || !isChange(found.change)) return [{ element, source: { index } }];
    if (found.change.value === null) return [];
    return [{ element: mergePatch(element, found.change), source: { index, name: found.name } }];
  });
  return {
    ...list,
    changed: toList(
      part.places.place,
      left.map(({ element }) => element),
    ),
    sources: left.map(({ source }) => source),
  };
}

function isChange({ value }: Located): boolean {
  return value === null || isJsonObject(value);
}

/** Finds the origin of a member of changed filters: the overlay, or another index of the base. `pointer`: in the changed flag. */
function originOfPart(pointer: readonly string[], { form, lists, overlay }: ChangedFilters): LayerOrigin | undefined {
  const prefix = pathTo(form);
  const path = restAfter(prefix, pointer);
  if (path === undefined) return undefined;
  const { inOverlay, inBase } = locate(path, lists);
  if (inOverlay !== undefined && valueAt(overlay, toPointer(inOverlay)) !== undefined) {
    return { layer: 'overlay', pointer: toPointer(inOverlay) };
  }
  return { layer: 'base', pointer: form === SHORTHAND ? SHORTHAND : toPointer([...prefix, ...inBase]) };
}

function locate(path: readonly string[], lists: readonly ListSources[]): Candidates {
  if (path[0] === 'payloads') return { inOverlay: path, inBase: path };
  const list = lists.find((each) => restAfter(each.path, path) !== undefined);
  if (list === undefined) return { inBase: path };
  const [index, ...member] = path.slice(list.path.length);
  if (index === undefined) return { inOverlay: [list.part], inBase: path };
  const source = list.sources[Number(index)];
  if (source === undefined) return { inBase: path };
  const inBase = [...list.path, source.index, ...member];
  // The element itself keeps its place in the base.
  return source.name === undefined || member.length === 0
    ? { inBase }
    : { inBase, inOverlay: [list.part, source.name, ...member] };
}

/** The segments after a prefix; `undefined` if the pointer does not begin with it. */
function restAfter(prefix: readonly string[], pointer: readonly string[]): readonly string[] | undefined {
  return prefix.every((segment, index) => pointer[index] === segment) ? pointer.slice(prefix.length) : undefined;
}
