/** Each row of the table of tolerances: which definitions mean the same, and what a request has. */

import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { canonicalCohort, sentCohort, statedCohort, COHORT_TOLERANCES } from '../../../src/posthog/cohort/cohort.ts';

function of(...values: readonly JsonObject[]): JsonObject {
  return { filters: { properties: { type: 'AND', values: [{ type: 'OR', values }] } } };
}

const plan = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const other = { key: 'id', type: 'cohort', value: 7 };

const SAME: readonly (readonly [row: string, one: JsonObject, another: JsonObject])[] = [
  ['cohort name trimmed', { name: ' A ' }, { name: 'A' }],
  ['cohort description trimmed', { description: ' x ' }, { description: 'x' }],
  ['cohort description absent', { description: '' }, {}],
  ['cohort * absent', { description: null }, {}],
  ['leaf bytecode injected', of({ ...plan, bytecode: ['_H', 1] }), of(plan)],
  ['leaf bytecode_error injected', of({ ...plan, bytecode_error: 'x' }), of(plan)],
  ['leaf conditionHash injected', of({ ...plan, conditionHash: 'abc' }), of(plan)],
  ['leaf * absent', of({ ...plan, event_type: null }), of(plan)],
  ['leaf negation default', of({ ...plan, negation: false }), of(plan)],
  ['leaf type default', of({ key: 'plan', operator: 'exact', value: 'pro' }), of(plan)],
  ['leaf key default', of({ type: 'cohort', value: 7 }), of(other)],
  ['leaf operator default', of({ key: 'plan', type: 'person', value: 'pro' }), of(plan)],
  ['leaf operator operator', of({ ...other, operator: 'in' }), of(other)],
  ['leaf value id', of({ ...other, value: '7' }), of(other)],
  [
    'leaf value operand',
    of({ key: 'a', type: 'person', operator: 'is_set', value: 'is_set' }),
    of({ key: 'a', type: 'person', operator: 'is_set' }),
  ],
];

test.each(SAME)('%s', (_row, one, another) => {
  expect(canonicalCohort(one)).toEqual(canonicalCohort(another));
  for (const fields of [one, another]) {
    expect(canonicalCohort(canonicalCohort(fields))).toEqual(canonicalCohort(fields));
    expect(canonicalCohort(sentCohort(fields))).toEqual(canonicalCohort(fields));
    expect(sentCohort(sentCohort(fields))).toEqual(sentCohort(fields));
  }
});

it('every row of the table has a case and a reason', () => {
  const rows = COHORT_TOLERANCES.map(({ of: place, member, treat }) => [place, member, treat].join(' '));
  expect(SAME.map(([row]) => row).toSorted()).toEqual(rows.toSorted());
  for (const { reason } of COHORT_TOLERANCES) expect(reason).not.toBe('');
});

describe('definitions that differ', () => {
  test.each([
    [of(plan), of({ ...plan, negation: true })],
    [of(plan), of({ ...plan, value: ['pro'] })],
    [of(other), of({ ...other, operator: 'not_in' })],
    [of(plan, other), of(other, plan)],
    [of(plan), {}],
    // The service trims the name of a cohort, and nothing in a filter.
    [of({ ...plan, name: ' a' }), of({ ...plan, name: 'a' })],
    [of({ ...plan, description: '' }), of(plan)],
    // What only filters have, a cohort does not.
    [{ operator: 'in', type: 'cohort' }, { type: 'cohort' }],
    [{ bytecode: [1] }, {}],
    // An id is text only in a filter on a cohort, and only up to what a number can hold.
    [of({ ...plan, value: '7' }), of({ ...plan, value: 7 })],
    [of({ ...other, value: '1234567890123456' }), of({ ...other, value: 1234567890123456 })],
    [of({ ...other, value: '7x' }), of(other)],
    [of({ ...plan, operator: 'in' }), of({ ...plan, operator: 'exact' })],
    [of({ ...plan, operator: 'icontains', value: 'a' }), of({ ...plan, operator: 'icontains', value: 'b' })],
    [of({ type: 'behavioral', value: 'a' }), of({ type: 'behavioral', value: 'a', operator: 'exact' })],
    [of({ type: 'person', value: 7 }), of({ type: 'person', value: 7, key: 'id' })],
  ])('%j and %j', (one, another) => {
    expect(canonicalCohort(one)).not.toEqual(canonicalCohort(another));
  });
});

describe('a manifest states of a filter', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['what it says', plan, plan],
    ['not what the service adds, nor null', { ...plan, bytecode: [1], conditionHash: 'a', event_type: null }, plan],
    ['not that nothing is negated', { ...plan, negation: false }, plan],
    ['that it is negated', { ...plan, negation: true }, { ...plan, negation: true }],
    ['not the key of each filter on a cohort', other, { type: 'cohort', value: 7 }],
    [
      'an operator of a filter on a cohort',
      { ...other, operator: 'exact' },
      { type: 'cohort', value: 7, operator: 'exact' },
    ],
    ['another key of a filter on a cohort', { ...other, key: 'a' }, { ...other, key: 'a' }],
    ['the key of a property that has the same name', { ...plan, key: 'id' }, { ...plan, key: 'id' }],
    ['the type and operator that requests write out', { ...plan, type: 'person' }, { ...plan, type: 'person' }],
  ])('%s', (_what, leaf, stated) => {
    expect(statedCohort(of(leaf, plan))).toEqual(of(stated, plan));
  });
});

it('a request is complete, and has nothing that the service adds itself', () => {
  expect(
    sentCohort(of({ key: 'plan', value: 'pro', bytecode: [1], conditionHash: 'a' }, { type: 'cohort', value: 7 })),
  ).toEqual(
    of({ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }, { type: 'cohort', value: 7, key: 'id' }),
  );
});
