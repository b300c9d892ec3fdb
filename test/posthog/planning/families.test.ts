/** A plan of flags beside cohorts and early access features: flags are the main family, and each family keeps what it found. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan, DEFAULT_OPTIONS } from '../../../src/posthog/planning/build-plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions } from '../../helpers/states.ts';

const PRO = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] } };
const using = (value: string | number): JsonObject => ({
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value }] }] },
});

test('what no manifest declares is counted of flags, also where cohorts are declared', () => {
  const plan = planFor(desiredOf({ flags: { a: {} }, cohorts: { beta: { filters: PRO } } }), {
    flags: [liveFlag(1, 'a'), liveFlag(2, 'b')],
    roleAccess: {},
    cohorts: [cohort(7, 'beta'), cohort(8, 'free')],
  });
  expect(plan.unmanaged).toEqual(['b']);
  expect(plan.summary).toMatchObject({ unmanaged: 1, unchanged: 1, update: 1 });
  expect(plan.changes.map(({ ref }) => ref)).toEqual(['cohort:beta']);
});

test('the warnings of each family are in the plan, and one on a shared name, too', () => {
  const plan = planFor(
    desiredOf({
      flags: { new: { previous_keys: ['old'] } },
      cohorts: { twice: { filters: PRO }, moved: { name: 'New', previous_names: ['Old'], filters: PRO } },
    }),
    {
      flags: [liveFlag(1, 'new'), liveFlag(2, 'old')],
      roleAccess: {},
      cohorts: [cohort(7, 'twice'), cohort(8, 'twice'), cohort(9, 'New', { filters: PRO }), cohort(10, 'Old')],
    },
  );
  expect(plan.warnings.map(({ code, key }) => `${code} ${key}`).toSorted()).toEqual([
    'cohort_name_shared cohort:twice',
    'cohort_previous_live cohort:moved',
    'previous_key_live new',
  ]);
});

test('what was left of a flag before its rename is left of it still, and of another flag since the last apply', () => {
  const commit = (letter: string): string => letter.repeat(40);
  const earlier = [{ key: 'old', commit: commit('e'), fields: ['name'] }];
  const base = {
    facts: { kind: 'commit', commit: commit('b'), from: 'ref', earlier } as const,
    desired: desiredOf({ flags: { old: { description: 'A' }, kept: { description: 'A' } } }),
  };
  const { unrecorded } = buildPlan(
    desiredOf({ flags: { new: { previous_keys: ['old'], description: 'B' }, kept: { description: 'B' } } }),
    liveState([liveFlag(1, 'old', { name: 'C' }), liveFlag(2, 'kept', { name: 'C' })]),
    { ...planOptions({ leaving: [{ by: 'difference', isLeft: ({ path }) => path === '/name' }] }), base },
  );
  expect(unrecorded).toEqual([
    { key: 'kept', fields: ['name'], commit: commit('b') },
    { key: 'new', fields: ['name'], commit: commit('e') },
  ]);
});

test('without options a plan deletes nothing that no manifest declares, and every flag is in scope', () => {
  const plan = buildPlan(desiredState(declared('a')), liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]));
  expect([plan.changes, plan.unmanaged, plan.hazards]).toEqual([[], ['b'], []]);
  expect(DEFAULT_OPTIONS).toMatchObject({ prune: false, protected: [], scope: { include: ['*'], exclude: [] } });
});

test('a cohort is created before a flag on it, and held with a flag that cannot be created', () => {
  const desired = desiredOf({
    cohorts: { twice: { filters: PRO }, fresh: { filters: PRO } },
    flags: { a: using('fresh'), b: using('twice'), c: { description: 'x' } },
  });
  const { changes } = planFor(desired, {
    flags: [],
    roleAccess: {},
    cohorts: [cohort(7, 'twice'), cohort(8, 'twice')],
  });
  expect(changes.map(({ ref }) => ref)).toEqual(['cohort:fresh', 'flag:a', 'flag:c']);
});
