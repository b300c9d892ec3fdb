/** Where each value of a declared flag comes from: the layer that gives it, what it replaces, and what is live. Pure. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import type { FieldChange } from '../engine/change.ts';
import type { Ownership } from '../engine/ownership.ts';
import type { Names } from '../engine/snapshot.ts';
import type { Attribution } from './attribution.ts';
import type { DesiredFlag } from './desired.ts';
import type { Declaration } from '../manifest/declaration.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import { soughtIn } from './flag/attribution.ts';
import type { SoughtValue } from './replay-log.ts';
import { comparableFlag, compareFields } from './flag/comparison.ts';
import { matchesField, type FieldPath } from './flag/field-path.ts';
import type { Flag } from './flag/flag.ts';
import { memberPointer, toFields } from './flag/manifest/fields.ts';
import { findOwnership } from './flag/ownership.ts';
import { prepareLayers } from './flag/manifest/prepare-layers.ts';
import type { OwnWrite } from './own-writes.ts';
import { EDITOR, heldAccess, INHERITED, type FlagAccess, type Organization } from './role-access/access.ts';
import { attributeHeld } from './role-access/attribution.ts';
import { EVERYONE } from './role-access/change.ts';

export interface DeclaredValue {
  /** JSON pointer in the API's names. */
  readonly path: string;
  /** As the manifests write it. */
  readonly value: JsonValue;
  readonly place: Place;
  /** `overlay`: of the project. Absent for access, which may be declared in two sections. */
  readonly layer?: 'base' | 'overlay';
  /** What the base says instead, for projects without an overlay. */
  readonly replaces?: { readonly value: JsonValue; readonly place: Place };
}

/** Who decides about a declared value. */
export function ownershipOf(flag: DesiredFlag, pointer: string): Ownership {
  if (flag.kind === 'retired') return 'managed';
  return findOwnership(flag.ownership ?? [], pointer, flag.fields) ?? 'managed';
}

export interface LiveValue {
  /** Absent where the live flag has no value. */
  readonly value?: JsonValue;
  readonly differs: boolean;
}

/** The values that a declaration gives to a project, one for each field and each part of its filters. */
export function explainDeclaration(
  declaration: Declaration,
  project: string,
  path?: FieldPath,
): readonly DeclaredValue[] {
  const layer = layerDeclaration(declaration, project, prepareLayers);
  const { fields, places } = toFields(layer);
  const base = toFields(layerDeclaration(declaration, NO_PROJECT, prepareLayers));
  const overlay = `${declaration.path}${toPointer(['projects', project])}/`;
  return Object.keys(fields)
    .flatMap((field) => partsOf(fields[field] as JsonValue, [field]))
    .filter((pointer) => path === undefined || isAround(path, pointer, fields))
    .map((pointer): DeclaredValue => {
      const isOverlaid = layer.pathOf(memberPointer(layer, pointer)).startsWith(overlay);
      const replaced = isOverlaid ? replacedValue(base.fields, fields, pointer) : undefined;
      return {
        path: pointer,
        value: valueAt(fields, pointer) as JsonValue,
        place: placeAt(places, pointer),
        layer: isOverlaid ? 'overlay' : 'base',
        ...(replaced === undefined ? {} : { replaces: { value: replaced, place: placeAt(base.places, pointer) } }),
      };
    });
}

/** The same for a declaration whose members are the API's fields. `partsOf`: the pointers of the values that are explained. */
export function explainFields(
  declaration: Declaration,
  project: string,
  {
    partsOf: pointersIn,
    path,
  }: { readonly partsOf: (fields: JsonObject) => readonly string[]; readonly path?: FieldPath },
): readonly DeclaredValue[] {
  const layer = layerDeclaration(declaration, project);
  const base = layerDeclaration(declaration, NO_PROJECT);
  const overlay = `${declaration.path}${toPointer(['projects', project])}/`;
  return pointersIn(layer.value)
    .filter((pointer) => path === undefined || isAround(path, pointer, layer.value))
    .map((pointer): DeclaredValue => {
      const isOverlaid = layer.pathOf(pointer).startsWith(overlay);
      const replaced = isOverlaid ? valueAt(base.value, pointer) : undefined;
      return {
        path: pointer,
        value: valueAt(layer.value, pointer) as JsonValue,
        place: placeAt(layer.places, pointer),
        layer: isOverlaid ? 'overlay' : 'base',
        ...(replaced === undefined ? {} : { replaces: { value: replaced, place: placeAt(base.places, pointer) } }),
      };
    });
}

/** No project has this name, so no overlay is meant. */
const NO_PROJECT = '';

/** The access that a flag declares, by role, and for everyone. */
export function explainAccess(flag: DesiredFlag, path?: FieldPath): readonly DeclaredValue[] {
  if (flag.kind === 'retired') return [];
  const { roleAccess = [], everyone } = flag;
  const ofRoles = roleAccess.map(({ id, name, level = EDITOR, place }) => ({
    path: toPointer([...ROLES, name ?? id]),
    value: level,
    place,
  }));
  const ofEveryone =
    everyone === undefined ? [] : [{ path: DEFAULT, value: everyone.level ?? INHERITED, place: everyone.place }];
  const isNamed = ({ path: pointer }: DeclaredValue): boolean =>
    path === undefined || matchesField(path, pointer, {}) || isAround(path, pointer, {});
  return [...ofEveryone, ...ofRoles].filter(isNamed);
}

