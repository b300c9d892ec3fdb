/** Filters of people in short sentences. */

import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { OPERATORS } from '../../../src/posthog/flag/model/operators.ts';
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
  [{ key: 'id', type: 'cohort', value: 7, operator: 'not_in', cohort_name: 'Beta' }, 'not in cohort 7 (Beta)'],
  [{ key: 'b', type: 'flag', operator: 'flag_evaluates_to', value: false }, 'flag b is false'],
  [{ key: 'size', type: 'group', group_type_index: 1, value: 5 }, 'group 1 size is 5'],
  [{ ...plan, operator: 'gt', value: 5 }, 'plan more than 5'],
  [{ ...plan, negation: true }, 'not (plan is pro)'],
  [{ ...plan, later: 1 }, 'plan is pro (later: 1)'],
  [{ ...plan, label: 'x' }, 'plan is pro'],
  [{ key: 'id', type: 'cohort', value: 7, negation: true, cohort_name: 'Beta' }, 'not (in cohort 7 (Beta))'],
  [{ key: 'x', type: 'session', operator: 'newer', value: 'newer' }, 'session x newer'],
  ['x', 'x'],
])('%j: %s', (property, text) => {
  expect(shortProperty(property)).toBe(text);
});

test.each<[operator: string, value: JsonValue, text: string]>([
  ['not_icontains', 'a b', 'does not contain "a b"'],
  ['icontains_multi', ['a', 'b'], 'contains one of a, b'],
  ['not_icontains_multi', ['a', 'b'], 'contains none of a, b'],
  ['starts_with', 'a', 'starts with a'],
  ['not_starts_with', 'a', 'does not start with a'],
  ['ends_with', '@acme.com', 'ends with "@acme.com"'],
  ['not_ends_with', 'a', 'does not end with a'],
  ['regex', '^a+$', 'matches the pattern "^a+$"'],
  ['not_regex', '^a+$', 'does not match the pattern "^a+$"'],
  ['gt', '25', 'more than 25'],
  ['gte', '25', 'at least 25'],
  ['lt', 25, 'less than 25'],
  ['lte', '2.5', 'at most 2.5'],
  ['min', '25', 'at least 25'],
  ['max', '25', 'at most 25'],
  ['gte', 'a "b"', 'at least "a \\"b\\""'],
  ['between', ['1', '5'], 'between 1 and 5'],
  ['not_between', [1, 5], 'not between 1 and 5'],
  ['is_date_after', '-30d', 'in the last 30 days'],
  ['is_date_after', '1h', 'in the last 1 hour'],
  ['is_date_before', '-2w', 'more than 2 weeks ago'],
  ['is_date_exact', '-1y', '1 year ago'],
  ['is_date_after', '2026-01-31', 'after 2026-01-31'],
  ['is_date_before', '2026-01-31 12:00:00', 'before 2026-01-31 12:00:00'],
  ['is_date_exact', '2026-01-31', 'on 2026-01-31'],
  ['semver_eq', '1.2.3', 'is version 1.2.3'],
  ['semver_neq', '1.2.3', 'is not version 1.2.3'],
  ['semver_gt', '1.2.3', 'is a version after 1.2.3'],
  ['semver_gte', '1.2.3', 'is version 1.2.3 or later'],
  ['semver_lt', '1.2.3', 'is a version before 1.2.3'],
  ['semver_lte', '1.2.3-rc.1', 'is version 1.2.3-rc.1 or earlier'],
  ['semver_tilde', '1.2.3', 'is in the versions ~1.2.3'],
  ['semver_caret', '1.2.3', 'is in the versions ^1.2.3'],
  ['semver_wildcard', '1.2.*', 'is in the versions 1.2.*'],
  ['unheard_of', 'a', 'unheard_of a'],
])('the operator %s of %j is in words', (operator, value, text) => {
  expect(shortProperty({ ...plan, operator, value })).toBe(`plan ${text}`);
});

test('every operator is in words', () => {
  for (const operator of Object.keys(OPERATORS)) {
    if (operator.includes('_')) expect(shortProperty({ ...plan, operator, value: 'a' })).not.toContain(operator);
  }
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
