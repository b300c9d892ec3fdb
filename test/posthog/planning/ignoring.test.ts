import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { FieldPath } from '../../../src/core/engine/field-path.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { leaveIgnored, stateOf, type Ignored } from '../../../src/posthog/planning/ignoring.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const on = (...percents: number[]): JsonObject => ({
  groups: percents.map((rollout_percentage) => ({ properties: [], rollout_percentage })),
});
const DESIRED = desiredState(declared('a', { name: 'A', filters: on(10, 20) }, { roles: ['r1'] }), declared('missing'));
const LIVE = liveState([liveFlag(1, 'a', { name: 'B', filters: on(11, 21, 31) })], { 1: [entry(5, 'r2')] });

function pathOf(text: string): FieldPath {
  const path = parseFieldPath(text);
  if ('problem' in path) throw new Error(text);
  return path;
}

function planIgnoring(...entries: Ignored[]): {
  readonly parts: string[];
  readonly left: string[];
  readonly used: Ignored[];
} {
  const used = new Set<Ignored>();
  const leaving = leaveIgnored(entries, (one) => used.add(one));
  const plan = buildPlan(DESIRED, LIVE, { ...planOptions(), leaving: [leaving] });
  return {
    parts: plan.changes.flatMap((change) =>
      change.action === 'create'
        ? change.ref
        : kindFor(change)
            .parts(change)
            .map(({ path }) => path),
    ),
    left: (plan.left ?? []).flatMap(({ ref, fields }) => (fields.length === 0 ? ref : fields.map(({ path }) => path))),
    used: [...used],
  };
}

const ALL = [
  '/name',
  '/filters/groups/0/rollout_percentage',
  '/filters/groups/1/rollout_percentage',
  '/filters/groups/2',
];
const ROLES = ['/role_access/roles/r1', '/role_access/roles/r2'];

