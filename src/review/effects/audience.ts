/** Judges whether the properties of a condition select more people, fewer people, or others than before. */

import {
  without,
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { comparing } from '../../base/compare-strings.ts';
import { KNOWN_MEMBERS, type Property } from '../../posthog/flag/model/flag.ts';
import { findOperator } from '../../posthog/flag/model/operators.ts';
import { isTruthLike } from '../../posthog/flag/model/normal-forms.ts';
import type { PropertyChanges } from './effect.ts';

export type AudienceChange = 'same' | 'wider' | 'narrower' | 'other';

/** `comparesText`: the service compares values as strings in any case, as today's does; false where it may compare types. */
export interface AudienceRules {
  readonly comparesText: boolean;
}

/** All properties of a condition must match, so one more selects fewer people. Both lists are in canonical form. */
export function compareAudiences(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  rules: AudienceRules = { comparesText: false },
): PropertyChanges & { readonly direction: AudienceChange } {
  const [former, wanted] = [byForm(before, rules), byForm(after, rules)];
  const removed = missingIn(wanted, former);
  const added = missingIn(former, wanted);
  const paired = pairProperties(removed, added);
  const changes = {
    added: added.filter((property) => !paired.some((pair) => pair.after === property)),
    removed: removed.filter((property) => !paired.some((pair) => pair.before === property)),
    changed: paired,
  };
  const directions = [
    ...changes.added.map((): AudienceChange => 'narrower'),
    ...changes.removed.map((): AudienceChange => 'wider'),
    ...paired.map((pair) => directionOf(pair, rules)),
  ];
  const [first = 'same', ...others] = new Set(directions);
  return { ...changes, direction: others.length === 0 ? first : 'other' };
}

/**
 * The same for the definitions of a cohort: `properties` of its filters. `other` where they cannot be compared, as where they name another
 * cohort, which may change too.
 */
export function compareDefinitions(before: JsonValue | undefined, after: JsonValue | undefined): AudienceChange {
  const [former, wanted] = [before, after].map(requiredFilters);
  if (former !== undefined && wanted !== undefined) return compareAudiences(former, wanted).direction;
  const [some, others] = [before, after].map(alternativesOf);
  return some === undefined || others === undefined ? 'other' : byList(some, others);
}

/** The filters of persons that all must match; `undefined` for another definition. */
function requiredFilters(node: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (!isJsonObject(node)) return undefined;
  const { type = null, values } = node;
  if (!isJsonArray(values)) return type === 'person' && isReadable(node) ? [node] : undefined;
  if (values.length === 0 || (type !== 'AND' && !(type === 'OR' && values.length === 1))) return undefined;
  const parts = values.map(requiredFilters);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** The definitions of which one must match. */
function alternativesOf(node: JsonValue | undefined): JsonArray | undefined {
  if (!isJsonObject(node) || node['type'] === 'AND') return undefined;
  const { values } = node;
  if (!isJsonArray(values) || values.length === 0) return undefined;
  return values.every((value) => requiredFilters(value) !== undefined) ? values : undefined;
}

const TYPES: ReadonlySet<JsonValue> = new Set(['person', 'group', 'cohort', 'flag']);

/** Whether this release knows what the property selects. */
export function isReadable(property: JsonObject): boolean {
  const { key = null, type = 'person', operator = 'exact' } = property;
  const hasSubject = typeof key === 'string' || isJsonNumber(key) || (key === null && type === 'cohort');
  const isKnown = definedKeys(property).every((member) => KNOWN_MEMBERS.property.includes(member));
  return isKnown && hasSubject && TYPES.has(type) && findOperator(operator) !== undefined;
}

function missingIn(list: PropertiesByForm, others: PropertiesByForm): JsonObject[] {
  return [...others].flatMap(([form, property]) => (list.has(form) ? [] : [property]));
}

/** Properties by a form that is the same for those that select the same people. */
type PropertiesByForm = ReadonlyMap<string, JsonObject>;

function byForm(properties: readonly JsonObject[], rules: AudienceRules): PropertiesByForm {
  return new Map(properties.map((one) => [canonicalText({ ...one, value: answeredValue(one, rules) }), one]));
}

/** One value for all that the operator answers alike. */
function answeredValue({ operator = null, value = null, type }: JsonObject, rules: AudienceRules): JsonValue {
  const operand = type === 'cohort' || type === 'flag' ? undefined : findOperator(operator)?.operand;
  const foldAll = (fold: (one: JsonValue) => JsonValue): JsonValue =>
    isJsonArray(value) ? sortedSet(value.map(fold)) : fold(value);
  if (operand === 'scalars') return foldAll(rules.comparesText ? textOf : (one) => one);
  return operand === 'string' || operand === 'strings' ? foldAll(lowerCaseOf) : value;
}

function sortedSet(values: readonly JsonValue[]): JsonValue {
  const byText = new Map(values.map((one) => [canonicalText(one), one]));
  return [...byText].toSorted(comparing(([text]) => text)).map(([, one]) => one);
}

/** Numbers that have several forms are left as they are. */
function textOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toLowerCase();
  const hasOneForm = typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value));
  return hasOneForm ? String(value) : value;
}

