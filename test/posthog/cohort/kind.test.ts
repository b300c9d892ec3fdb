/** Cohorts among the changes of a plan: which limits count them, and what a delete leaves. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORT } from '../../../src/posthog/cohort/kind.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { liveFlag, planOptions } from '../../helpers/states.ts';

const on = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });
const plan = (value: string): JsonObject => ({ key: 'plan', type: 'person', operator: 'exact', value });
const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const using = (...properties: JsonObject[]): JsonObject => ({ filters: { groups: [{ properties }] } });
const GONE = { name: 'Beta', deleted: true };
const LIVE = {
  flags: [liveFlag(1, 'a', using(on(7)))],
  roleAccess: {},
  cohorts: [cohort(7, 'Beta', { filters: tree(plan('pro')) }), cohort(8, 'Outer', { filters: tree(on(7)) })],
};

const planOf = (manifest: JsonObject, limits: object = {}): Plan =>
  buildPlan(desiredOf({ flags: {}, ...manifest }), LIVE, { ...planOptions(), ...limits });
const codes = ({ hazards }: Plan): string[] => hazards.map(({ code }) => code).sort();

test.each<[CohortChange['action'], readonly string[]]>([
  ['create', []],
  ['restore', []],
  ['update', ['update']],
  ['delete', ['delete']],
])('limits count a change that would %s a cohort as %j', (action, effects) => {
  expect(COHORT.effects({ action } as CohortChange)).toEqual(effects);
});

test('a delete of a cohort counts for the limit of deletes, and an update does not', () => {
  const limits = { limits: { deletes: 0, deletes_percent: 100, updates_percent: 100, disables: 5 } };
  const outer = { name: 'Outer', deleted: true };
  expect(codes(planOf({ cohorts: { outer } }, limits))).toEqual(['deletes']);
  expect(codes(planOf({ cohorts: { outer: { ...outer, deleted: false, filters: tree(plan('x')) } } }, limits))).toEqual(
    [],
  );
});

describe('a delete of a cohort', () => {
  const outer = { name: 'Outer', deleted: true };
  const without = using(plan('beta'));
  test.each<[string, JsonObject, readonly string[]]>([
    ['is refused where a flag and a cohort use it', { cohorts: { beta: GONE } }, ['cohort_used']],
    ['is refused where a flag is left', { cohorts: { beta: GONE, outer } }, ['cohort_used']],
    [
      'is refused where a cohort is left',
      { cohorts: { beta: GONE }, flags: { a: { deleted: true } } },
      ['cohort_used'],
    ],
    ['harms nobody where both go, too', { cohorts: { beta: GONE, outer }, flags: { a: { deleted: true } } }, []],
    ['harms nobody where the flag no longer names it', { cohorts: { beta: GONE, outer }, flags: { a: without } }, []],
  ])('%s', (_what, manifest, expected) => {
    expect(codes(planOf(manifest))).toEqual(expected);
  });

  test('of a list that is deleted already is no change, and gives no warning', () => {
    const cohorts = [cohort(7, 'Beta', { is_static: true, deleted: true })];
    const { changes, warnings } = buildPlan(
      desiredOf({ flags: {}, cohorts: { beta: { deleted: true } } }, { beta: 7 }),
      { flags: [], roleAccess: {}, cohorts },
      planOptions(),
    );
    expect([changes, warnings]).toEqual([[], []]);
  });
});

test('a value that is the alias of a cohort names none where the condition is on something else', () => {
  // Checks that nothing is reported.
  const { flags } = desiredOf({ flags: { a: using(plan('nobody'), { ...plan('beta'), key: 'id' }) } });
  expect(flags).toHaveLength(1);
});
