/**
 * The canonical form of a flag's fields, into which both sides of every comparison are brought first, and the tolerance table as a tree,
 * which defines it.
 */

import {
  objectFrom,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
} from '../../../base/json.ts';
import { fromPointer } from '../../../base/json-pointer.ts';
import { type FormName, toForm } from './normal-forms.ts';
import { viewFilters } from './flag.ts';

export interface Tolerance {
  /** JSON pointer from the flag; `*` stands for one segment. */
  readonly path: string;
  readonly treat: Treatment;
  readonly reason: string;
}

export type Treatment =
  /** The service adds it on reading: never compared, and never sent back, since it would look like an edit. */
  | { readonly kind: 'injected'; readonly into: Mark }
  /** The web interface stores it: never compared, and carried over into every request. */
  | { readonly kind: 'carried' }
  /** Another product's part of the flag, which it decides unless a manifest declares it (`ownership.ts`). */
  | { readonly kind: 'observed' }
  /** These values mean the same as an absent one. A request has `sentAs` instead of them and of null, which some services refuse. */
  | { readonly kind: 'absent'; readonly when: readonly JsonValue[]; readonly sentAs?: JsonValue }
  /** No value, and null, mean this value: in every object, or `of` some. `sent`: requests have it, since services need it. */
  | { readonly kind: 'default'; readonly value: JsonValue; readonly of?: Owners; readonly sent?: true }
  /** A list whose order means nothing: lists with the same elements are equal. */
  | { readonly kind: 'unordered' }
  /** Compared in a normal form. */
  | { readonly kind: 'form'; readonly form: FormName };

/** Identifies the objects that get an injected member; in any other object the same name is a user's value. */
interface Mark {
  readonly member: string;
  readonly value: string;
}

/** The objects whose member has one of the values; null: they lack it. */
interface Owners {
  readonly member: string;
  readonly values: readonly (string | null)[];
}

/** Fields that came with newer services, with the value that means the same as no field. */
const SINCE_2025: Readonly<Record<string, JsonValue>> = {
  bucketing_identifier: 'distinct_id',
  evaluation_runtime: 'all',
  has_encrypted_payloads: false,
  is_remote_configuration: false,
};

const VARIANT = '/filters/multivariate/variants/*';
const CONDITION = '/filters/groups/*';
const PROPERTY = `${CONDITION}/properties/*`;

