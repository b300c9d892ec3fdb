import { expect, test } from 'vitest';
import type { LiveResources } from '../../../src/posthog/family.ts';
import { withFoundNames, withIds } from '../../../src/posthog/reading/found-names.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';

const PROJECT = { name: 'production', roles: { growth: 'r1' }, cohorts: { staff: 1 } };
const NONE = { roles: {}, cohorts: {} };

test('names that are found are added, and those of the configuration win', () => {
  expect(withIds(PROJECT, { cohorts: { staff: 8, beta: 2 }, roles: { growth: 'r8', support: 'r2' } })).toEqual({
    name: 'production',
    roles: { growth: 'r1', support: 'r2' },
    cohorts: { staff: 1, beta: 2 },
  });
  expect(withIds(PROJECT, {})).toEqual(PROJECT);
  expect(withIds(NONE, { cohorts: { beta: 2 } })).toEqual({ roles: {}, cohorts: { beta: 2 } });
});

const filters = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
const declared = desiredOf({
  cohorts: {
    beta: { name: 'Beta testers', filters },
    staff: { name: 'Staff', filters },
    gone: { name: 'Gone', filters },
  },
});
const live: LiveResources = { cohorts: [cohort(3, 'Beta testers'), cohort(9, 'Staff'), cohort(4, 'Others')] };

test('declared cohorts have the ids of live ones of their names', () => {
  const found = withFoundNames(PROJECT, declared, { live, shared: 'refuse' });
  expect(found).toEqual({ ...PROJECT, cohorts: { staff: 1, beta: 3 } });
});

test('where nothing was read, or nothing is declared, no id is found', () => {
  expect(withFoundNames(PROJECT, declared, { live: undefined, shared: 'refuse' })).toEqual(PROJECT);
  expect(withFoundNames(PROJECT, declared, { live: {}, shared: 'refuse' })).toEqual(PROJECT);
  expect(withFoundNames(PROJECT, { flags: [] }, { live, shared: 'refuse' })).toEqual(PROJECT);
});

test('a name of several live cohorts is refused, or left without an id', () => {
  const twins: LiveResources = { cohorts: [cohort(3, 'Beta testers'), cohort(5, 'Beta testers'), cohort(9, 'Staff')] };
  expect(() => withFoundNames(NONE, declared, { live: twins, shared: 'refuse' })).toThrow('Beta testers');
  expect(withFoundNames(NONE, declared, { live: twins, shared: 'omit' }).cohorts).toEqual({ staff: 9 });
});
