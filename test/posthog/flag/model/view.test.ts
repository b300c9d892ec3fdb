/** Filters are walked once, and what is found in them is theirs alone. */

import { describe, expect, it, test } from 'vitest';
import { canonicalFlag } from '../../../../src/posthog/flag/model/canonical.ts';
import { mapReferences } from '../../../../src/posthog/flag/model/references.ts';
import { viewFilters } from '../../../../src/posthog/flag/model/flag.ts';

const property = (type: string, key: string, value: unknown = 'x'): object => ({ type, key, value });
const filtersOf = (...properties: object[]): never =>
  ({
    groups: [{ properties: [] }, 'no condition', { properties: ['no property', ...properties] }],
    super_groups: [{ properties: [property('flag', 'early')] }],
  }) as never;

test('two equal filters have a view each, and the same filters have one', () => {
  const [one, other] = [filtersOf(), filtersOf()];
  expect(viewFilters(one)).toBe(viewFilters(one));
  expect(viewFilters(one)).not.toBe(viewFilters(other));
});

test('parts have the places that they have in the lists as they are written', () => {
  const { conditions, properties } = viewFilters(filtersOf(property('person', 'a'), property('person', 'b')));
  expect(conditions.map(({ at }) => at)).toEqual(['/filters/groups/0', '/filters/groups/2']);
  expect(conditions.map(({ number }) => number)).toEqual([1, 3]);
  expect(properties.map(({ at, part }) => [at, part.key])).toEqual([
    ['/filters/groups/2/properties/1', 'a'],
    ['/filters/groups/2/properties/2', 'b'],
  ]);
});

test('references are those of all conditions in their order, also where one is named twice; opaque filters have none', () => {
  const filters = filtersOf(property('flag', 'a'), property('cohort', 'id', 7), property('flag', 'a'));
  expect(viewFilters(filters).references).toEqual({ flags: ['a', 'a', 'early'], cohorts: [7] });
  expect(viewFilters({ ...(filters as object), version: 2 } as never).references).toEqual({ flags: [], cohorts: [] });
});

test('filters in which no reference changes are the same object', () => {
  const filters = filtersOf(property('flag', 'a'), property('cohort', 'id', 7));
  expect(mapReferences(filters, { flag: (key) => key, cohort: (value) => value })).toBe(filters);
  const mapped = mapReferences(filters, { cohort: () => 8 });
  expect(viewFilters(mapped).references.cohorts).toEqual([8]);
  expect(viewFilters(filters).references.cohorts).toEqual([7]);
});

test('the canonical form of filters is made once, is its own, and is kept apart for each set of tolerances', () => {
  const filters = filtersOf(property('person', 'a'));
  const form = canonicalFlag({ filters })['filters'];
  expect(canonicalFlag({ filters, name: 'x' })['filters']).toBe(form);
  expect(canonicalFlag({ filters: form as never })['filters']).toBe(form);
  for (let count = 0; count < 100; count += 1) canonicalFlag({ filters: filtersOf(property('person', `b${count}`)) });
  expect(canonicalFlag({ filters })['filters']).toEqual(form);
});

describe('conditions that are not read', () => {
  it.each<[groups: unknown, unread: boolean]>([
    [undefined, false],
    [null, false],
    [[], false],
    [[{}, { properties: null }], false],
    [[{}, null], true],
    [['rule'], true],
    [[[]], true],
    [{}, true],
    ['', true],
    [0, true],
  ])('%j', (groups, unread) => {
    expect(viewFilters({ groups } as never).hasUnreadConditions).toBe(unread);
  });
});

test('what is no object has no parts, and no format that is not known', () => {
  for (const filters of [undefined, null, 'rules', 7, [{ version: 2 }]]) {
    const { conditions, properties, variants, references, isOpaque, hasUnreadConditions } = viewFilters(filters);
    expect([conditions, properties, variants, references.flags]).toEqual([[], [], [], []]);
    expect([isOpaque, hasUnreadConditions]).toEqual([false, false]);
  }
});