export const TOLERANCES: readonly Tolerance[] = [
  form('/name', 'trimmed', 'the service trims outer white space'),
  absent('/name', ['', null], 'a flag without a description has an empty one'),
  form('/tags', 'tags', 'tags are a set; the service trims, lower-cases and orders them'),
  absent('/tags', [[], null], 'no tags are an empty list'),
  form('/evaluation_contexts', 'set', 'a set without an order of its own'),
  absent('/evaluation_contexts', [[], null], 'no contexts are an empty list'),
  form('/evaluation_tags', 'tags', 'as tags'),
  absent('/evaluation_tags', [[], null], 'as tags'),
  form('/created_at', 'instant', 'the same moment is written with other fractions and offsets'),
  absent('/ensure_experience_continuity', [null], 'old flags hold null where nothing was chosen'),
  absent(
    '/rollback_conditions',
    [null, []],
    'null or an empty list where there are none; services since 2026 lack the field',
  ),
  absent('/deleted', [false, null], 'a flag is not deleted unless it says so'),
  absent('/archived', [false, null], 'services before 2026 have no archive'),
  ...Object.entries(SINCE_2025).map(([field, usual]) =>
    absent(
      `/${field}`,
      [usual, null],
      'services before 2025 lack the field and behave as with this value, and so do services where it is null',
    ),
  ),

  form(
    '/filters',
    'aggregation',
    'the service copies the aggregation of the flag to its conditions and back, and writes null for persons',
  ),
  absent('/filters/*', [null], 'a top-level part is removed by sending null, and some versions store that null'),
  {
    path: '/filters/payloads',
    treat: { kind: 'absent', when: [{}], sentAs: {} },
    reason: 'no payloads are an empty object, or nothing; services before 2026 refuse null',
  },
  form('/filters/payloads/*', 'payload', 'the service turns a payload into JSON text, with white space of its own'),
  {
    path: '/filters/multivariate',
    treat: { kind: 'absent', when: [{ variants: [] }], sentAs: null },
    reason:
      'a flag without variants is a boolean flag, however that is written; the service of 2026 refuses an empty list',
  },
  absent(`${VARIANT}/name`, [null], 'null where a variant has no name'),
  absent(`${VARIANT}/description`, [null], 'null where a variant has no description'),
  observed('super_groups', 'written by early access management; removed by the service on any save since 2026'),
  observed('feature_enrollment', 'written by early access management'),
  observed('holdout', 'written by experiments'),
  observed('holdout_groups', 'written by experiments; removed by the service on any save since 2026'),

  {
    path: `${CONDITION}/properties`,
    treat: { kind: 'absent', when: [[], null], sentAs: [] },
    reason: 'the service adds an empty list to a condition without properties; the service of 2023 fails on null',
  },
  {
    path: `${CONDITION}/properties`,
    treat: { kind: 'unordered' },
    reason: 'all properties of a condition must match, in whatever order they are tried',
  },
  {
    path: `${CONDITION}/rollout_percentage`,
    treat: { kind: 'default', value: 100 },
    reason: 'absent, null and 100 evaluate alike, and are stored as they came',
  },
  absent(`${CONDITION}/variant`, [null, ''], 'null or an empty string where a condition forces no variant'),
  absent(`${CONDITION}/description`, [null], 'null where a condition has no description'),
  carried(`${CONDITION}/sort_key`),
  carried(`${CONDITION}/label`),

  form(`${PROPERTY}/key`, 'property-key', 'a number becomes text'),
  form(`${PROPERTY}/operator`, 'operator', 'min and max are other names of gte and lte'),
  {
    path: `${PROPERTY}/operator`,
    treat: { kind: 'default', value: 'exact', of: { member: 'type', values: ['person', 'group', null] }, sent: true },
    reason: 'a property without an operator is compared for equality',
  },
  {
    path: `${PROPERTY}/operator`,
    treat: { kind: 'default', value: 'in', of: { member: 'type', values: ['cohort'] }, sent: true },
    reason: 'a cohort without an operator means its members; cohorts had no operator before 2025',
  },
  {
    path: `${PROPERTY}/type`,
    treat: { kind: 'default', value: 'person', sent: true },
    reason: 'old flags have properties of persons without a type, which every service refuses today',
  },
  form(
    `${PROPERTY}/value`,
    'operand',
    'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  ),
  form(
    `${PROPERTY}/value`,
    'any-of',
    'an operator that matches any element of a list matches the same in any order; a pair of bounds keeps its order',
  ),
  form(
    `${PROPERTY}/value`,
    'listed',
    'exact and is_not compare with a value as with a list of it; other operators refuse one of the two',
  ),
  absent(`${PROPERTY}/value`, [null], 'null where there is no value'),
  absent(`${PROPERTY}/negation`, [null, false], 'null or false where nothing is negated'),
  absent(`${PROPERTY}/group_type_index`, [null], 'null in a property of a person'),
  carried(`${PROPERTY}/label`),
  // The parts of filters in which the service adds members to conditions.
  ...['groups', 'super_groups', 'holdout_groups'].flatMap((list) => [
    injected(`/filters/${list}/*/properties/*/cohort_name`, { member: 'type', value: 'cohort' }),
    injected(`/filters/${list}/*/properties/*/group_key_names`, { member: 'key', value: '$group_key' }),
  ]),
];

/** Top-level parts of `filters` that other products write. */
export const PARTS_OF_OTHER_PRODUCTS: readonly string[] = TOLERANCES.filter(
  ({ treat }) => treat.kind === 'observed',
).map(({ path }) => path.replace('/filters/', ''));

function form(path: string, name: FormName, reason: string): Tolerance {
  return { path, treat: { kind: 'form', form: name }, reason };
}

function absent(path: string, when: readonly JsonValue[], reason: string): Tolerance {
  return { path, treat: { kind: 'absent', when }, reason };
}

function observed(part: string, reason: string): Tolerance {
  return { path: `/filters/${part}`, treat: { kind: 'observed' }, reason };
}

function carried(path: string): Tolerance {
  return { path, treat: { kind: 'carried' }, reason: "the web interface's bookkeeping" };
}

function injected(path: string, into: Mark): Tolerance {
  return { path, treat: { kind: 'injected', into }, reason: 'added by the service whenever a flag is read' };
}

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
  if (!viewFilters(fields['filters']).isOpaque) return form(fields);
  const { filters, ...others } = fields;
  return { ...form(others), filters };
}

