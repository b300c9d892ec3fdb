/**
 * The canonical form of a flag's fields, into which both sides of every comparison are brought first, and the tolerance table as a tree,
 * which defines it.
 */

import { fromPointer } from '../../../base/json-pointer.ts';
import {
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
} from '../../../base/json.ts';
import { type FormName, toForm } from './normal-forms.ts';
import { type Mark, type Owners, type Tolerance, TOLERANCES, type Treatment } from './tolerances.ts';
import { viewFilters } from './view.ts';

/**
 * Canonical form of some or all fields of a flag, by API name. Idempotent; values that are equal by the tolerance
 * table become equal. Dependencies must already be named by key (`mapReferences`), since ids differ between projects.
 */
export function canonicalFlag(fields: JsonObject, tolerances: ToleranceRule = TOLERANCE_TREE): JsonObject {
  return keepOpaque(fields, (readable) => canonicalObject(readable, tolerances));
}

/** The same form with every member, including those that plans never compare: for comparing what was sent with what is stored. */
export function completeForm(fields: JsonObject): JsonObject {
  return keepOpaque(fields, (readable) => canonicalObject(readable, COMPLETE_TREE));
}

/** A form that leaves opaque filters as they are. */
function keepOpaque(fields: JsonObject, form: (fields: JsonObject) => JsonObject): JsonObject {
  const { filters, ...others } = fields;
  return viewFilters(filters).isOpaque ? { ...form(others), filters } : form(fields);
}

const COMPLETE_TREE = treeOf(TOLERANCES.filter(({ treat }) => treat.kind !== 'injected' && treat.kind !== 'carried'));

/** The same fields without members that the service adds on reading. */
export function withoutInjected(fields: JsonObject): JsonObject {
  return keepOpaque(fields, (readable) => objectWithoutInjected(readable, TOLERANCE_TREE));
}

/** Returns the object itself if nothing was added to it, which is usual. */
function objectWithoutInjected(object: JsonObject, rule: ToleranceRule): JsonObject {
  const names = Object.keys(object);
  const kept = names.map((name) => memberWithoutInjected(object, name, ruleOf(rule, name)));
  if (kept.every((value, index) => value === object[names[index] as string])) return object;
  const told: Record<string, JsonValue> = {};
  for (const [index, name] of names.entries()) {
    const value = kept[index];
    if (value !== undefined) setMember(told, name, value);
  }
  return told;
}

/** `undefined` for a member that is added. */
function memberWithoutInjected(
  object: JsonObject,
  name: string,
  rule: ToleranceRule | undefined,
): JsonValue | undefined {
  const value = memberOf(object, name);
  if (value === undefined || rule === undefined) return value;
  return isInjected(rule, object) ? undefined : valueWithoutInjected(value, rule);
}

function valueWithoutInjected(value: JsonValue, rule: ToleranceRule): JsonValue {
  if (!rule.holdsInjected) return value;
  if (isJsonObject(value)) return objectWithoutInjected(value, rule);
  const element = rule.children.get('*');
  if (!isJsonArray(value) || element === undefined) return value;
  const told = value.map((one) => valueWithoutInjected(one, element));
  return told.every((one, index) => one === value[index]) ? value : told;
}

function canonicalValue(value: JsonValue, rule: ToleranceRule, owner: JsonObject): JsonValue {
  return rule.remembered && isJsonObject(value) ? canonicalFilters(value, rule) : formedValue(value, rule, owner);
}

/** Remembers forms, since every comparison of a flag needs them. A form is its own form. */
function canonicalFilters(filters: JsonObject, rule: ToleranceRule): JsonObject {
  return viewFilters(filters).form(rule, () => {
    const form = formedValue(filters, rule, {}) as JsonObject;
    viewFilters(form).form(rule, () => form);
    return form;
  });
}

function formedValue(value: JsonValue, rule: ToleranceRule, owner: JsonObject): JsonValue {
  let formed = value;
  for (const form of rule.forms) formed = toForm(form, formed, owner);
  if (rule.children.size === 0) return formed;
  if (isJsonArray(formed)) {
    const element = rule.children.get('*');
    return element === undefined ? formed : formed.map((one) => canonicalValue(one, element, owner));
  }
  return isJsonObject(formed) ? canonicalObject(formed, rule) : formed;
}

