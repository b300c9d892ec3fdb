/** Filters that break current rules are written exactly as the service holds them. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { lookupNames } from '../../../src/posthog/flag/model/references.ts';
import { writeUncheckedFilters } from '../../../src/posthog/flag/layout.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';

const names = lookupNames([{ id: 2, key: 'other' }], { roles: {}, cohorts: { 'beta-testers': 42 } });

function unchecked(filters: JsonValue | undefined, rest: JsonObject = {}): JsonValue | undefined {
  return writeUncheckedFilters({ id: 1, key: 'a', filters, ...rest } as Flag, names);
}

const AS_THEY_ARE: readonly JsonObject[] = [
  {},
  { groups: null, payloads: null, multivariate: { variants: [] }, later: null },
  { groups: [null, 'all', { properties: null }, { properties: { label: 1, cohort_name: 2 } }] },
  { groups: [{ properties: [null, { key: 'a', label: 'x', operator: null }], sort_key: 'x', cohort_name: 'mine' }] },
  { groups: { '0': { properties: [{ cohort_name: 'x' }] } } },
  { groups: [], payloads: { true: '{"cohort_name": 1}', on: { cohort_name: 1, group_key_names: 2 } } },
  { version: 2, rules: [{ cohort_name: 'x' }] },
  { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 42 }] }] },
  { ['__proto__']: 1, groups: [] },
];

test.each(AS_THEY_ARE)('%j is kept', (filters) => {
  expect(JSON.stringify(unchecked(filters))).toBe(JSON.stringify(filters));
});

test('without what the service adds and without parts of other products', () => {
  const added = { key: 'id', type: 'cohort', value: 42, cohort_name: 'Beta' };
  expect(unchecked({ groups: [{ properties: [added] }], holdout: { id: 1 }, super_groups: [{}] })).toEqual({
    groups: [{ properties: [{ key: 'id', type: 'cohort', value: 42 }] }],
  });
});

test('with other flags by key', () => {
  const on = (key: JsonValue): JsonObject => ({ groups: [{ properties: [{ key, type: 'flag', value: 1 }] }] });
  expect(unchecked(on('2'))).toEqual(on('other'));
  expect(unchecked(on('9'))).toEqual(on(9));
});

test('with marks in place of secrets of any type', () => {
  const secret = { has_encrypted_payloads: true };
  const mark = '"********* (encrypted)"';
  expect(unchecked({ payloads: { a: '"s3cret"', b: 1 } }, secret)).toEqual({ payloads: { a: mark, b: mark } });
  expect(unchecked({ payloads: 's3cret' }, secret)).toEqual({ payloads: mark });
  expect(unchecked({ groups: [] }, secret)).toEqual({ groups: [] });
  expect(unchecked({ payloads: { a: '"open"' } })).toEqual({ payloads: { a: '"open"' } });
});

test.each([[undefined], ['x'], [[1]]])('filters that are not an object: %s', (filters) => {
  expect(unchecked(filters)).toEqual(filters);
});
