/** Where each value of a declared cohort comes from: the layer that gives it, what it replaces, and what is live. Pure. */

import { isJsonArray, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { FieldPath } from '../flag/field-path.ts';
import { isAround, type DeclaredValue, type LiveValue } from '../explain.ts';
import type { SoughtValue } from '../replay-log.ts';
import { canonicalCohort } from './canonical.ts';
import { comparableCohort } from './comparison.ts';
import type { Cohort } from './cohort.ts';

/** The values that a declaration gives to a project: the name, the description, and each group and filter of the definition. */
export function explainCohort(declaration: Declaration, project: string, path?: FieldPath): readonly DeclaredValue[] {
  const layer = layerDeclaration(declaration, project);
  const base = layerDeclaration(declaration, NO_PROJECT);
  const overlay = `${declaration.path}${toPointer(['projects', project])}/`;
  const pointers = FIELDS.flatMap((field) => {
    const value = layer.value[field];
    return value === undefined
      ? []
      : field === 'filters'
        ? partsOf(value, [field, 'properties'])
        : [toPointer([field])];
  });
  return pointers
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

const FIELDS = ['name', 'description', 'filters'] as const;

/** `wanted`: the declared fields, with ids in place of aliases. */
export function liveCohortValue({ path, place }: SoughtValue, wanted: JsonObject, cohort: Cohort): LiveValue {
  const value = valueAt(comparableCohort(cohort), toPointer(place));
  return { ...defined({ value }), differs: !jsonEquals(value, valueAt(canonicalCohort(wanted), path)) };
}

/** AND or OR of each group, and each filter as a whole. */
function partsOf(filters: JsonValue, path: readonly string[]): string[] {
  const node = valueAt(filters, toPointer(path.slice(1)));
  const values = isJsonObject(node) ? node['values'] : undefined;
  if (!isJsonArray(values)) return [toPointer(path)];
  return [
    toPointer([...path, 'type']),
    ...values.flatMap((_value, index) => partsOf(filters, [...path, 'values', String(index)])),
  ];
}
