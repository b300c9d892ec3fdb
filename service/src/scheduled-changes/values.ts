/** The fields of a flag that a scheduled change writes. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import type { StoredFlag } from '../store/flag.ts';

/** The change can never be made, so that it is not tried again. */
export class ImpossibleChange extends Error {
  override readonly name = 'ImpossibleChange';
}

export const ADD_CONDITION = 'add_release_condition';

type ScheduledOperation = (filters: JsonObject, value: JsonValue) => JsonObject;

/** Throws `ImpossibleChange`. */
export function valuesOf({ filters }: StoredFlag, payload: JsonValue | undefined): JsonObject {
  const { operation, value } = objectOrEmpty(payload);
  if (operation === undefined || value === undefined) throw new ImpossibleChange('Invalid payload');
  const known = typeof operation === 'string' ? OPERATIONS.get(operation) : undefined;
  if (known === undefined) throw new ImpossibleChange(`Unrecognized operation: ${stringifyJson(operation)}`);
  return known(filters, value);
}

const OPERATIONS: ReadonlyMap<string, ScheduledOperation> = new Map<string, ScheduledOperation>([
  ['update_status', (_filters, value) => ({ active: value })],
  [ADD_CONDITION, addConditions],
  ['update_variants', replaceVariants],
]);

function addConditions(filters: JsonObject, value: JsonValue): JsonObject {
  const added = objectOrEmpty(value)['groups'] ?? [];
  if (!isJsonArray(added)) throw new ImpossibleChange('Conditions to add must be a list');
  return { filters: { ...filters, groups: [...arrayOrEmpty(filters['groups']), ...added] } };
}

/** Payloads are replaced too, by none where the change has none. */
function replaceVariants(filters: JsonObject, value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new ImpossibleChange('Invalid payload');
  const { variants = [], payloads = {} } = value;
  const { multivariate = {} } = filters;
  if (!isJsonObject(multivariate)) throw new ImpossibleChange('The flag has no variants to replace');
  const list = arrayOrEmpty(variants).map(objectOrEmpty);
  const sum = list.reduce((total, { rollout_percentage: share }) => total + Number(share ?? 0), 0);
  if (list.length > 0 && sum !== 100) {
    throw new ImpossibleChange(`Invalid variant rollout percentages: sum is ${sum}, must be 100`);
  }
  const keys = list.map(({ key }) => key);
  const strange = Object.keys(objectOrEmpty(payloads)).filter((key) => !keys.includes(key));
  if (keys.length > 0 && strange.length > 0) {
    throw new ImpossibleChange(`Payloads of no variant: ${strange.join(', ')}`);
  }
  return { filters: { ...filters, multivariate: { ...multivariate, variants }, payloads } };
}
