/** Filters of people in short sentences. */

import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import {
  isEmptyValue,
  listText,
  percentText,
  restText,
  shortProperty,
  subjectOf,
} from '../../../src/report/words/values.ts';

const plan = { key: 'plan', type: 'person', value: 'pro' };

test.each<[JsonValue, string]>([
  [plan, 'plan is pro'],
  [{ ...plan, operator: null }, 'plan is pro'],
  [{ ...plan, operator: 'exact', value: ['pro'] }, 'plan is pro'],
  [{ ...plan, operator: 'exact', value: ['pro', 'team'] }, 'plan is one of pro, team'],
  [{ ...plan, operator: 'exact', value: [] }, 'plan is []'],
  [{ ...plan, operator: 'is_not', value: ['a', 'b'] }, 'plan is not one of a, b'],
  [{ ...plan, operator: 'is_set' }, 'plan is set'],
  [{ ...plan, operator: 'is_not_set' }, 'plan is not set'],
  [{ ...plan, operator: 'icontains' }, 'plan contains pro'],
  [{ key: 'id', type: 'cohort', value: 7 }, 'in cohort 7'],
  [{ key: 'id', type: 'cohort', value: 7, operator: 'exact' }, 'in cohort 7'],
  [{ key: 'id', type: 'cohort', value: 7, operator: 'not_in', cohort_name: 'Beta' }, 'not in cohort 7'],
  [{ key: 'b', type: 'flag', operator: 'flag_evaluates_to', value: false }, 'flag b is false'],
  [{ key: 'size', type: 'group', group_type_index: 1, value: 5 }, 'group 1 size is 5'],
  [{ ...plan, operator: 'gt', value: 5 }, 'plan gt 5'],
  [{ ...plan, negation: true }, 'not plan exact pro'],
  [{ ...plan, later: 1 }, 'plan exact pro (later: 1)'],
  [{ ...plan, label: 'x' }, 'plan is pro'],
  [{ key: 'id', type: 'cohort', value: 7, negation: true, cohort_name: 'Beta' }, 'not cohort exact 7 (Beta)'],
  [{ key: 'x', type: 'session', operator: 'gt', value: 'gt' }, 'session x gt'],
  ['x', 'x'],
])('%j: %s', (property, text) => {
  expect(shortProperty(property)).toBe(text);
});

test('a long list is cut, and says how many are left out', () => {
  expect([1, 5, 6, 8].map((length) => listText(Array.from({ length }, (_, index) => index)))).toEqual([
    '0',
    '0, 1, 2, 3, 4',
    '0, 1, 2, 3, 4 and 1 other',
    '0, 1, 2, 3, 4 and 3 others',
  ]);
});

test('no share means everybody', () => {
  expect([percentText(undefined), percentText(null), percentText(0), percentText(2.5)]).toEqual([
    '100%',
    '100%',
    '0%',
    '2.5%',
  ]);
});

test('members that are not shown elsewhere follow, empty ones and sort keys only on request', () => {
  const object = { a: 1, sort_key: 'k', b: [], c: {}, d: '', e: null, f: [1], g: { h: 1 } };
  expect(restText(object, ['a'], false)).toBe(' (f: [1], g: { h: 1 })');
  expect(restText(object, ['a', 'f', 'g'], false)).toBe('');
  expect(restText({ a: 1, sort_key: 'k', b: [] }, ['a'], true)).toBe(' (sort_key: k, b: [])');
  expect([null, '', [], {}, 0, false, 'x', [0], { a: 1 }].map((value) => isEmptyValue(value))).toEqual([
    ...[true, true, true, true],
    ...[false, false, false, false, false],
  ]);
});

test('the subject of a filter is its key, with its type of groups', () => {
  expect([subjectOf({ key: 'a b' }), subjectOf({}), subjectOf({ type: 'group', key: 'size' })]).toEqual([
    '"a b"',
    'null',
    'group null size',
  ]);
});
