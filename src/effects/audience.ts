/** Whether the properties of a condition select more people, fewer, or others than before. */

import { canonicalText, isJsonArray, isJsonNumber, objectFrom, type JsonObject, type JsonValue } from '../base/json.ts';
import { findOperator } from '../posthog/flag/operators.ts';
import type { PropertyChanges } from './effect.ts';

export type Direction = 'same' | 'wider' | 'narrower' | 'other';

/** All properties of a condition must match: one more selects fewer people. Both lists in canonical form. */
export function compareAudiences(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): PropertyChanges & { readonly direction: Direction } {
  const removed = without(before, after);
  const added = without(after, before);
  const changed = pairBySubject(removed, added);
  const changes = {
    added: added.filter((property) => !changed.some(({ after: paired }) => paired === property)),
    removed: removed.filter((property) => !changed.some(({ before: paired }) => paired === property)),
    changed,
  };
  const directions = [
    ...changes.added.map((): Direction => 'narrower'),
    ...changes.removed.map((): Direction => 'wider'),
    ...changed.map(directionOf),
  ];
  const [first = 'same', ...others] = new Set(directions);
  return { ...changes, direction: others.length === 0 ? first : 'other' };
}

const TYPES: ReadonlySet<JsonValue> = new Set(['person', 'group', 'cohort', 'flag']);

/** Whether this release knows what the property selects. */
export function isReadable({ key = null, type = 'person', operator = 'exact' }: JsonObject): boolean {
  const hasSubject = typeof key === 'string' || isJsonNumber(key) || (key === null && type === 'cohort');
  return hasSubject && TYPES.has(type) && findOperator(operator) !== undefined;
}

/** The elements that the other list lacks; an element that is there twice counts twice. */
function without(list: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const left = others.map(canonicalText);
  return list.filter((element) => {
    const found = left.indexOf(canonicalText(element));
    if (found !== -1) left.splice(found, 1);
    return found === -1;
  });
}

function pairBySubject(
  removed: readonly JsonObject[],
  added: readonly JsonObject[],
): { before: JsonObject; after: JsonObject }[] {
  const free = [...removed];
  return added.flatMap((after) => {
    const index = free.findIndex((candidate) => subjectOf(candidate) === subjectOf(after));
    const before = index === -1 ? undefined : free.splice(index, 1)[0];
    return before === undefined ? [] : [{ before, after }];
  });
}

/** All but the value that it is compared with. */
function subjectOf(property: JsonObject): string {
  return canonicalText(
    objectFrom(Object.entries(property).filter(([name]) => name !== 'value') as [string, JsonValue][]),
  );
}

/** What becomes of the people when the value of an operator changes from one to the other; an operator without a row says nothing. */
const DIRECTIONS: Readonly<Record<string, (before: JsonValue, after: JsonValue) => Direction>> = {
  exact: byList,
  is_not: (before, after) => byList(after, before),
  icontains_multi: byList,
  not_icontains_multi: (before, after) => byList(after, before),
  flag_evaluates_to: byResult,
};

function directionOf({ before, after }: { readonly before: JsonObject; readonly after: JsonObject }): Direction {
  const { operator, negation } = after;
  const row = typeof operator === 'string' && Object.hasOwn(DIRECTIONS, operator) ? DIRECTIONS[operator] : undefined;
  if (row === undefined || negation === true) return 'other';
  return row(before['value'] ?? null, after['value'] ?? null);
}

/** Of an operator that matches any element of a list. */
function byList(before: JsonValue, after: JsonValue): Direction {
  const [former, wanted] = [before, after].map(
    (value) => new Set((isJsonArray(value) ? value : [value]).map(canonicalText)),
  );
  if (former === undefined || wanted === undefined) return 'other';
  const keepsAll = [...former].every((text) => wanted.has(text));
  const addsNone = [...wanted].every((text) => former.has(text));
  if (keepsAll === addsNone) return keepsAll ? 'same' : 'other';
  return keepsAll ? 'wider' : 'narrower';
}

/** `true` is any variant. */
function byResult(before: JsonValue, after: JsonValue): Direction {
  if (after === true && typeof before === 'string') return 'wider';
  return before === true && typeof after === 'string' ? 'narrower' : 'other';
}