const ROLES = ['role_access', 'roles'];
const DEFAULT = '/role_access/default';

/** What is live of the declared access, by path. */
export function liveAccessOf(
  flag: DesiredFlag,
  declared: readonly DeclaredValue[],
  { access, organization, ...of }: LiveAccess,
): ReadonlyMap<string, { readonly live: LiveValue; readonly attribution: Attribution }> {
  const held = access === undefined ? undefined : heldAccess(access, organization);
  if (flag.kind === 'retired' || held === undefined) return new Map();
  const subjects = [
    { path: DEFAULT, subject: EVERYONE, level: held.everyone ?? INHERITED },
    ...(flag.roleAccess ?? []).map(({ id, name }) => ({
      path: toPointer([...ROLES, name ?? id]),
      subject: id,
      level: held.roles.find(({ role }) => role.id === id)?.level,
    })),
  ];
  const values = new Map(declared.map((one) => [one.path, one.value]));
  return new Map(
    subjects
      .filter(({ path }) => values.has(path))
      .map(({ path, subject, level }) => [
        path,
        {
          live: { ...defined({ value: level }), differs: level !== values.get(path) },
          attribution: attributeHeld({ subject, flagId: of.flagId }, access, of.writes),
        },
      ]),
  );
}

export interface LiveAccess {
  readonly access: FlagAccess | undefined;
  readonly organization: Organization | undefined;
  readonly flagId: number;
  readonly writes: readonly OwnWrite[];
}

/** Where the values are in the live flag, to ask who made them. */
export function soughtOf(
  values: readonly DeclaredValue[],
  { flag, names, fields }: { readonly flag: Flag; readonly names: Names; readonly fields: JsonObject },
): readonly SoughtValue[] {
  const differences = compareFields(fields, comparableFlag(flag, names), names);
  return soughtIn(toSeek(values, differences), { flag, names, body: fields });
}

/** Declared values as differences are: without a value before where the live resource lacks them. */
export function toSeek(
  values: readonly { readonly path: string; readonly value: JsonValue }[],
  differences: readonly FieldChange[],
): readonly FieldChange[] {
  const absent = differences.filter(({ before }) => before === undefined);
  return values.map(({ path, value }) => {
    const isAbsent = absent.some((one) => path === one.path || path.startsWith(`${one.path}/`));
    return { path, after: value, ...(isAbsent ? {} : { before: value }) };
  });
}

/** `fields`: the declared ones, with ids. */
export function liveValueOf(
  { path, place }: SoughtValue,
  { flag, names, fields }: { readonly flag: Flag; readonly names: Names; readonly fields: JsonObject },
): LiveValue {
  const comparable = comparableFlag(flag, names);
  const differences = compareFields(fields, comparable, names);
  const pointer = toPointer(place);
  const value = valueAt(comparable, pointer) ?? valueAt(flag, pointer);
  return {
    ...defined({ value }),
    differs: differences.some((difference) => touches(difference.path, path)),
  };
}

function touches(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Mappings and lists of mappings are taken apart, but the properties of a condition are one value. */
function partsOf(value: JsonValue, path: readonly string[]): string[] {
  const isWhole = path.at(-1) === 'properties' || path.at(-2) === 'payloads' || path.length > DEEPEST;
  // The shorthand of filters implies it.
  if (path.at(-1) === 'properties' && isJsonArray(value) && value.length === 0) return [];
  const parts = isWhole ? [] : Object.entries(isTaken(value) ? value : {});
  if (parts.length === 0) return [toPointer(path)];
  return parts.flatMap(([name, part]) => partsOf(part as JsonValue, [...path, name]));
}

const DEEPEST = 6;

function isTaken(value: JsonValue): value is JsonObject {
  return isJsonObject(value) || (isJsonArray(value) && value.length > 0 && value.every(isJsonObject));
}

/** Whether the path names the place, or one around it or below it. */
function isAround(path: FieldPath, pointer: string, fields: JsonObject): boolean {
  if (matchesField(path, pointer, fields)) return true;
  const count = fromPointer(pointer).length;
  return count < path.steps.length && matchesField({ steps: path.steps.slice(0, count) }, pointer, fields);
}

/** An overlay that removes elements of a list moves the others, so their places in the base are not known by index. */
function replacedValue(base: JsonObject, merged: JsonObject, pointer: string): JsonValue | undefined {
  const segments = fromPointer(pointer);
  const isMoved = segments.some((_segment, at) => {
    const [before, after] = [base, merged].map((fields) => valueAt(fields, toPointer(segments.slice(0, at))));
    return isJsonArray(before) && isJsonArray(after) && before.length !== after.length;
  });
  return isMoved ? undefined : valueAt(base, pointer);
}