const COMPLETE_TREE = treeOf(TOLERANCES.filter(({ treat }) => treat.kind !== 'injected' && treat.kind !== 'carried'));

/** The same fields without members that the service adds on reading. */
export function withoutInjected(fields: JsonObject): JsonObject {
  return keepOpaque(fields, (readable) => stripped(readable, TOLERANCE_TREE) as JsonObject);
}

/** Returns the value itself if nothing was added to it, which is usual. */
function stripped(value: JsonValue, rule: ToleranceRule | undefined): JsonValue {
  if (rule?.holdsInjected !== true) return value;
  if (isJsonArray(value)) {
    const kept = value.map((one) => stripped(one, rule.children.get('*')));
    return kept.every((one, index) => one === value[index]) ? value : kept;
  }
  if (!isJsonObject(value)) return value;
  const kept = Object.keys(value).map((name): [string, JsonValue | undefined] => {
    const [member, child] = [value[name], ruleOf(rule, name)];
    const isAdded = child !== undefined && isInjected(child, value);
    return [name, member === undefined || isAdded ? undefined : stripped(member, child)];
  });
  if (kept.every(([name, member]) => member === value[name])) return value;
  return objectFrom(kept.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
}

/** Remembers the forms of filters, since every comparison of a flag needs them. A form is its own form. */
function canonicalValue(value: JsonValue, rule: ToleranceRule, owner: JsonObject): JsonValue {
  if (!rule.remembered || !isJsonObject(value)) return formedValue(value, rule, owner);
  return viewFilters(value).form(rule, () => {
    const form = formedValue(value, rule, {}) as JsonObject;
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
    if (value === undefined || (child !== undefined && (child.carried || isInjected(child, object)))) continue;
    const formed = child === undefined ? value : canonicalValue(value, child, object);
    if (child === undefined || !isAbsent(formed, child)) setMember(canonical, key, formed);
  }
  for (const { key, value } of impliedMembers(object, rule)) setMember(canonical, key, value);
  return canonical;
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
  readonly fallbacks: Fallback[];
}

type Default = Omit<Extract<Treatment, { kind: 'default' }>, 'kind'>;

/** The default of a member. */
type Fallback = Default & { readonly key: string };

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
export function impliedMembers(object: JsonObject, { fallbacks }: ToleranceRule): readonly Fallback[] {
  // Few objects have any.
  if (fallbacks.length === 0) return fallbacks;
  return fallbacks.filter(({ key, of }) => {
    if ((memberOf(object, key) ?? null) !== null) return false;
    const owner = of && (memberOf(object, of.member) ?? null);
    return owner === undefined || of?.values.some((value) => value === owner) === true;
  });
}

/** Whether the value means the same as no value. */
export function isAbsent(value: JsonValue, { absentWhen }: ToleranceRule): boolean {
  return absentWhen.length > 0 && absentWhen.some((candidate) => jsonEquals(candidate, value));
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
    rule.fallbacks.push(...child.defaults.map((fallback) => ({ ...fallback, key: segment })));
    finish(child);
    rule.carries ||= child.carries;
    rule.holdsUnordered ||= child.holdsUnordered;
    rule.holdsInjected ||= child.holdsInjected || child.injectedInto !== undefined;
  }
}