/** Builds the form member by member for speed: every compared flag passes here. */
function canonicalObject(object: JsonObject, rule: ToleranceRule): JsonObject {
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

function isUncompared(rule: ToleranceRule, owner: JsonObject): boolean {
  return rule.carried || isInjected(rule, owner);
}

/** The rows of one place, sorted by kind, and the places under it by path segment. */
export interface ToleranceRule {
  readonly forms: FormName[];
  readonly absentWhen: JsonValue[];
  /** Whether the order of the list means nothing. */
  unordered: boolean;
  /** Whether such a list is at or under this place. */
  holdsUnordered: boolean;
  /** The objects into which the service adds the member on reading; it is not compared there. */
  injectedInto?: Mark;
  /** Whether a member under this place is injected. */
  holdsInjected: boolean;
  /** Whether the member is never compared, and carried over into what is sent. */
  carried: boolean;
  /** Whether a member at or under this place is carried over. */
  carries: boolean;
  /** The meaning of an absent value. */
  readonly defaults: Default[];
  /** The value in a request for an absent one. */
  sentAs?: JsonValue;
  /** Whether the forms of the value are remembered: those of filters are. */
  remembered: boolean;
  readonly children: Map<string, ToleranceRule>;
  /** The defaults of children. */
  readonly fallbacks: [key: string, fallback: Default][];
}

type Default = Omit<Extract<Treatment, { kind: 'default' }>, 'kind'>;

/** The tolerance table as a tree, to walk together with a flag. */
export const TOLERANCE_TREE: ToleranceRule = treeOf(TOLERANCES);

/** The rule for a member; `*` matches every segment without its own rule. */
export function ruleOf(rule: ToleranceRule, segment: string): ToleranceRule | undefined {
  return rule.children.get(segment) ?? rule.children.get('*');
}

/** Whether the service adds the member to this object on reading. */
export function isInjected({ injectedInto }: ToleranceRule, owner: JsonObject): boolean {
  return injectedInto !== undefined && memberOf(owner, injectedInto.member) === injectedInto.value;
}

/** The members that the object lacks, or has as null, with the values that they mean. */
export function impliedMembers(object: JsonObject, rule: ToleranceRule): [key: string, fallback: Default][] {
  return rule.fallbacks.filter(
    ([key, { of }]) => (memberOf(object, key) ?? null) === null && (of === undefined || isOf(object, of)),
  );
}

function isOf(object: JsonObject, { member, values }: Owners): boolean {
  const value = memberOf(object, member) ?? null;
  return value === null || typeof value === 'string' ? values.includes(value) : false;
}

/** Whether the value means the same as no value. */
export function isAbsent(value: JsonValue, { absentWhen }: ToleranceRule): boolean {
  for (const candidate of absentWhen) if (jsonEquals(candidate, value)) return true;
  return false;
}

/** One value for all values of a field that mean the same as none: an empty one if the field has one, or else null. */
export function emptyValue(field: string): JsonValue {
  return ruleOf(TOLERANCE_TREE, field)?.absentWhen.find((value) => value !== null) ?? null;
}

export function treeOf(tolerances: readonly Tolerance[]): ToleranceRule {
  const root = emptyRule();
  for (const { path, treat } of tolerances) {
    let rule = root;
    for (const segment of fromPointer(path)) {
      const next = rule.children.get(segment) ?? emptyRule();
      rule.children.set(segment, next);
      rule = next;
    }
    addTreatment(rule, treat);
  }
  finish(root);
  const filters = root.children.get('filters');
  if (filters !== undefined) filters.remembered = true;
  return root;
}

function emptyRule(): ToleranceRule {
  return {
    forms: [],
    absentWhen: [],
    unordered: false,
    holdsUnordered: false,
    holdsInjected: false,
    carried: false,
    carries: false,
    remembered: false,
    defaults: [],
    children: new Map(),
    fallbacks: [],
  };
}

function addTreatment(rule: ToleranceRule, treat: Treatment): void {
  switch (treat.kind) {
    case 'injected':
      rule.injectedInto = treat.into;
      return;
    case 'carried':
      rule.carried = true;
      rule.carries = true;
      return;
    case 'absent':
      rule.absentWhen.push(...treat.when);
      if (treat.sentAs !== undefined) rule.sentAs = treat.sentAs;
      return;
    case 'default':
      rule.defaults.push(treat);
      rule.absentWhen.push(null);
      return;
    case 'unordered':
      rule.unordered = true;
      rule.holdsUnordered = true;
      return;
    case 'form':
      rule.forms.push(treat.form);
      return;
    case 'observed':
      return;
  }
}

/** Rows for `*` also apply to named segments next to it. */
function finish(rule: ToleranceRule): void {
  const wildcard = rule.children.get('*');
  for (const [segment, child] of rule.children) {
    if (wildcard !== undefined && segment !== '*') child.absentWhen.push(...wildcard.absentWhen);
    rule.fallbacks.push(...child.defaults.map((fallback): ToleranceRule['fallbacks'][number] => [segment, fallback]));
    finish(child);
    rule.carries ||= child.carries;
    rule.holdsUnordered ||= child.holdsUnordered;
    rule.holdsInjected ||= child.holdsInjected || child.injectedInto !== undefined;
  }
}