describe('a run ignores', () => {
  it('nothing without an entry that matches', () => {
    const { parts, left, used } = planIgnoring({ key: 'b*' }, { key: 'a', path: pathOf('tags') });
    expect(parts.toSorted()).toEqual(['flag:missing', ...ALL, ...ROLES].toSorted());
    expect([left, used]).toEqual([[], []]);
  });

  it('a whole flag with its access, by key or glob', () => {
    expect(planIgnoring({ key: '?' }).parts).toEqual(['flag:missing']);
    expect(planIgnoring({ key: 'missing' }).parts).not.toContain('flag:missing');
  });

  it.each([
    ['name', ['/name']],
    ['description', ['/name']],
    ['conditions.1', ['/filters/groups/0/rollout_percentage']],
    ['conditions.2.rollout_percentage', ['/filters/groups/1/rollout_percentage']],
    ['/filters/groups/2', ['/filters/groups/2']],
    ['filters', ALL.slice(1)],
    ['role_access', ROLES],
  ])('a place in a flag: %s', (text, expected) => {
    const { parts, left, used } = planIgnoring({ key: 'a', path: pathOf(text) });
    expect(left.toSorted()).toEqual(expected.toSorted());
    const others = [...ALL, ...ROLES].filter((part) => !expected.includes(part));
    expect(parts.toSorted()).toEqual(['flag:missing', ...others].toSorted());
    expect(used).toHaveLength(1);
  });

  it('a role by its name, also where that has the signs of a pointer', () => {
    const named = (name: string): string[] => {
      const desired = desiredState(declared('a', {}, { roles: ['r1', 'r2'] }));
      const [flag] = desired.flags;
      if (flag?.kind !== 'declared') throw new Error('declared');
      const roleAccess = flag.roleAccess?.map((role) => (role.id === 'r1' ? { ...role, name } : role)) ?? [];
      const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
      const leaving = leaveIgnored([{ key: 'a', path: pathOf(`/role_access/roles/${escaped}`) }]);
      const { left = [] } = buildPlan({ flags: [{ ...flag, roleAccess }] }, liveState([liveFlag(1, 'a')], { 1: [] }), {
        ...planOptions(),
        leaving: [leaving],
      });
      return left.map(({ ref }) => ref);
    };
    for (const name of ['growth', 'a/b/c', 'a~b~1', 'r1']) expect(named(name), name).toEqual(['role_access:a:r1']);
  });

  it('what one of two entries matches, and names that one', () => {
    const [other, name, both] = [{ key: 'a', path: pathOf('tags') }, { key: 'a', path: pathOf('name') }, { key: '*' }];
    expect(planIgnoring({ key: 'x' }, other, name).used).toEqual([name]);
    expect(planIgnoring(name, both).used).toEqual([name, both]);
    expect(planIgnoring(both, name).used).toEqual([both]);
  });

  it('a condition by its description, where git adds it and where only the service has it', () => {
    const described = (...names: string[]): JsonObject => ({
      groups: names.map((description) => ({ properties: [], rollout_percentage: 10, description })),
    });
    const leftOf = (desired: string[], live: string[], path: string): unknown =>
      buildPlan(
        desiredState(declared('a', { filters: described(...desired) })),
        liveState([liveFlag(1, 'a', { filters: described(...live) })]),
        { ...planOptions(), leaving: [leaveIgnored([{ key: 'a', path: pathOf(path) }])] },
      ).left?.flatMap(({ fields }) => fields.map((field) => field.path));
    expect(leftOf(['x', 'new'], ['x'], 'conditions.new')).toEqual(['/filters/groups/1']);
    expect(leftOf(['x'], ['x', 'old'], 'conditions.old')).toEqual(['/filters/groups/1']);
    expect(leftOf(['x'], ['x', 'old'], 'conditions.x')).toBeUndefined();
  });

  it('a missing flag only as a whole: not for a place in it, but for all that it would have', () => {
    const actionsOf = (...entries: Ignored[]): unknown => {
      const desired = desiredState(declared('a', { name: 'A', tags: ['x'] }));
      const options = { ...planOptions(), leaving: [leaveIgnored(entries)] };
      const { changes, left = [] } = buildPlan(desired, liveState([]), options);
      return [changes, left].map((all) => all.map(({ action, ref }) => `${action} ${ref}`));
    };
    const [name, tags] = [
      { key: 'a', path: pathOf('name') },
      { key: 'a', path: pathOf('tags') },
    ];
    expect(actionsOf(name)).toEqual([['create flag:a'], []]);
    expect(actionsOf(name, tags)).toEqual([[], ['create flag:a']]);
    expect(actionsOf({ key: 'a' })).toEqual([[], ['create flag:a']]);
  });

  it('the delete of a flag', () => {
    const leftOf = (desired: DesiredFlag, live: readonly Flag[], path: string): unknown =>
      buildPlan(desiredState(desired), liveState(live), {
        ...planOptions(),
        leaving: [leaveIgnored([{ key: 'a', path: pathOf(path) }])],
      }).left?.map(({ ref, action }) => `${action} ${ref}`);
    expect(leftOf(retired('a'), [liveFlag(1, 'a')], 'deleted')).toEqual(['delete flag:a']);
    expect(leftOf(retired('a'), [liveFlag(1, 'a')], 'name')).toBeUndefined();
  });

  it('a value only while it is the known one', () => {
    const path = pathOf('/name');
    const known = stateOf({ path: '/name', before: 'B', after: 'A' });
    expect(planIgnoring({ key: 'a', path, state: known }).left).toEqual(['/name']);
    const other = stateOf({ path: '/name', before: 'C', after: 'A' });
    expect(planIgnoring({ key: 'a', path, state: other }).left).toEqual([]);
    expect(stateOf({ path: '/name' })).not.toBe(stateOf({ path: '/name', before: null }));
    expect(stateOf({ path: '/name', before: 'B', after: 'X' })).toBe(known);
    expect(planIgnoring({ key: 'a', state: known }).left).toEqual(['/name']);
    // A condition that only git has: no value is the known one.
    const absent = { key: 'a', path: pathOf('/filters/groups/2'), state: stateOf({ path: '' }) };
    expect(planIgnoring(absent).left).toEqual([]);
  });
});
