/** Which values of a declared cohort are explained, and what is live of them. Pure. */

import { isJsonArray, isJsonObject, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { LiveValue } from '../explain.ts';
import type { SoughtValue } from '../replay-log.ts';
import { canonicalCohort } from './canonical.ts';
import { comparableCohort } from './comparison.ts';
import type { Cohort } from './cohort.ts';

/** The name, the description, and each group and filter of the definition. */
export function explainedParts(fields: JsonObject): readonly string[] {
  return ['name', 'description', 'filters'].flatMap((field) => {
    const value = memberOf(fields, field);
    return value === undefined
      ? []
      : field === 'filters'
        ? partsOf(value, [field, 'properties'])
        : [toPointer([field])];
  });
}

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
