/** The families of resources: their order, and what is made for each. */

import { expect, test } from 'vitest';
import { declaredNames, familyIn, FAMILIES, mapFamilies, RESOLVABLE_FAMILIES } from '../../src/posthog/families.ts';
import type { FamilyName } from '../../src/posthog/kind-types.ts';
import { desiredOf } from '../helpers/cohorts.ts';

const FILTERS = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
const DESIRED = desiredOf({
  flags: { a: {}, b: {} },
  cohorts: { beta: { filters: FILTERS } },
  early_access: { a: { stage: 'draft' } },
});

test('flags are the main family, and each family comes after those that its resources name', () => {
  expect(FAMILIES[0]?.section).toBe('flags');
  expect(RESOLVABLE_FAMILIES.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual(
    FAMILIES.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
  );
  const order = RESOLVABLE_FAMILIES.map(({ section }) => section);
  for (const { section, refersTo } of FAMILIES) {
    for (const other of refersTo) expect([other, order.indexOf(other) < order.indexOf(section)]).toEqual([other, true]);
  }
});

test('what is made for a family sees what was made for those that its resources name', () => {
  const made = mapFamilies<Readonly<Record<FamilyName, readonly string[]>>>(({ section }, earlier) => [
    section,
    ...Object.keys(earlier),
  ]);
  expect(Object.keys(made).sort()).toEqual(FAMILIES.map(({ section }) => section).sort());
  for (const { section, refersTo } of FAMILIES)
    expect(made[section]).toEqual(expect.arrayContaining([section, ...refersTo]));
});

test('declared resources are named as options name them', () => {
  expect(declaredNames(DESIRED)).toEqual(['a', 'b', 'cohort:beta', 'early_access:a']);
  expect(declaredNames({ flags: [] })).toEqual([]);
});

test('a family is found by its section, and an unknown section is a bug', () => {
  expect(FAMILIES.map(({ section }) => familyIn(section).section)).toEqual(FAMILIES.map(({ section }) => section));
  expect(() => familyIn('none' as FamilyName)).toThrow('No family is in the section none.');
});
