/** The canonical form of a flag's fields: both sides of every comparison are brought into it first. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { fromPointer } from '../base/json-pointer.ts';
import { toForm } from './forms.ts';
import { INJECTED_MEMBERS, TOLERANCES, type Treatment } from './tolerances.ts';

/**
 * Canonical form of some or all fields of a flag, by API name. Idempotent; values that the tolerance table calls equal
 * become equal. Dependencies must already be named by key (`mapReferences`), since ids differ between projects.
 */
export function canonicalFlag(fields: JsonObject): JsonObject {
  return canonicalObject(fields, ROOT);
}

/** The same value without the members that the service adds whenever a flag is read. */
export function withoutInjected(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutInjected);
  if (!isJsonObject(value)) return value;
  return objectFrom(
    definedKeys(value)
      .filter((key) => !INJECTED_MEMBERS.has(key))
      .map((key) => [key, withoutInjected(value[key] as JsonValue)]),
  );
}

/** The tolerance table as a tree over path segments. */
interface Rule {
  readonly treatments: Treatment[];
  readonly children: Map<string, Rule>;
}

const ROOT: Rule = compile();

function compile(): Rule {
  const root = emptyRule();
  for (const { path, treat } of TOLERANCES) {
    let rule = root;
    for (const segment of fromPointer(path)) {
      const next = rule.children.get(segment) ?? emptyRule();
      rule.children.set(segment, next);
      rule = next;
    }
    rule.treatments.push(treat);
  }
  spreadWildcards(root);
  return root;
}

function emptyRule(): Rule {
  return { treatments: [], children: new Map() };
}

/** A named segment obeys the rows for `*` beside it too. */
function spreadWildcards(rule: Rule): void {
  const wildcard = rule.children.get('*');
  for (const [segment, child] of rule.children) {
    if (wildcard !== undefined && segment !== '*') child.treatments.push(...wildcard.treatments);
    spreadWildcards(child);
  }
}

function canonicalValue(value: JsonValue, rule: Rule | undefined, owner: JsonObject): JsonValue {
  if (rule === undefined) return value;
  let formed = value;
  for (const treat of rule.treatments) {
    if (treat.kind === 'form') formed = toForm(treat.form, formed, owner);
  }
  if (isJsonArray(formed)) return formed.map((element) => canonicalValue(element, rule.children.get('*'), owner));
  return isJsonObject(formed) ? canonicalObject(formed, rule) : formed;
}

function canonicalObject(object: JsonObject, rule: Rule): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const key of definedKeys(object)) {
    const child = rule.children.get(key) ?? rule.children.get('*');
    if (child?.treatments.some((treat) => treat.kind === 'ignore')) continue;
    const value = canonicalValue(object[key] as JsonValue, child, object);
    if (!isAbsent(value, child)) members.push([key, value]);
  }
  for (const [key, child] of rule.children) {
    const fallback = child.treatments.find((treat) => treat.kind === 'default');
    if (fallback?.kind === 'default' && (object[key] ?? null) === null) members.push([key, fallback.value]);
  }
  return objectFrom(members);
}

function isAbsent(value: JsonValue, rule: Rule | undefined): boolean {
  return (
    rule?.treatments.some(
      (treat) =>
        (treat.kind === 'absent' && treat.when.some((candidate) => jsonEquals(candidate, value))) ||
        (treat.kind === 'default' && value === null),
    ) ?? false
  );
}
