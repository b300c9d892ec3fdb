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
import { toForm, type FormName } from './forms.ts';
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

/** The tolerance table as a tree over path segments, with the rows of each place sorted by kind. */
interface Rule {
  readonly forms: FormName[];
  readonly absentWhen: JsonValue[];
  ignored: boolean;
  fallback: JsonValue | undefined;
  readonly children: Map<string, Rule>;
  /** What the children say for members that have no value. */
  readonly fallbacks: [key: string, value: JsonValue][];
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
    addTreatment(rule, treat);
  }
  finish(root);
  return root;
}

function emptyRule(): Rule {
  return { forms: [], absentWhen: [], ignored: false, fallback: undefined, children: new Map(), fallbacks: [] };
}

function addTreatment(rule: Rule, treat: Treatment): void {
  switch (treat.kind) {
    case 'ignore':
      rule.ignored = true;
      return;
    case 'absent':
      rule.absentWhen.push(...treat.when);
      return;
    case 'default':
      rule.fallback = treat.value;
      rule.absentWhen.push(null);
      return;
    case 'form':
      rule.forms.push(treat.form);
      return;
    case 'owned-elsewhere':
      return;
  }
}

/** A named segment obeys the rows for `*` beside it too. */
function finish(rule: Rule): void {
  const wildcard = rule.children.get('*');
  for (const [segment, child] of rule.children) {
    if (wildcard !== undefined && segment !== '*') child.absentWhen.push(...wildcard.absentWhen);
    if (child.fallback !== undefined) rule.fallbacks.push([segment, child.fallback]);
    finish(child);
  }
}

function canonicalValue(value: JsonValue, rule: Rule, owner: JsonObject): JsonValue {
  let formed = value;
  for (const form of rule.forms) formed = toForm(form, formed, owner);
  if (rule.children.size === 0) return formed;
  if (isJsonArray(formed)) {
    const element = rule.children.get('*');
    return element === undefined ? formed : formed.map((one) => canonicalValue(one, element, owner));
  }
  return isJsonObject(formed) ? canonicalObject(formed, rule) : formed;
}

/** Built member by member, since every flag of a project passes here twice. */
function canonicalObject(object: JsonObject, rule: Rule): JsonObject {
  const canonical: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    const child = rule.children.get(key) ?? rule.children.get('*');
    if (value === undefined || child?.ignored === true) continue;
    const formed = child === undefined ? value : canonicalValue(value, child, object);
    if (child === undefined || !isAbsent(formed, child)) setMember(canonical, key, formed);
  }
  for (const [key, fallback] of rule.fallbacks) {
    if ((object[key] ?? null) === null) canonical[key] = fallback;
  }
  return canonical;
}

function isAbsent(value: JsonValue, { absentWhen }: Rule): boolean {
  for (const candidate of absentWhen) if (jsonEquals(candidate, value)) return true;
  return false;
}

/** An assignment to `__proto__` would set the prototype instead of a member. */
function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
