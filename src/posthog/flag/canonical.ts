/** The canonical form of a flag's fields: both sides of every comparison are brought into it first. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  objectFrom,
  setMember,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { toForm } from './forms.ts';
import { keepOpaque } from './opaque.ts';
import { impliedMembers, isAbsent, isInjected, ruleOf, TOLERANCE_TREE, treeOf, type Rule } from './tolerance-tree.ts';
import { TOLERANCES } from './tolerances.ts';
import { viewFilters } from './view.ts';

/**
 * Canonical form of some or all fields of a flag, by API name. Idempotent; values that are equal by the tolerance
 * table become equal. Dependencies must already be named by key (`mapReferences`), since ids differ between projects.
 */
export function canonicalFlag(fields: JsonObject, tolerances: Rule = TOLERANCE_TREE): JsonObject {
  return keepOpaque(fields, (readable) => canonicalObject(readable, tolerances));
}

/** The same with every member, also those that plans never compare: for comparing what was sent with what is stored. */
export function completeForm(fields: JsonObject): JsonObject {
  return keepOpaque(fields, (readable) => canonicalObject(readable, COMPLETE_TREE));
}

const COMPLETE_TREE = treeOf(TOLERANCES.filter(({ treat }) => treat.kind !== 'injected' && treat.kind !== 'carried'));

/** The same fields without members that the service adds on reading. */
export function withoutInjected(fields: JsonObject): JsonObject {
  return keepOpaque(fields, (readable) => objectWithoutInjected(readable, TOLERANCE_TREE));
}

function objectWithoutInjected(object: JsonObject, rule: Rule): JsonObject {
  return objectFrom(
    definedKeys(object).flatMap((key): [string, JsonValue][] => {
      const child = ruleOf(rule, key);
      const value = object[key] as JsonValue;
      if (child === undefined) return [[key, value]];
      return isInjected(child, object) ? [] : [[key, valueWithoutInjected(value, child)]];
    }),
  );
}

function valueWithoutInjected(value: JsonValue, rule: Rule): JsonValue {
  if (rule.children.size === 0) return value;
  if (isJsonObject(value)) return objectWithoutInjected(value, rule);
  const element = rule.children.get('*');
  return isJsonArray(value) && element !== undefined ? value.map((one) => valueWithoutInjected(one, element)) : value;
}

function canonicalValue(value: JsonValue, rule: Rule, owner: JsonObject): JsonValue {
  return rule.remembered && isJsonObject(value) ? canonicalFilters(value, rule) : formedValue(value, rule, owner);
}

/** Every comparison of a flag needs the form, and it is its own form. */
function canonicalFilters(filters: JsonObject, rule: Rule): JsonObject {
  return viewFilters(filters).form(rule, () => {
    const form = formedValue(filters, rule, {}) as JsonObject;
    viewFilters(form).form(rule, () => form);
    return form;
  });
}

function formedValue(value: JsonValue, rule: Rule, owner: JsonObject): JsonValue {
  let formed = value;
  for (const form of rule.forms) formed = toForm(form, formed, owner);
  if (rule.children.size === 0) return formed;
  if (isJsonArray(formed)) {
    const element = rule.children.get('*');
    return element === undefined ? formed : formed.map((one) => canonicalValue(one, element, owner));
  }
  return isJsonObject(formed) ? canonicalObject(formed, rule) : formed;
}

/** Built member by member for speed: every compared flag passes here. */
function canonicalObject(object: JsonObject, rule: Rule): JsonObject {
  const canonical: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    const child = ruleOf(rule, key);
    if (value === undefined || (child !== undefined && isUncompared(child, object))) continue;
    const formed = child === undefined ? value : canonicalValue(value, child, object);
    if (child === undefined || !isAbsent(formed, child)) setMember(canonical, key, formed);
  }
  for (const [key, { value }] of impliedMembers(object, rule)) setMember(canonical, key, value);
  return canonical;
}

function isUncompared(rule: Rule, owner: JsonObject): boolean {
  return rule.carried || isInjected(rule, owner);
}