/** Services differ in letters beyond ASCII. */
function lowerCaseOf(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : value;
}

type ChangedProperty = PropertyChanges['changed'][number];

/** Pairs properties that differ only in the value, then those that have the same subject and another operator. */
function pairProperties(removed: readonly JsonObject[], added: readonly JsonObject[]): ChangedProperty[] {
  const byValue = pairBy((property) => without(property, ['value']), removed, added);
  const rest = (list: readonly JsonObject[], side: keyof ChangedProperty): JsonObject[] =>
    list.filter((property) => !byValue.some((pair) => pair[side] === property));
  const subject = (property: JsonObject): JsonObject => without(property, ['value', 'operator', 'negation']);
  return [...byValue, ...pairBy(subject, rest(removed, 'before'), rest(added, 'after'))];
}

function pairBy(
  part: (property: JsonObject) => JsonObject,
  removed: readonly JsonObject[],
  added: readonly JsonObject[],
): ChangedProperty[] {
  const free = [...removed];
  return added.flatMap((after) => {
    const text = canonicalText(part(after));
    const index = free.findIndex((candidate) => canonicalText(part(candidate)) === text);
    const before = index === -1 ? undefined : free.splice(index, 1)[0];
    return before === undefined ? [] : [{ before, after }];
  });
}

/** How the audience changes when the value of an operator changes; an operator without a row is not judged. */
const DIRECTIONS: Readonly<Record<string, (before: JsonValue, after: JsonValue) => AudienceChange>> = {
  exact: byEquality,
  is_not: (before, after) => byEquality(after, before),
  icontains_multi: byList,
  not_icontains_multi: (before, after) => byList(after, before),
  flag_evaluates_to: byResult,
};

/** The operators of values mean nothing for a cohort, whose value is one id. */
function directionOf({ before, after }: ChangedProperty, rules: AudienceRules): AudienceChange {
  const { operator, negation, type } = after;
  if (before['operator'] !== operator || before['negation'] !== negation) return 'other';
  const row = typeof operator === 'string' && Object.hasOwn(DIRECTIONS, operator) ? DIRECTIONS[operator] : undefined;
  if (row === undefined || negation === true || type === 'cohort') return 'other';
  return row(answeredValue(before, rules), answeredValue(after, rules));
}

/** `true` and `false` are compared as truth values: with one among them, a longer list may select other people. */
function byEquality(before: JsonValue, after: JsonValue): AudienceChange {
  const direction = byList(before, after);
  return direction !== 'same' && [before, after].some(isTruthLike) ? 'other' : direction;
}

/** Judges an operator that matches any element of a list. Without a value, neither it nor its negation matches anybody. */
function byList(before: JsonValue, after: JsonValue): AudienceChange {
  if (before === null || after === null) return 'other';
  const [former, wanted] = [elementsOf(before), elementsOf(after)];
  const keepsAll = [...former].every((text) => wanted.has(text));
  const addsNone = [...wanted].every((text) => former.has(text));
  if (keepsAll === addsNone) return keepsAll ? 'same' : 'other';
  return keepsAll ? 'wider' : 'narrower';
}

function elementsOf(value: JsonValue): ReadonlySet<string> {
  return new Set((isJsonArray(value) ? value : [value]).map(canonicalText));
}

/** `true` is any variant. */
function byResult(before: JsonValue, after: JsonValue): AudienceChange {
  if (after === true && typeof before === 'string') return 'wider';
  return before === true && typeof after === 'string' ? 'narrower' : 'other';
}

/** A filter with an operator or of a type that this release does not know: only the service knows whom it selects. */
export function isKnownFilter(filter: Property): boolean {
  const { type = null, operator = null } = filter;
  const isWhole = type !== null && operator !== null;
  return isReadable(isWhole ? filter : { ...filter, type: type ?? 'person', operator: operator ?? 'exact' });
}
