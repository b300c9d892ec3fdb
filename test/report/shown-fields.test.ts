/** Conditions of a change are shown beside what they were, wherever that stood. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonEquals, objectOrEmpty, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { valueAt } from '../../src/base/json-pointer.ts';
import { pairConditions } from '../../src/review/effects/sides.ts';
import { sidesOf } from '../../src/posthog/flag/snapshot.ts';
import type { UpdateFlag } from '../../src/posthog/flag/change.ts';
import { driftedFields, plannedFields, type ShownField } from '../../src/report/model/fields.ts';
import { FLAG_LABELS } from '../../src/posthog/flag/labels.ts';
import { holds } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../helpers/states.ts';

const US = condition({ key: 'country', value: ['US'] }, 10);
const STAFF = condition({ key: 'email', operator: 'icontains', value: '@acme.com' }, 100);
const EVERYONE = { properties: [], rollout_percentage: 25 };
const withShare = (one: JsonObject, share: number): JsonObject => ({ ...one, rollout_percentage: share });

test.each<[string, JsonObject[], JsonObject[], string[]]>([
  ['a percentage', [STAFF, US], [STAFF, withShare(US, 20)], ['condition 2 · rollout_percentage: 10 → 20']],
  ['a new first condition', [STAFF], [US, STAFF], [`condition 1: nothing → ${JSON.stringify(US)}`]],
  ['a condition that moved', [STAFF, EVERYONE], [EVERYONE, STAFF], ['condition 2: was condition 1']],
  [
    'one that moved and is wider',
    [STAFF, EVERYONE],
    [withShare(EVERYONE, 50), STAFF],
    ['condition 1 (was 2) · rollout_percentage: 25 → 50', 'condition 2: was condition 1'],
  ],
  [
    'a new first condition beside a wider last one',
    [STAFF, EVERYONE],
    [US, STAFF, withShare(EVERYONE, 50)],
    [`condition 1: nothing → ${JSON.stringify(US)}`, 'condition 3 (was 2) · rollout_percentage: 25 → 50'],
  ],
  [
    'the first condition removed beside a wider last one',
    [US, STAFF, EVERYONE],
    [STAFF, withShare(EVERYONE, 50)],
    ['condition 2 (was 3) · rollout_percentage: 25 → 50', `former condition 1: ${JSON.stringify(US)} → nothing`],
  ],
])('shows %s', (_name, live, wanted, lines) => {
  expect(plannedFields(changeOf(live, wanted)).map(lineOf)).toEqual(lines);
});

test('reads drift from the declared conditions to the live ones', () => {
  const change = changeOf([withShare(EVERYONE, 50), STAFF], [STAFF, EVERYONE]);
  expect(driftedFields(change).map(lineOf)).toEqual([
    'condition 1 (declared as 2) · rollout_percentage: 25 → 50',
    'condition 2: declared as condition 1',
  ]);
});

test('keeps the places in the list where something is said of one value alone', () => {
  const change = changeOf([STAFF, EVERYONE], [withShare(EVERYONE, 50), STAFF]);
  const fields = change.fields.map((field, index) => ({
    ...field,
    divergence: index === 0 ? ('pending' as const) : ('drifted' as const),
  }));
  expect(plannedFields({ ...change, fields })).toEqual(fields);
});

test('shows each condition that differs, with its values before and after', () => {
  const conditions = fc.array(
    fc
      .tuple(fc.constantFrom<JsonObject>(US, STAFF, EVERYONE), fc.constantFrom(5, 50, 80))
      .map(([one, share]) => withShare(one, share)),
    { minLength: 1, maxLength: 5 },
  );
  holds(500, [conditions, conditions], (live, wanted) => {
    const change = updateOf(live, wanted);
    const shown = change === undefined ? [] : plannedFields(change);
    // By place: nothing changed its place.
    if (change === undefined || shown.every((field) => change.fields.includes(field))) return;
    const { before, after } = sidesOf([change]);
    for (const field of shown.filter(({ text }) => text === undefined)) {
      expect(field.before).toEqual(valueAt(before, withNumber(field.path, formerNumber(field))));
      if (field.after !== undefined) expect(field.after).toEqual(valueAt(after, field.path));
    }
    for (const pair of pairConditions(objectOrEmpty(before?.['filters']), objectOrEmpty(after?.['filters']))) {
      if (jsonEquals(pair.former?.condition, pair.wanted?.condition)) continue;
      const name =
        pair.wanted === undefined ? `former condition ${pair.former?.number}` : `condition ${pair.wanted.number}`;
      expect(shown.map(lineOf).filter((line) => line.startsWith(name))).not.toEqual([]);
    }
  });
});

function condition(property: JsonObject, share: number): JsonObject {
  return { properties: [{ type: 'person', operator: 'exact', ...property }], rollout_percentage: share };
}

function updateOf(live: readonly JsonObject[], wanted: readonly JsonObject[]): UpdateFlag | undefined {
  const state = liveState([liveFlag(1, 'a', { filters: { groups: live } })]);
  const { changes } = planFor(desiredState(declared('a', { filters: { groups: wanted } })), state);
  return changes[0] as UpdateFlag | undefined;
}

function changeOf(live: readonly JsonObject[], wanted: readonly JsonObject[]): UpdateFlag {
  const change = updateOf(live, wanted);
  if (change === undefined) throw new Error('nothing differs');
  return change;
}

function lineOf(field: ShownField): string {
  const label = field.label ?? FLAG_LABELS.field(field.path);
  return `${label}: ${field.text ?? `${textOf(field.before)} → ${textOf(field.after)}`}`;
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The number that the condition had before; 0 for a new one. */
function formerNumber({ label, path, before }: ShownField): number {
  const [number = '0'] = /(?<=\(was )\d+/u.exec(label ?? '') ?? [before === undefined ? '0' : numberIn(path)];
  return Number(number);
}

function numberIn(path: string): string {
  return String(Number(path.split('/')[3]) + 1);
}

function withNumber(path: string, number: number): string {
  return path.replace(/\d+/u, String(number - 1));
}
