/** Judges whether the properties of a condition select more people, fewer people, or others than before. */

import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonNumber,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { without } from '../posthog/flag/layout/members.ts';
import { KNOWN_MEMBERS } from '../posthog/flag/model/known-members.ts';
import { findOperator } from '../posthog/flag/model/operators.ts';
import { isTruthLike } from '../posthog/flag/model/normal-forms.ts';
import type { PropertyChanges } from './effect.ts';

export type AudienceChange = 'same' | 'wider' | 'narrower' | 'other';

/** All properties of a condition must match, so one more selects fewer people. Both lists are in canonical form. */
export function compareAudiences(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): PropertyChanges & { readonly direction: AudienceChange } {
  const removed = missingIn(after, before);
  const added = missingIn(before, after);
  const paired = pairProperties(removed, added);
  const changes = {
    added: added.filter((property) => !paired.some((pair) => pair.after === property)),
    removed: removed.filter((property) => !paired.some((pair) => pair.before === property)),
    changed: paired.filter((pair) => directionOf(pair) !== 'same'),
  };
  const directions = [
    ...changes.added.map((): AudienceChange => 'narrower'),
    ...changes.removed.map((): AudienceChange => 'wider'),
    ...changes.changed.map(directionOf),
  ];
  const [first = 'same', ...others] = new Set(directions);
  return { ...changes, direction: others.length === 0 ? first : 'other' };
}

const TYPES: ReadonlySet<JsonValue> = new Set(['person', 'group', 'cohort', 'flag']);

/** Whether this release knows what the property selects. */
export function isReadable(property: JsonObject): boolean {
  const { key = null, type = 'person', operator = 'exact' } = property;
  const hasSubject = typeof key === 'string' || isJsonNumber(key) || (key === null && type === 'cohort');
  const isKnown = definedKeys(property).every((member) => KNOWN_MEMBERS.property.includes(member));
  return isKnown && hasSubject && TYPES.has(type) && findOperator(operator) !== undefined;
}

/** The elements of `others` that the list lacks; an element that occurs twice counts twice. */
function missingIn(list: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const left = list.map(canonicalText);
  return others.filter((element) => {
    const found = left.indexOf(canonicalText(element));
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
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
function directionOf({ before, after }: ChangedProperty): AudienceChange {
  const { operator, negation, type } = after;
  if (before['operator'] !== operator || before['negation'] !== negation) return 'other';
  const row = typeof operator === 'string' && Object.hasOwn(DIRECTIONS, operator) ? DIRECTIONS[operator] : undefined;
  if (row === undefined || negation === true || type === 'cohort') return 'other';
  return row(before['value'] ?? null, after['value'] ?? null);
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
