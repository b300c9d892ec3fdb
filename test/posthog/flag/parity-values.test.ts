import { expect, it } from 'vitest';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { FLAGS } from '../../../src/posthog/flag/family.ts';
import { declared, entry, liveFlag, liveState, retired } from '../../helpers/states.ts';

const PROJECT = { name: 'staging', roles: { growth: 'r-1' }, cohorts: { beta: 42 } };
const inCohort = (value: number | string) => ({ key: 'id', type: 'cohort', operator: 'in', value });
const groups = (value: number | string) => [{ properties: [inCohort(value)], rollout_percentage: 10 }];

const liveFields = (flag: Flag, access: readonly ReturnType<typeof entry>[] = []) =>
  FLAGS.comparable.live(liveState([flag], { [flag.id]: access }), PROJECT, [])[0]?.[1].fields;

it('live flags are those that the service lists', () => {
  const flags = [
    liveFlag(1, 'a'),
    liveFlag(2, 'deleted', { deleted: true }),
    liveFlag(3, 'archived', { archived: true, active: false }),
    liveFlag(4, 'both', { deleted: true, archived: true }),
  ];
  expect(FLAGS.comparable.live(liveState(flags), PROJECT, []).map(([key]) => key)).toEqual(['a']);
});

it('live values have names in place of ids, and leave out what other products decide', () => {
  const flag = liveFlag(1, 'a', {
    name: 'A',
    filters: { groups: groups(42), super_groups: [{ properties: [], rollout_percentage: 100 }] },
  });
  expect(liveFields(flag, [entry(5, 'r-1'), entry(6, 'r-2')])).toMatchObject({
    name: 'A',
    filters: { groups: [{ properties: [{ value: 'beta' }] }] },
    role_access: { roles: { growth: 'editor' } },
  });
  expect(liveFields(flag)?.['filters']).not.toHaveProperty('super_groups');
  expect(liveFields(liveFlag(1, 'a'))).not.toHaveProperty('version');
  // A declaration says nothing of the fields that it leaves out; a live flag is whole.
  expect(FLAGS.comparable.live(liveState([flag]), PROJECT, [])[0]?.[1].isPartial).toBe(false);
});

it('declared roles have their names and levels, else their ids and the usual level', () => {
  const place = { file: 'a.yaml', line: 1, column: 1 };
  const flag = {
    ...declared('a', { filters: { groups: groups(42) } }),
    roleAccess: [
      { id: 'r-1', name: 'growth', level: 'viewer', place },
      { id: 'r-2', place },
    ],
  } as const;
  expect(FLAGS.comparable.declared(flag, PROJECT)).toMatchObject({
    isPartial: true,
    fields: {
      filters: { groups: [{ properties: [{ value: 'beta' }] }] },
      role_access: { roles: { growth: 'viewer', 'r-2': 'editor' } },
    },
  });
  expect(FLAGS.comparable.declared(declared('a', { active: true }), PROJECT)?.fields).not.toHaveProperty('role_access');
  expect(FLAGS.comparable.declared(retired('a'), PROJECT)).toBeUndefined();
});
