/** What `explain` shows of a declared resource: the layer that gives each value, the value that it replaces, and the live value. Pure. */

import type { Moment } from '../../core/rollout/rollout.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import type { Ownership } from '../../core/engine/ownership.ts';
import type { Declaration } from '../../core/manifest/declaration.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import type { Attribution, OwnWrite } from '../authors/attribution.ts';
import { matchesField, type FieldPath } from '../../core/engine/field-path.ts';
import type { FamilyName, FamilyTypes } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import type { Logged, SoughtValue } from '../authors/replay-log.ts';

/** How the resources of a family are explained. */
export interface ExplainedFamily<Name extends FamilyName> {
  /** The declared values, each with its layer. */
  values(desired: FamilyTypes[Name]['desired'], declared: DeclarationScope): readonly DeclaredValue[];
  /** Who decides about a declared value; absent: git decides everything that it declares. */
  ownershipOf?(desired: FamilyTypes[Name]['desired'], pointer: string): Ownership;
  /** Whether a declared value is the one that a resource has without it; absent: none is. */
  isUsual?(value: Pick<DeclaredValue, 'path' | 'value'>): boolean;
  /** The live state of the declared values; `undefined` if the project lacks the resource. */
  live(
    desired: FamilyTypes[Name]['desired'],
    declared: readonly DeclaredValue[],
    live: LiveState,
  ): ExplainedLive | undefined;
}

export interface DeclarationScope {
  readonly declaration: Declaration;
  readonly project: string;
  /** When it is explained, for values that change over time. */
  readonly moment?: Moment;
  /** Absent: every value. */
  readonly path?: FieldPath;
}

export interface DeclaredValue {
  /** JSON pointer in the API's names. */
  readonly path: string;
  /** The manifests' form of the value. */
  readonly value: JsonValue;
  readonly place: Place;
  /** `overlay`: of the project. Absent for access, which may be declared in two sections. */
  readonly layer?: 'base' | 'overlay';
  /** The base layer's value, for projects without an overlay. */
  readonly replaces?: { readonly value: JsonValue; readonly place: Place };
}

interface LiveValue {
  /** Absent if the live flag has no value. */
  readonly value?: JsonValue;
  readonly differs: boolean;
}

export interface ExplainedLive {
  readonly id: number;
  /** The log that names the authors of values; absent if the service records no changes. */
  readonly logged?: Logged;
  /** The values and their places. */
  readonly sought: readonly SoughtValue[];
  liveValueOf(sought: SoughtValue): LiveValue;
  /** The values of what is attached to the resource, by path. */
  attached?(writes: readonly OwnWrite[]): ReadonlyMap<string, AttributedValue>;
}

export interface AttributedValue {
  readonly live: LiveValue;
  readonly attribution?: Attribution;
}

/** The values of a declaration whose members are the API's fields. `partsOf`: the pointers of the values that are explained. */
export function explainFields(
  declaration: Declaration,
  project: string,
  {
    partsOf: pointersIn,
    path,
  }: { readonly partsOf: (fields: JsonObject) => readonly string[]; readonly path?: FieldPath },
): readonly DeclaredValue[] {
  const layer = layerDeclaration(declaration, project);
  const base = layerDeclaration(declaration, undefined);
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

/** Whether the path names the place, or one around it or below it. */
export function isAround(path: FieldPath, pointer: string, fields: JsonObject): boolean {
  if (matchesField(path, pointer, fields)) return true;
  const count = fromPointer(pointer).length;
  return count < path.steps.length && matchesField({ steps: path.steps.slice(0, count) }, pointer, fields);
}
