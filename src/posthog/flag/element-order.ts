/**
 * The order of lists that have none in meaning: one side of a comparison takes over that of the other side. The canonical form keeps the
 * order, since pointers, places in files and ownership name elements by their index.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { ruleOf, TOLERANCE_TREE, type Rule } from './tolerance-tree.ts';

/**
 * Fields with each unordered list in the order of the other side, where both hold the same elements; other lists stay, so that a
 * report shows them as they are. Both sides are in canonical form.
 */
export function inOrderOf(fields: JsonObject, other: JsonObject, tolerances: Rule = TOLERANCE_TREE): JsonObject {
  return ordered(fields, other, tolerances) as JsonObject;
}

function ordered(value: JsonValue, other: JsonValue | undefined, rule: Rule): JsonValue {
  if (!rule.holdsUnordered || value === other) return value;
  if (isJsonArray(value) && isJsonArray(other)) return orderedList(value, other, rule);
  return isJsonObject(value) && isJsonObject(other) ? orderedMembers(value, other, rule) : value;
}

function orderedMembers(object: JsonObject, other: JsonObject, rule: Rule): JsonObject {
  return objectFrom(
    Object.entries(object).map(([name, member]): [string, JsonValue] => {
      const child = ruleOf(rule, name);
      const value = member as JsonValue;
      return [name, child === undefined ? value : ordered(value, memberOf(other, name), child)];
    }),
  );
}

/** Elements at the same index are brought into one order, since those are what a comparison of lists holds against each other. */
function orderedList(list: JsonArray, other: JsonArray, rule: Rule): JsonArray {
  if (rule.unordered) return textWithoutOrder(list) === textWithoutOrder(other) ? other : list;
  const element = rule.children.get('*');
  return element === undefined ? list : list.map((one, index) => ordered(one, other[index], element));
}

function textWithoutOrder(list: JsonArray): string {
  return canonicalText(list.map(canonicalText).toSorted(compareStrings));
}
