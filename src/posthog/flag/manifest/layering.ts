/** The layers of a flag, checked, and prepared for merging: an overlay replaces the base's filters in any form, or changes parts of them. */

import { toPointer, fromPointer, valueAt } from '../../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonValue,
  jsonEquals,
  objectOrEmpty,
  type JsonObject,
} from '../../../base/json.ts';
import {
  type Layering,
  type PreparedLayers,
  elementsOf,
  type Located,
  mapMembers,
  membersOf,
  mergePatch,
  partAt,
  toList,
  toMapping,
} from '../../../core/manifest/layers.ts';
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
  declaredFilters,
  PARTS,
} from './fields.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { membersIn, type Declaration } from '../../../core/manifest/declaration.ts';
import { API_NAMES, FLAG_FIELDS, MEMBER_NAMES, SERVICE_FIELDS } from '../model/fields.ts';
import { viewFilters } from '../model/flag.ts';
import type { FlagFinding } from '../checks/problems.ts';
import { CONSENT } from '../checks/unknown-members.ts';

/** A list of the filters in which an overlay has changed elements. */
interface ListSources {
  /** The member of the overlay. */
  readonly part: string;
  /** The members of the filters that lead to the list. */
  readonly path: readonly string[];
  /** The index in the base of each remaining element, and its name in the overlay if that changes it. */
  readonly sources: readonly { readonly index: number; readonly name?: string }[];
}

/** Where a member of changed filters may come from. */
interface Candidates {
  /** Its path in the overlay, if the overlay may have the member. */
  readonly inOverlay?: readonly string[];
  readonly inBase: readonly (string | number)[];
}

interface ListForm extends Omit<ListSources, 'sources'> {
  readonly find: (elements: JsonArray, name: string) => number[];
}

const LISTS: readonly ListForm[] = [
  { part: 'conditions', path: ['groups'], find: findConditions },
  { part: 'variants', path: ['multivariate', 'variants'], find: findVariants },
];

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
    // The overlay, or another index of the base.
    originOf: (pointer) => {
      const prefix = pathTo(form);
      const path = restAfter(prefix, fromPointer(pointer));
      if (path === undefined) return undefined;
      const { inOverlay, inBase } = locate(path, lists);
      if (inOverlay !== undefined && valueAt(overlay.value, toPointer(inOverlay)) !== undefined)
        return { layer: 'overlay', pointer: toPointer(inOverlay) };
      return { layer: 'base', pointer: form === SHORTHAND ? SHORTHAND : toPointer([...prefix, ...inBase]) };
    },
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

function changeList(
  { find, ...list }: ListForm,
  filters: Located,
  overlay: Located,
): (ListSources & { readonly changed: Located }) | undefined {
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
    if (found?.change.value === null) return [];
    if (found === undefined || !isJsonObject(found.change.value)) return [{ element, source: { index } }];
    return [{ element: mergePatch(element, found.change), source: { index, name: found.name } }];
  });
  const changed = left.map(({ element }) => element);
  return { ...list, changed: toList(part.places.place, changed), sources: left.map(({ source }) => source) };
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

/** Members of a condition that the overlay replaces, or that have no effect. */
const REPLACED: readonly string[] = ['rollout_percentage', 'description', 'sort_key'];

const EMPTY: readonly JsonValue[] = [null, [], {}, false, { variants: [] }];

/** The largest number of conditions or variants in one message. */
const MOST_SHOWN = 20;

/** Pointers of these findings are in the manifest's names, `/projects/staging/fields/name`. */
export function checkLayers(declaration: Declaration): FlagFinding[] {
  const base = membersIn(declaration);
  const overlays = Object.entries(objectOrEmpty(base['projects'])).flatMap(([project, overlay]) =>
    isJsonObject(overlay)
      ? [
          {
            overlay,
            at: toPointer(['projects', project]),
            isDeleted: (Object.hasOwn(overlay, 'deleted') ? overlay : base)['deleted'] === true,
          },
        ]
      : [],
  );
  // A `rollout_percentage` of an overlay replaces the base's filters as a whole, so it may discard nothing of them.
  const lost = overlays.length === 0 ? [] : findDiscarded(base);
  const discarding = overlays.filter(
    ({ overlay, isDeleted }) => lost.length > 0 && !isDeleted && findTargeting(overlay)[0] === SHORTHAND,
  );
  return [
    ...checkLayer(base, ''),
    ...discarding.map(({ at }): FlagFinding => ({
      code: 'overlay-discards',
      severity: 'error',
      at: at + SHORTHAND,
      args: { lost, unchecked: isUncheckedIn(base) },
    })),
    ...overlays.flatMap(({ overlay, at, isDeleted }) => {
      // Parts change the base's filters, so an overlay with its own filters has none.
      const own = [FILTERS, SHORTHAND, UNCHECKED].find((form) => valueAt(overlay, form) !== undefined);
      const parts = own === undefined ? [] : PARTS.filter((part) => Object.hasOwn(overlay, part));
      const found = [
        ...checkLayer(overlay, at),
        ...parts.map((part) => forbidden([fromPointer(own ?? '').join('.'), part], at + toPointer([part]))),
      ];
      return found.length > 0 || isDeleted ? found : checkOverlayParts(base, overlay, at);
    }),
  ];
}

