/** Cohorts as a family: what tells two of them apart in a plan, in the service and in a run. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORTS } from '../../../src/posthog/cohort/family.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';
import type { DesiredCohort } from '../../../src/posthog/cohort/cohort.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { planFor } from '../../helpers/states.ts';

const FILTERS = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };

function declared(cohorts: Readonly<Record<string, JsonObject>>, ids = {}): readonly DesiredCohort[] {
  const whole = Object.entries(cohorts).map(([alias, one]) => [
    alias,
    one['deleted'] === true ? one : { filters: FILTERS, ...one },
  ]);
  return desiredOf({ flags: {}, cohorts: Object.fromEntries(whole) }, ids).cohorts ?? [];
}

const create = (key: string, name: string): CohortChange => ({
  action: 'create',
  ref: `cohort:${key}`,
  resource: 'cohort',
  key,
  fields: [],
  body: { name },
  needs: [],
});
const update = (key: string, id: number): CohortChange => ({
  ...create(key, key),
  action: 'update',
  id,
  base: { cohort: {}, former: {} },
});

describe('a run', () => {
  const live = {
    flags: [],
    roleAccess: {},
    cohorts: [
      cohort(1, 'One'),
      cohort(2, 'Twice'),
      cohort(3, ' Twice '),
      cohort(4, 'Gone', { deleted: true }),
      cohort(5, 'Own'),
    ],
  };
  const open = (...changes: readonly CohortChange[]) => COHORTS.openRun(live, changes, {});

  test('takes a single cohort with the name of a new one for it, and none of two', () => {
    const run = open(create('a', 'One'), create('b', 'Twice'), create('c', 'Gone'), create('d', 'New'));
    expect(['a', 'b', 'c', 'd'].map((alias) => [run.idOf(alias), run.isTaken(alias)])).toEqual([
      [1, true],
      [undefined, true],
      [undefined, false],
      [undefined, false],
    ]);
  });

  test('knows each changed cohort by its own id, and what it keeps in place of what it read', () => {
    const run = open(update('a', 1), update('own', 5));
    expect([run.idOf('a'), run.idOf('own'), run.find(5)?.name]).toEqual([1, 5, 'Own']);
    run.keep('own', cohort(5, 'Renamed'));
    run.see(1, undefined);
    expect([run.find(5)?.name, run.find(1), run.find(2)?.name]).toEqual(['Renamed', undefined, 'Twice']);
  });
});

test('a cohort is missing where no live one has any of its names, and with a configured id never', () => {
  const wanted = declared(
    {
      a: { name: 'New', previous_names: ['Old'] },
      b: { name: 'Nobody' },
      c: { name: 'Nobody else' },
      d: { deleted: true },
    },
    { c: 9 },
  );
  const missing = COHORTS.findMissing(wanted, [cohort(1, 'Old'), cohort(2, 'Nobody', { deleted: true })]);
  expect(missing.map(({ key }) => key)).toEqual(['b']);
});

test('what names a cohort in options are its alias and its names; its id joins two aliases of it', () => {
  const [first] = declared({ a: { name: 'New', previous_names: [' Old '] } });
  const [second] = declared({ b: { name: 'Beta' } }, { b: 7 });
  expect(first && COHORTS.knownNames(first)).toEqual(['cohort:a', 'cohort:New', 'cohort:Old']);
  expect(second && COHORTS.knownNames(second)).toEqual(['cohort:b', 'cohort:Beta', 'id 7']);
});

test('of two declarations, fields are mixed only where both can be told apart', () => {
  const [later] = declared({ a: { name: 'New', description: 'later' } });
  const [earlier] = declared({ a: { name: 'Old' } });
  const [retired] = declared({ a: { deleted: true } });
  if (later === undefined || earlier === undefined || retired === undefined) throw new Error('three declarations');
  expect(COHORTS.mix(later, earlier, ['description'])).toMatchObject({ fields: { name: 'New', filters: FILTERS } });
  expect(COHORTS.mix(later, earlier, ['description'])).not.toHaveProperty('fields.description');
  expect(COHORTS.mix(later, earlier, ['name'])).toMatchObject({ fields: { name: 'Old', description: 'later' } });
  expect(COHORTS.mix(retired, earlier, ['name'])).toBeUndefined();
  expect(COHORTS.mix(later, retired, ['name'])).not.toHaveProperty('fields.name');
});

test('what a run made by alias is known by the answered id when it is reverted', () => {
  expect(COHORTS.namesToUndo({ change: create('a', 'A'), id: 4 })).toEqual([['a', 4]]);
  expect(COHORTS.namesToUndo({ change: create('a', 'A') })).toEqual([]);
  expect(COHORTS.namesToUndo({ change: update('b', 2), id: 9 })).toEqual([['b', 2]]);
});

test('a list of people is left alone, whether it is declared or deleted', () => {
  const live = { flags: [], roleAccess: {}, cohorts: [cohort(7, 'Beta', { is_static: true })] };
  for (const beta of [
    { name: 'Beta', filters: FILTERS },
    { name: 'Beta', deleted: true },
  ]) {
    const plan = planFor(desiredOf({ flags: {}, cohorts: { beta } }), live);
    expect([plan.changes, plan.warnings]).toEqual([[], [{ code: 'cohort_static', key: 'cohort:beta', id: 7 }]]);
  }
});

test('ids are found of what is declared and read, and of nothing else', () => {
  const desired = desiredOf({ flags: {}, cohorts: { a: { name: 'One', filters: FILTERS }, b: { filters: FILTERS } } });
  const state = { flags: [], roleAccess: {} };
  const cohorts = [cohort(1, 'One'), cohort(2, 'Two')];
  expect(COHORTS.findIds?.(desired, { ...state, cohorts }, 'omit')).toEqual({ cohorts: { a: 1 } });
  expect(COHORTS.findIds?.(desired, state, 'omit')).toEqual({});
  expect(COHORTS.findIds?.({ flags: [] }, { ...state, cohorts }, 'omit')).toEqual({});
});

test('a run knows which cohorts lost their name', () => {
  const run = COHORTS.openRun({ flags: [], roleAccess: {}, cohorts: [cohort(1, 'One')] }, [], {});
  expect([run.idOf('a'), run.isTaken('a'), run.hasLostName('a')]).toEqual([undefined, false, false]);
  run.loseName('a');
  expect([run.hasLostName('a'), run.hasLostName('b')]).toEqual([true, false]);
});
