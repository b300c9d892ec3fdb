/** The plan that turns flags off: what it writes, what stays as it is, in which order, and of what it warns. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { canBeAtZero, planOff } from '../../../src/posthog/planning/off-plan.ts';
import type { UpdateFlag } from '../../../src/posthog/plan.ts';
import { dependsOn, liveFlag } from '../../helpers/states.ts';

const condition = (rollout: number, more: JsonObject = {}): JsonObject => ({
  properties: [],
  rollout_percentage: rollout,
  ...more,
});
const filtersOf = (...groups: JsonObject[]): JsonObject => ({ filters: { groups, payloads: { true: '1' } } });

function changesOf(flags: readonly Flag[], atZero: readonly Flag[] = [], named: readonly Flag[] = []) {
  return planOff({ flags, atZero, named }).plan.changes as readonly UpdateFlag[];
}

describe('turning flags off', () => {
  test('writes active alone, in the order that the service takes: dependents first', () => {
    const [a, b, other] = [liveFlag(1, 'a'), liveFlag(2, 'b', { filters: dependsOn(1) }), liveFlag(3, 'c')];
    const changes = changesOf([a, b, other]);
    expect(changes.map(({ key, body, fields }) => [key, body, fields])).toEqual(
      ['b', 'a', 'c'].map((key) => [key, { active: false }, [{ path: '/active', before: true, after: false }]]),
    );
  });

  test('leaves every other field to whoever edits it in between', () => {
    const kept = changesOf([liveFlag(1, 'a')])[0]?.keeps?.map(({ path }) => path) ?? [];
    expect(kept).toEqual(expect.arrayContaining(['/filters', '/name', '/tags']));
    expect(kept).not.toEqual(expect.arrayContaining(['/active']));
    expect(kept.filter((path) => ['/active', '/key', '/deleted'].includes(path))).toEqual([]);
  });

  test('names the flags that conditions name, counts the flags, and says why', () => {
    const [a, b] = [liveFlag(1, 'a'), liveFlag(2, 'b', { filters: dependsOn(1) })];
    const { plan, live } = planOff({ flags: [b], atZero: [], named: [a], reason: 'incident 7' });
    expect(plan).toMatchObject({ off: { reason: 'incident 7' }, summary: { update: 1 } });
    expect(live.flags.map(({ key }) => key)).toEqual(['b', 'a']);
    expect(planOff({ flags: [b], atZero: [], named: [] }).plan.off).toEqual({});
  });
});

describe('a flag at 0%', () => {
  test('has 0% in every condition, and keeps what else its conditions and filters have', () => {
    const flag = liveFlag(1, 'a', filtersOf(condition(50, { variant: 'x' }), condition(100), {}));
    const [change, ...others] = changesOf([flag, liveFlag(2, 'b')], [flag]);
    expect([change?.key, change?.body]).toEqual([
      'a',
      filtersOf(condition(0, { variant: 'x' }), condition(0), { rollout_percentage: 0 }),
    ]);
    expect(change?.fields.map(({ path, before, after }) => [path, before, after])).toEqual([
      ['/filters/groups/0/rollout_percentage', 50, 0],
      ['/filters/groups/1/rollout_percentage', 100, 0],
      ['/filters/groups/2/rollout_percentage', 100, 0],
    ]);
    expect(others.map(({ key, body }) => [key, body])).toEqual([['b', { active: false }]]);
  });

  test('is not written where every condition has 0% already', () => {
    const flag = liveFlag(1, 'a', filtersOf(condition(0), condition(0)));
    expect(changesOf([flag], [flag])).toEqual([]);
  });

  test.each<[string, boolean, JsonObject]>([
    ['a condition', true, filtersOf(condition(50))],
    ['no condition', false, filtersOf()],
    ['no filters', false, { filters: undefined as never }],
    ['conditions that are no list', false, { filters: { groups: { a: 1 } } }],
    ['a condition that is no object', false, { filters: { groups: [condition(5), 'x'] } }],
    ['filters of a later format', false, { filters: { version: 2, groups: [condition(5)] } }],
    ['conditions of other products before its own', false, { filters: { groups: [condition(5)], super_groups: [{}] } }],
    ['encrypted payloads', false, { ...filtersOf(condition(5)), has_encrypted_payloads: true }],
  ])('is for nobody if it has %s: %s', (_what, expected, fields) => {
    expect(canBeAtZero(liveFlag(1, 'a', fields))).toBe(expected);
  });
});

const USED = { code: 'use_affected', key: 'a', id: 1, action: 'disable' };

test.each<[string, JsonObject, object[]]>([
  ['nothing of which to warn', {}, []],
  [
    'running experiments, and others',
    { experiment_set_metadata: [{ id: 4, is_running: true }, { id: 5, is_running: false }, { id: 6 }] },
    [{ ...USED, experiments: [4] }],
  ],
  [
    'experiments of which its service says no more',
    { experiment_set: [4, 5, 6], experiment_set_metadata: [{ id: 4, is_running: true }, { id: 5 }] },
    [{ ...USED, experiments: [4], linked: [5, 6] }],
  ],
  ['experiments of 2023', { experiment_set: [4] }, [{ ...USED, linked: [4] }]],
  ['encrypted payloads', { has_encrypted_payloads: true }, [{ code: 'off_affects', key: 'a', id: 1, encrypted: true }]],
  [
    'filters of a later format',
    { filters: { version: 2, rules: [] } },
    [{ code: 'off_affects', key: 'a', id: 1, format: '2' }],
  ],
])('of a flag with %s, the plan warns of what matters', (_what, fields, warnings) => {
  expect(planOff({ flags: [liveFlag(1, 'a', fields)], atZero: [], named: [] }).plan.warnings).toEqual(warnings);
});
