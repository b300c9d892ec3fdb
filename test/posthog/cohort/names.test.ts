import { expect, test } from 'vitest';
import { snapshotCohorts } from '../../../src/posthog/cohort/cohort.ts';
import { cohortNamesIn, withCohortNames } from '../../../src/posthog/cohort/names.ts';

const NAMES = { 7: 'vips', 8: 'Testers' };
const condition = (value: unknown, type = 'cohort'): object => ({ properties: [{ key: 'id', type, value }] });
const groups = (value: unknown, type?: string): object => ({ filters: { groups: [condition(value, type)] } });
const PATH = '/filters/groups/0/properties/0/value';
const changeOf = (before: unknown, after: unknown, type?: string): object => ({
  fields: [{ path: PATH, before, after }],
  body: groups(after, type),
  base: { flag: groups(before, type) },
});

test.each([
  ['a condition', condition(7), condition('vips')],
  ['a value that changes alone', changeOf(7, 8), changeOf('vips', 'Testers')],
  ['one side that is known', changeOf(7, 9), changeOf('vips', 9)],
  ['a name that the service gave', { type: 'cohort', value: 7, cohort_name: 'Old' }, { type: 'cohort', value: 'vips' }],
])('%s has names in place of ids', (_, facts, named) => {
  expect(withCohortNames(facts, NAMES)).toEqual(named);
});

test.each([
  ['a number of a person', changeOf(7, 8, 'person')],
  ['a cohort without a known name', condition(9)],
  ['an alias', condition('vips')],
  ['what is no data', { of: new Map([[7, condition(7)]]) }],
])('%s stays the same value', (_, facts) => {
  expect(withCohortNames(facts, NAMES)).toBe(facts);
});

test('facts that are shared stay shared', () => {
  const change = changeOf(7, 8);
  const { all, some } = withCohortNames({ all: [change], some: [change] }, NAMES);
  expect(all[0]).toBe(some[0]);
});

test('names are aliases that are declared or configured, and else names in the service', () => {
  const all = [7, 8, 9, 10].map((id) => ({ id, name: id === 10 ? ' ' : `name ${id}` }));
  const facts = [7, 8, 9, 10, 11].map((id) => condition(id));
  const cohorts = snapshotCohorts(all, new Map([['declared', 7]]));
  expect(cohortNamesIn(facts, { configured: 8 }, () => cohorts)).toEqual({
    7: 'declared',
    8: 'configured',
    9: 'name 9',
  });
  expect(cohortNamesIn([condition('vips')], {}, () => expect.fail())).toBeUndefined();
});
