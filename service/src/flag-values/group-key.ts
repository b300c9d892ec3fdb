/** Conditions on `$group_key`, which the blast radius compares with the key of a group by rules of their own. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, type JsonObject } from '../../../src/base/json.ts';
import { invalid } from '../handler/envelope.ts';

/** The operators that it supports, and those that equal another one. */
const OPERATORS: Readonly<Record<string, { readonly takesList: boolean; readonly equals?: string }>> = {
  exact: { takesList: true },
  is_not: { takesList: true },
  in: { takesList: true, equals: 'exact' },
  not_in: { takesList: true, equals: 'is_not' },
  icontains: { takesList: false },
  not_icontains: { takesList: false },
  starts_with: { takesList: false },
  not_starts_with: { takesList: false },
  ends_with: { takesList: false },
  not_ends_with: { takesList: false },
  regex: { takesList: false },
  not_regex: { takesList: false },
};

export function isGroupKey({ key }: JsonObject): boolean {
  return key === '$group_key';
}

/** Throws a 400 for an operator that is not supported, or not with a list. */
export function checkGroupKey({ operator = null, value }: JsonObject): void {
  const row = findOperator(operator);
  if (row === undefined) {
    throw invalid('invalid_input', `The operator ${stringifyJson(operator)} is not supported here.`, null);
  }
  if (isJsonArray(value) && !row.takesList) {
    throw invalid('invalid_input', `The operator ${stringifyJson(operator)} takes no list here.`, null);
  }
}

/** The same property with an operator of values. */
export function plainOperator(property: JsonObject): JsonObject {
  const equals = findOperator(property['operator'])?.equals;
  return equals === undefined ? property : { ...property, operator: equals };
}

function findOperator(operator: JsonObject[string]): (typeof OPERATORS)[string] | undefined {
  const name = operator ?? 'exact';
  return typeof name === 'string' && Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
}
