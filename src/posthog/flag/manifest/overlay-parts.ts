/** Applies the members of an overlay that change single conditions, variants and payloads of the base's filters. */

import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonArray } from '../../../base/json.ts';
import type { Layers, PreparedLayers } from '../../../manifest/layers.ts';
import {
  elementsOf,
  mapMembers,
  membersOf,
  partAt,
  toList,
  toMapping,
  type Located,
} from '../../../manifest/located.ts';
import { mergePatch } from '../../../manifest/merge-patch.ts';
import { findConditions, findVariants } from './find-part.ts';
import { originOfPart, type ListSources } from './part-origins.ts';
import { filtersIn, findTargeting, isPart, pathTo, SHORTHAND } from './targeting.ts';

/** Mistakes are reported by `checks/overlay-parts.ts`; here a name that finds nothing changes nothing. */
export function applyParts({ base, overlay }: Layers): PreparedLayers {
  if (overlay === undefined || !membersOf(overlay).some(([name]) => isPart(name))) return { base, overlay };
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
