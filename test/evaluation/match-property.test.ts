/** Every operator: matching and other values, a missing property, and values of the wrong kind. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Generation } from '../../src/evaluation/input.ts';
import { matchesProperty, VALUE_OPERATORS, type FilterMatch } from '../../src/evaluation/match-property.ts';
import { contextWith, person } from './support.ts';

/** Operator, value of the filter, values that match, values that do not, the answer without the property. */
type Row = readonly [
  operator: string,
  wanted: JsonValue | undefined,
  matching: readonly JsonValue[],
  others: readonly JsonValue[],
  missing: boolean,
];

const RUST: readonly Row[] = [
  ['exact', 'Berlin', ['Berlin', 'BERLIN', 'berlin'], ['Bern', '', null, 1, ['Berlin']], false],
  ['exact', ['DE', 'at'], ['de', 'AT'], ['CH', null], false],
  ['exact', '42', [42, '42'], [42.5, '042'], false],
  ['exact', [9_007_199_254_740_993n], ['9007199254740993', 9_007_199_254_740_993n], [9_007_199_254_740_992], false],
  ['gt', '5', [9_007_199_254_740_993n], [-9_007_199_254_740_993n], false],
  ['exact', 'true', [true, 'True', ['true', true]], [false, 'yes', 1, null], false],
  ['exact', ['false'], [false, 'no', null, 0], [true, 'TRUE'], false],
  ['exact', [], [true, 'true'], ['x', false], false],
  ['exact', undefined, [], ['null', null], false],
  ['exact', { b: 1, a: [2] }, ['{"a":[2],"b":1}', { a: [2], b: 1 }], [{ a: [2] }], false],
  ['exact', 'ÄPFEL', ['äpfel'], [], false],
  ['is_not', 'Berlin', ['Bern', null, ''], ['berlin'], true],
  ['is_not', ['a', 'b'], ['c'], ['B'], true],
  ['is_not', undefined, [], ['x'], false],
  ['is_set', undefined, ['x', '', null, false], [], false],
  ['is_not_set', undefined, [], ['x', null], true],
  ['icontains', '@ACME.com', ['ada@acme.COM'], ['ada@example.org', null], false],
  ['icontains', 'ä', ['ä'], ['Ä'], false],
  ['icontains', '3', [323, '3', [3]], ['three'], false],
  ['icontains', 'ul', [null], [true], false],
  ['not_icontains', 'acme', ['example'], ['ACME'], true],
  ['icontains_multi', ['alpha', 'BETA'], ['a beta b', 'Alpha'], ['gamma'], false],
  ['icontains_multi', 'alpha', ['ALPHABET'], ['beta'], false],
  ['icontains_multi', [], [], ['anything'], false],
  ['not_icontains_multi', ['alpha', 'beta'], ['gamma'], ['beta'], true],
  ['starts_with', 'Ada', ['ada lovelace', 'ADA'], ['mada'], false],
  ['not_starts_with', 'Ada', ['mada'], ['adam'], true],
  ['ends_with', '.DE', ['x.de'], ['x.de/'], false],
  ['not_ends_with', '.de', ['x.com'], ['x.DE'], true],
  ['regex', '^a.c$', ['abc'], ['ABC', 'abcd'], false],
  ['regex', 'b', ['abc'], ['ac'], false],
  ['regex', '(?i)ABC', ['xabcx'], ['ab'], false],
  ['regex', '(?P<year>\\d{4})-\\k<year>', ['2024-2024'], ['2024-2025'], false],
  ['regex', '\\A[\\w\\-.]+\\z', ['a-b.c'], ['a b', 'ab\n'], false],
  ['regex', '^.$', ['😀'], ['ab'], false],
  ['regex', '(', [], ['('], false],
  ['regex', '[[:alpha:]]', ['a:]', 'a'], ['1'], false],
  ['regex', '[a-z&&[^b]]', ['a'], ['b'], false],
  ['regex', 'a(?i)B', ['ab'], ['Ab'], false],
  ['not_regex', '^a', ['ba'], ['ab'], true],
  ['not_regex', '(', [], ['x'], true],
  ['gt', '10', [11, '11', 10.5, '1e3', 'inf'], [10, '9', 'many', '12 ', '0x20', true, null, [11], 'NaN', ''], false],
  ['gt', 10, [11, '10.01'], [10], false],
  ['gt', 'many', [], [11, 'more'], false],
  ['gte', '10', [10, '10.0'], [9.99], false],
  ['lt', '10', [9, '-1'], [10], false],
  ['lte', '10', [10], [10.1], false],
  ['min', '10', [10, 11], [9], false],
  ['max', '10', [10, 9], [11], false],
  ['between', [1, '5'], [1, 5, '3'], [0.9, 5.1, 'x', null, 'nan'], false],
  ['between', [5, 1], [], [3], false],
  ['between', [1], [], [1], false],
  ['between', ['x', 5], [], [3], false],
  ['not_between', [1, 5], [0, 6], [1, 3, 'x', 'nan'], true],
  ['not_between', [5, 1], [], [0, 3], true],
  [
    'is_date_before',
    '2024-06-01',
    ['2024-05-31', '2024-05-31T23:59:59.999Z', 0, '0'],
    ['2024-06-01', 'x', true],
    false,
  ],
  ['is_date_before', '-7d', ['2026-03-24', '2020-01-01'], ['2026-03-24T12:00:00Z', '2026-03-30'], false],
  ['is_date_after', '7d', ['2026-03-24T12:00:01Z'], ['2026-03-24T12:00:00Z', '2020-01-01'], false],
  ['is_date_after', '2024-06-01T00:00:00+02:00', ['2024-06-01', 1717192801], ['2024-05-31T22:00:00Z'], false],
  ['is_date_after', 20240601, [], ['2025-01-01'], false],
  ['is_date_after', 'someday', [], ['2025-01-01'], false],
  [
    'is_date_exact',
    '2024-06-01 10:30',
    ['2024-06-01T10:30:00Z', '2024-06-01T12:30:00+02:00'],
    ['2024-06-01', '2024-06-01T12:30+02:00'],
    false,
  ],
  ['semver_eq', '1.2.0', ['1.2', 'v1.2.0', '01.02.0', 1.2], ['1.2.1', '1.2.0-rc.1', '1.2.3.4', 'one', '', null], false],
  ['semver_neq', '1.2.0', ['1.3', '1.2.0-rc'], ['1.2', 'one'], false],
  ['semver_gt', '1.2.3', ['1.2.4', '1.10.0', '2.0'], ['1.2.3', '1.2.4-'], false],
  ['semver_gt', 'one', [], ['2.0.0'], false],
  ['semver_gte', '1.2.3', ['1.2.3'], ['1.2.3-rc.1'], false],
  ['semver_lt', '1.2.3', ['1.2.2', '1.2.3-rc.1'], ['1.2.3'], false],
  ['semver_lte', '1.2.3', ['1.2.3'], ['1.2.4'], false],
  ['semver_tilde', '1.2.3', ['1.2.3', '1.2.99'], ['1.2.2', '1.3.0', '1.2.4-rc'], false],
  ['semver_tilde', 'x', [], ['1.2.3'], false],
  ['semver_caret', '1.2.3', ['1.2.3', '1.99.0'], ['2.0.0', '1.2.2', 'x'], false],
  ['semver_wildcard', '1.2.*', ['1.2.0', '1.2.9'], ['1.3.0', '1.2.0-rc'], false],
];

