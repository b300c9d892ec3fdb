/** Checks a flag as it is written, before a project is considered: the members of each of its layers. */

import { fromPointer, toPointer, valueAt } from '../../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectOrEmpty,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { membersIn, type Declaration } from '../../../manifest/declaration.ts';
import { API_NAMES, FLAG_FIELDS, MEMBER_NAMES, SERVICE_FIELDS } from '../model/fields.ts';
import {
  declaredFilters,
  FILTERS,
  findConditions,
  findTargeting,
  findVariants,
  PARTS,
  SHORTHAND,
  UNCHECKED,
} from './fields.ts';
import { viewFilters } from '../model/view.ts';
import type { FlagFinding } from '../checks/problems.ts';
import { CONSENT } from '../checks/unknown-members.ts';

/** Members of a condition that the overlay replaces, or that have no effect. */
const REPLACED: readonly string[] = ['rollout_percentage', 'description', 'sort_key'];

const EMPTY: readonly JsonValue[] = [[], {}, false, { variants: [] }];

/** The largest number of conditions or variants in one message. */
const MOST_SHOWN = 20;

/** Pointers of these findings are in the manifest's names, `/projects/staging/fields/name`. */
export function checkLayers(declaration: Declaration): FlagFinding[] {
  const members = membersIn(declaration);
  const overlays = Object.entries(objectOrEmpty(members['projects']));
  return [
    ...checkLayer(members, ''),
    ...checkOverlayRollouts(members, overlays as [string, JsonValue][]),
    ...overlays.flatMap(([project, overlay]) =>
      isJsonObject(overlay) ? checkOverlay(members, overlay, toPointer(['projects', project])) : [],
    ),
  ];
}

function checkOverlay(base: JsonObject, overlay: JsonObject, at: string): FlagFinding[] {
  const found = [...checkLayer(overlay, at), ...checkPartsAlone(overlay, at)];
  return found.length > 0 || isDeletedBy(base, overlay) ? found : checkOverlayParts(base, overlay, at);
}

/** Parts change the base's filters, so an overlay with its own filters has none. */
function checkPartsAlone(overlay: JsonObject, at: string): FlagFinding[] {
  const own = [FILTERS, SHORTHAND, UNCHECKED].find((form) => valueAt(overlay, form) !== undefined);
  if (own === undefined) return [];
  return PARTS.filter((part) => Object.hasOwn(overlay, part)).map((part) => ({
    code: 'combination-forbidden',
    severity: 'error',
    at: at + toPointer([part]),
    args: { properties: [fromPointer(own).join('.'), part] },
  }));
}

function checkLayer(layer: JsonObject, at: string): FlagFinding[] {
  const fields = objectOrEmpty(layer['fields']);
  return [
    ...checkTargeting(layer, at),
    ...Object.keys(fields).flatMap((field) => checkField(field, at + toPointer(['fields', field]))),
  ];
}

/** Filters, their shorthand and unchecked filters mean the same, so a layer may have only one of them. */
function checkTargeting(layer: JsonObject, at: string): FlagFinding[] {
  const [first, ...others] = findTargeting(layer);
  return others.map((other) => {
    const properties = [first, other].map((pointer = '') => fromPointer(pointer).join('.'));
    return { code: 'combination-forbidden', severity: 'error', at: at + other, args: { properties } };
  });
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

/**
 * Refuses a `rollout_percentage` of an overlay that would discard something of the base's filters, which it replaces as a whole. Pointers
 * are in the manifest's names.
 */
function checkOverlayRollouts(base: JsonObject, overlays: readonly [string, JsonValue][]): FlagFinding[] {
  const lost = overlays.length === 0 ? [] : findDiscarded(base);
  if (lost.length === 0) return [];
  return overlays.flatMap(([project, overlay]): FlagFinding[] => {
    if (!isJsonObject(overlay) || findTargeting(overlay)[0] !== SHORTHAND || isDeletedBy(base, overlay)) return [];
    const at = toPointer(['projects', project]) + SHORTHAND;
    return [{ code: 'overlay-discards', severity: 'error', at, args: { lost, unchecked: isUncheckedIn(base) } }];
  });
}

/** Whether the flag is declared as deleted in the project of an overlay. */
function isDeletedBy(base: JsonObject, overlay: JsonObject): boolean {
  return ('deleted' in overlay ? overlay : base)['deleted'] === true;
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
  const conditions = viewFilters(declared).conditions.flatMap(({ part, at }) =>
    Object.entries(part)
      .filter(([name, value]) => !REPLACED.includes(name) && !isEmpty(value as JsonValue))
      .map(([name]) =>
        fromPointer(at + toPointer([name]))
          .slice(1)
          .join('.'),
      ),
  );
  const parts = Object.entries(others).filter(([, value]) => !isEmpty(value as JsonValue));
  return [...conditions, ...parts.map(([name]) => name)];
}

function isEmpty(value: JsonValue): boolean {
  return value === null || EMPTY.some((empty) => jsonEquals(value, empty));
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
    if (index === undefined) return [{ ...where, code: 'condition-unknown', args: unknown(condition, conditions) }];
    if (others.length > 0) {
      const numbers = [index, ...others].map((each) => each + 1);
      return [{ ...where, code: 'condition-ambiguous', args: { condition, numbers } }];
    }
    const first = named.get(index);
    named.set(index, first ?? condition);
    return first === undefined ? [] : [{ ...where, code: 'condition-duplicate', args: { condition, first } }];
  });
}

function unknown(
  condition: string,
  conditions: JsonArray,
): { condition: string; known: (string | null)[]; suggestion?: string } {
  const known = conditions.map((each) =>
    isJsonObject(each) && typeof each['description'] === 'string' ? each['description'] : null,
  );
  const suggestion = nearest(
    condition,
    known.filter((each) => each !== null),
  );
  return { condition, known: known.slice(0, MOST_SHOWN), ...defined({ suggestion }) };
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