function checkLayer(layer: JsonObject, at: string): FlagFinding[] {
  // Filters, their shorthand and unchecked filters mean the same, so a layer may have only one of them.
  const [first = '', ...others] = findTargeting(layer);
  return [
    ...others.map((other) =>
      forbidden(
        [first, other].map((form) => fromPointer(form).join('.')),
        at + other,
      ),
    ),
    ...Object.keys(objectOrEmpty(layer['fields'])).flatMap((field) =>
      checkField(field, at + toPointer(['fields', field])),
    ),
  ];
}

function forbidden(properties: readonly string[], at: string): FlagFinding {
  return { code: 'combination-forbidden', severity: 'error', at, args: { properties } };
}

/** The member that declares a field, for names that `fields` must not have. Unchecked filters are allowed there. */
const DECLARED_BY: ReadonlyMap<string, string> = new Map([
  ...[...API_NAMES.keys(), 'role_access', 'access', 'rollout_percentage', CONSENT[0]].map(
    (member) => [member, member] as const,
  ),
  ...MEMBER_NAMES,
  ...FLAG_FIELDS.flatMap((field) =>
    field.ownership === 'managed' && field.declaredBy !== undefined ? [[field.api, field.declaredBy] as const] : [],
  ),
]);

function checkField(field: string, at: string): FlagFinding[] {
  const member = field === 'filters' ? undefined : DECLARED_BY.get(field);
  if (member !== undefined) return [{ code: 'field-has-member', severity: 'error', at, args: { field, member } }];
  return SERVICE_FIELDS.has(field) ? [{ code: 'field-computed', severity: 'error', at, args: { field } }] : [];
}

function isUncheckedIn(base: JsonObject): boolean {
  return findTargeting(base)[0] === UNCHECKED;
}

/** The parts of the base's filters that the shorthand cannot express, as members of the filters: `payloads`. */
function findDiscarded(base: JsonObject): string[] {
  const { filters, fields } = base;
  const declared = isUncheckedIn(base) && isJsonObject(fields) ? fields['filters'] : filters;
  if (!isJsonObject(declared)) return [];
  const { groups: _groups, ...others } = declared;
  const given = (object: JsonObject): string[] =>
    Object.keys(object).filter((name) => !EMPTY.some((empty) => jsonEquals(object[name] ?? null, empty)));
  const conditions = viewFilters(declared).conditions.flatMap(({ part, at }) => {
    const index = at.slice(at.lastIndexOf('/') + 1);
    return given(part).flatMap((name) => (REPLACED.includes(name) ? [] : `groups.${index}.${name}`));
  });
  return [...conditions, ...given(others)];
}

/**
 * Checks that the base has the conditions and variants that an overlay changes, once each. `at`: the overlay's pointer. Pointers are in the
 * manifest's names. Payloads are checked once they are merged.
 */
function checkOverlayParts(base: JsonObject, overlay: JsonObject, at: string): FlagFinding[] {
  const filters = declaredFilters(base);
  if (filters === undefined) {
    return PARTS.filter((part) => isJsonObject(overlay[part])).map((part) => ({
      code: 'overlay-base-missing',
      severity: 'error',
      at: at + toPointer([part]),
      args: { member: part },
    }));
  }
  return [
    ...checkConditions(listIn(filters, '/groups'), overlay['conditions'], `${at}/conditions`),
    ...checkVariants(listIn(filters, '/multivariate/variants'), overlay['variants'], `${at}/variants`),
  ];
}

/** `undefined` for a mistake, which was reported. */
function listIn(filters: JsonObject, pointer: string): JsonArray | undefined {
  const list = valueAt(filters, pointer) ?? [];
  return isJsonArray(list) ? list : undefined;
}

function checkConditions(conditions: JsonArray | undefined, changes: JsonValue | undefined, at: string): FlagFinding[] {
  if (conditions === undefined || !isJsonObject(changes)) return [];
  const named = new Map<number, string>();
  return Object.keys(changes).flatMap((condition): FlagFinding[] => {
    const where = { severity: 'error', at: at + toPointer([condition]) } as const;
    const [index, ...others] = findConditions(conditions, condition);
    if (index === undefined) {
      const known = conditions.map((each) =>
        isJsonObject(each) && typeof each['description'] === 'string' ? each['description'] : null,
      );
      const suggestion = nearest(
        condition,
        known.filter((each) => each !== null),
      );
      const args = { condition, known: known.slice(0, MOST_SHOWN), ...defined({ suggestion }) };
      return [{ ...where, code: 'condition-unknown', args }];
    }
    if (others.length > 0) {
      const numbers = [index, ...others].map((each) => each + 1);
      return [{ ...where, code: 'condition-ambiguous', args: { condition, numbers } }];
    }
    const first = named.get(index);
    named.set(index, first ?? condition);
    return first === undefined ? [] : [{ ...where, code: 'condition-duplicate', args: { condition, first } }];
  });
}

function checkVariants(variants: JsonArray | undefined, changes: JsonValue | undefined, at: string): FlagFinding[] {
  if (variants === undefined || !isJsonObject(changes)) return [];
  const keys = variants.flatMap((each) => (isJsonObject(each) && typeof each['key'] === 'string' ? [each['key']] : []));
  return Object.keys(changes)
    .filter((variant) => findVariants(variants, variant).length === 0)
    .map((variant) => {
      const suggestion = nearest(variant, keys);
      const args = { variant, allowed: keys.slice(0, MOST_SHOWN), ...defined({ suggestion }) };
      return { code: 'variant-unknown', severity: 'error', at: at + toPointer([variant]), args };
    });
}