const PYTHON: readonly Row[] = [
  ['exact', 'Berlin', ['Berlin'], ['berlin', null], false],
  ['exact', ['DE', 42], ['DE', 42], ['de', '42'], false],
  ['exact', 'true', ['true'], [true, 'True'], false],
  ['is_not', 'Berlin', ['berlin'], ['Berlin'], true],
  ['icontains', 'ä', ['Ä'], ['a'], false],
  ['icontains', 'none', [null], ['null'], false],
  ['icontains', 'true', [true], [false], false],
  ['gt', 10, [11], [10, 10.5, '11', true], false],
  ['gt', '10', ['9', '11'], [11, '1'], false],
  ['gt', false, [true], [false, 1], false],
  ['gte', 'ﬀ', ['𝒂', 'ﬀ'], ['a'], false],
  ['lt', 1.5, [0.5], [1, 2.5, '0'], false],
  ['is_not_set', undefined, [], ['x'], true],
];

function check(generation: Generation, [operator, wanted, matching, others, missing]: Row): void {
  const filter = person('field', operator, wanted);
  const context = contextWith({ generation });
  const judge = (properties: JsonObject): FilterMatch => matchesProperty(filter, properties, context);
  expect(matching.filter((value) => !judge({ field: value }))).toEqual([]);
  expect(others.filter((value) => judge({ field: value }))).toEqual([]);
  expect(judge({})).toBe(missing);
}

describe('operators in rust-2026', () => {
  it.each(RUST)('%s %o', (...row) => check('rust-2026', row));

  it('are all covered', () => {
    expect([...VALUE_OPERATORS.keys()].filter((name) => !RUST.some(([operator]) => operator === name))).toEqual([]);
  });
});

describe('docs/evaluation.md', () => {
  it('names every operator', () => {
    const page = readFileSync(new URL('../../docs/evaluation.md', import.meta.url), 'utf8');
    expect([...VALUE_OPERATORS.keys()].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('operators in python-2023', () => {
  it.each(PYTHON)('%s %j', (...row) => check('python-2023', row));
});

describe('a filter', () => {
  it('without an operator compares exactly', () => {
    expect(matchesProperty(person('field', undefined, 'A'), { field: 'a' }, contextWith())).toBe(true);
  });

  it.each(['in', 'flag_evaluates_to', 'like', 'constructor', '__proto__'])(
    'with the operator %s never matches',
    (name) => {
      expect(matchesProperty(person('field', name, 'a'), { field: 'a' }, contextWith())).toBe(false);
      expect(matchesProperty(person('field', name, 'a'), {}, contextWith())).toBe(false);
    },
  );

  it.each(['__proto__', 'constructor', 'toString'])('on %s matches only an own property', (key) => {
    expect(matchesProperty(person(key, 'is_set'), {}, contextWith())).toBe(false);
    expect(matchesProperty(person(key, 'is_set'), JSON.parse(`{"${key}": 1}`) as JsonObject, contextWith())).toBe(true);
  });

  it('takes a number as its key', () => {
    expect(matchesProperty({ key: 7, value: 'a' }, { '7': 'a' }, contextWith())).toBe(true);
  });

  it.each([
    ['regex', '\\Gx', 'x'],
    ['not_regex', '\\Gx', 'x'],
    ['regex', 'a'.repeat(1001), 'a'],
    ['regex', '(a+)+$', `${'a'.repeat(5000)}b`],
    ['not_regex', '(?!x)(a+)+$', `${'a'.repeat(50)}b`],
  ])('%s is unknown where only the service knows: %s', (operator, pattern, field) => {
    const filter = person('field', operator, pattern);
    expect(matchesProperty(filter, { field }, contextWith())).toBe('unknown');
    expect(matchesProperty(filter, {}, contextWith())).toBe(operator === 'not_regex');
  });

  it('searches strings of any length', () => {
    expect(matchesProperty(person('field', 'regex', 'b$'), { field: `${'a'.repeat(100_000)}b` }, contextWith())).toBe(
      true,
    );
  });
});
