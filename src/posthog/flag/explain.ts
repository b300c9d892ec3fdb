/** Finds where each value of a declared flag comes from, and what is live in its place. Pure. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { matchResources } from '../../core/engine/match.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import { atMoment } from '../../core/manifest/at-moment.ts';
import type { DesiredFlag } from '../desired.ts';
import {
  isAround,
  toSeek,
  type AttributedValue,
  type DeclarationScope,
  type DeclaredValue,
  type ExplainedFamily,
  type ExplainedLive,
} from '../declared/explain.ts';
import type { LiveState } from '../live.ts';
import type { OwnWrite } from '../authors/attribution.ts';
import { EDITOR, heldAccess, INHERITED } from '../role-access/access.ts';
import { attributeHeld } from '../role-access/attribution.ts';
import { EVERYONE } from '../role-access/change.ts';
import { loggedFlag, soughtIn } from './attribution.ts';
import { comparableFlag, compareFields } from './comparison.ts';
import { completed, supportedFields } from './three-way.ts';
import { matchesField, type FieldPath } from '../../core/engine/field-path.ts';
import { memberPointer, toFields } from './manifest/fields.ts';
import { layering } from './manifest/layering.ts';
import { findOwnership } from './model/fields.ts';
import { takeFlagSnapshot } from './snapshot.ts';

export const EXPLAINED_FLAGS: ExplainedFamily<'flags'> = {
  values: (flag, scope) => [...explainDeclaration(scope), ...explainAccess(flag, scope.path)],
  ownershipOf: (flag, pointer) =>
    flag.kind === 'retired' ? 'managed' : (findOwnership(flag.ownership ?? [], pointer, flag.fields) ?? 'managed'),
  live: liveFlag,
};

/** The values that a declaration gives to a project, one for each field and each part of its filters. */
function explainDeclaration({
  declaration: written,
  project,
  moment,
  path,
}: DeclarationScope): readonly DeclaredValue[] {
  const { rollouts } = written;
  const declaration = rollouts === undefined ? written : atMoment(written, rollouts, moment);
  const layer = layerDeclaration(declaration, project, layering);
  const { fields, places } = toFields(layer);
  const base = toFields(layerDeclaration(declaration, undefined, layering));
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

/** The access that a flag declares, by role, and for everyone. */
function explainAccess(flag: DesiredFlag, path?: FieldPath): readonly DeclaredValue[] {
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

function liveFlag(
  desired: DesiredFlag,
  declared: readonly DeclaredValue[],
  live: LiveState,
): ExplainedLive | undefined {
  const { flags, traces } = live;
  const snapshot = takeFlagSnapshot({ flags, roleAccess: {} });
  const flag = matchResources([desired], snapshot, defined({ traces: traces?.flags })).pairs[0]?.live;
  if (flag === undefined) return undefined;
  const names = indexResources(live.flags);
  const fields: JsonObject = desired.kind === 'declared' ? supportedFields(completed(desired), flag).wanted : {};
  // The places of the values in the live flag, to find their authors.
  const values = declared.filter(({ layer }) => layer !== undefined);
  const comparable = comparableFlag(flag, names);
  const differences = compareFields(fields, comparable, names);
  const sought = soughtIn(toSeek(values, differences), { flag, names, body: fields });
  return {
    id: flag.id,
    ...(sought.length === 0 ? {} : { logged: loggedFlag(flag, names) }),
    sought,
    liveValueOf: ({ path, place }) => {
      const pointer = toPointer(place);
      const differs = differences.some(
        (one) => `${one.path}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${one.path}/`),
      );
      return { ...defined({ value: valueAt(comparable, pointer) ?? valueAt(flag, pointer) }), differs };
    },
    attached: (writes) => liveAccessOf(desired, declared, { live, flagId: flag.id, writes }),
  };
}

/** The live values of the declared access, by path. */
function liveAccessOf(
  flag: DesiredFlag,
  declared: readonly DeclaredValue[],
  { live, flagId, writes }: { readonly live: LiveState; readonly flagId: number; readonly writes: readonly OwnWrite[] },
): ReadonlyMap<string, AttributedValue> {
  const access = live.roleAccess[String(flagId)];
  const held = access === undefined ? undefined : heldAccess(access, live.organization);
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
          attribution: attributeHeld({ subject, flagId }, access, writes),
        },
      ]),
  );
}

/** Mappings and lists of mappings are taken apart, but the properties of a condition are one value. */
function partsOf(value: JsonValue, path: readonly string[]): string[] {
  const isWhole = path.at(-1) === 'properties' || path.at(-2) === 'payloads' || path.length > DEEPEST;
  // The shorthand of filters implies it.
  if (path.at(-1) === 'properties' && isJsonArray(value) && value.length === 0) return [];
  const isTaken = isJsonObject(value) || (isJsonArray(value) && value.every(isJsonObject));
  const parts = isWhole || !isTaken ? [] : Object.entries(value);
  if (parts.length === 0) return [toPointer(path)];
  return parts.flatMap(([name, part]) => partsOf(part as JsonValue, [...path, name]));
}

const DEEPEST = 6;

/** If an overlay removes elements of a list, the others move, so their places in the base are not known by index. */
function replacedValue(base: JsonObject, merged: JsonObject, pointer: string): JsonValue | undefined {
  const segments = fromPointer(pointer);
  const isMoved = segments.some((_segment, at) => {
    const [before, after] = [base, merged].map((fields) => valueAt(fields, toPointer(segments.slice(0, at))));
    return isJsonArray(before) && isJsonArray(after) && before.length !== after.length;
  });
  return isMoved ? undefined : valueAt(base, pointer);
}
