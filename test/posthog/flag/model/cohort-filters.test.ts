/** The leaves of a definition, and the cohorts that filters name: by id, or by alias. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import {
  cohortsIn,
  leavesOf,
  mapLeaves,
  withCohortIds,
  readReference,
  type CohortReference,
} from '../../../../src/posthog/flag/model/cohort-filters.ts';

const leaf = (value: JsonValue): JsonObject => ({ key: 'id', type: 'cohort', value });
const group = (...values: JsonValue[]): JsonObject => ({ type: 'AND', values });

describe('the leaves of a definition', () => {
  test.each<[string, JsonValue | undefined, readonly JsonObject[]]>([
    [
      'are those of every group, in order',
      { properties: group(leaf(1), group(leaf(2), group()), leaf(3)) },
      [1, 2, 3].map(leaf),
    ],
    ['are the definition itself without a group', { properties: leaf(1) }, [leaf(1)]],
    [
      'have a key or a value',
      { properties: group({ key: 'a' }, { value: 'b' }, { type: 'c' }) },
      [{ key: 'a' }, { value: 'b' }],
    ],
    ['are none of an empty definition', { properties: {} }, []],
    ['are none of what is no object', { properties: group(1, 'a', null, [leaf(1)]) }, []],
    ['are none without a definition', { properties: null }, []],
    ['are none of filters that are no object', [leaf(1)], []],
    ['are none without filters', undefined, []],
  ])('%s', (_what, filters, leaves) => {
    expect(leavesOf(filters)).toEqual(leaves);
  });

  test('are replaced, and nothing else of the tree is', () => {
    const tree = { ...group(leaf(1), 'a', { ...group(leaf(2)), negation: true }, { type: 'c' }), later: 1 };
    expect(mapLeaves(tree, ({ value }) => ({ was: value ?? null }))).toEqual({
      ...group({ was: 1 }, 'a', { ...group({ was: 2 }), negation: true }, { type: 'c' }),
      later: 1,
    });
  });
});

test.each<[JsonValue | undefined, CohortReference | undefined]>([
  [7, 7],
  [0, 0],
  ['7', 7],
  ['007', 7],
  ['beta', 'beta'],
  ['7a', '7a'],
  ['a7', 'a7'],
  ['-7', '-7'],
  ['123456789012345', 123456789012345],
  ['1234567890123456', '1234567890123456'],
  ['', undefined],
  [1.5, undefined],
  [2 ** 53, undefined],
  [null, undefined],
  [true, undefined],
  [[7], undefined],
  [undefined, undefined],
])('%j names the cohort %j', (value, reference) => {
  expect(readReference(value)).toBe(reference);
});

test('the cohorts that filters name are each named once, and only by filters of cohorts', () => {
  const properties = [leaf(7), leaf('7'), leaf('beta'), leaf(null), { key: 'plan', type: 'person', value: 8 }, leaf(9)];
  expect(cohortsIn(properties)).toEqual([7, 'beta', 9]);
  expect(cohortsIn([])).toEqual([]);
});

describe('aliases become ids', () => {
  const idOf = (alias: string): CohortReference | undefined => ({ beta: 7, gamma: 'delta' })[alias];
  const fieldsWith = (...values: JsonValue[]): JsonObject => ({
    name: 'A',
    filters: { properties: group(...values), later: 1 },
  });

  test('where a leaf names a cohort by an alias that has one', () => {
    const other = { key: 'plan', type: 'person', value: 'beta' };
    const fields = fieldsWith(leaf('beta'), group(leaf('gamma')), leaf('unknown'), leaf(8), leaf('9'), other);
    expect(withCohortIds(fields, idOf)).toEqual(
      fieldsWith(leaf(7), group(leaf('delta')), leaf('unknown'), leaf(8), leaf('9'), other),
    );
  });

  test.each<[string, JsonObject]>([
    ['without filters', { name: 'A' }],
    ['with filters that are no object', { filters: [leaf('beta')] }],
    ['without a definition', { filters: { properties: null } }],
  ])('and fields %s stay the same object', (_what, fields) => {
    expect(withCohortIds(fields, idOf)).toBe(fields);
  });
});
