/**
 * The form in which a request has fields: complete, and without spellings that some services refuse. The tolerance table says
 * which values these are (`sent`, `sentAs`), so the form means the same as the fields. (docs/service.md, "Filters")
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { impliedMembers, isAbsent, ruleOf, TOLERANCE_TREE, type Rule } from './tolerance-tree.ts';

/** Some or all fields of a flag, by API name. Idempotent. */
export function sentForm(fields: JsonObject): JsonObject {
  return objectAsSent(fields, TOLERANCE_TREE);
}

function objectAsSent(object: JsonObject, rule: Rule): JsonObject {
  const members = Object.entries(object).map(([key, value]): [string, JsonValue | undefined] => {
    const child = ruleOf(rule, key);
    return [key, value === undefined || child === undefined ? value : valueAsSent(value, child)];
  });
  const implied = impliedMembers(object, rule).flatMap(([key, { value, sent }]): [string, JsonValue][] =>
    sent === true ? [[key, value]] : [],
  );
  return Object.fromEntries([...members, ...implied]);
}

function valueAsSent(value: JsonValue, rule: Rule): JsonValue {
  if (rule.sentAs !== undefined && (value === null || isAbsent(value, rule))) return rule.sentAs;
  if (rule.children.size === 0) return value;
  const element = rule.children.get('*');
  if (isJsonArray(value) && element !== undefined) return value.map((one) => valueAsSent(one, element));
  return isJsonObject(value) ? objectAsSent(value, rule) : value;
}
