import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { parseFieldPath, type FieldPath } from '../../../src/posthog/flag/field-path.ts';
import { leaveIgnored, stateOf, type Ignored } from '../../../src/posthog/planning/ignoring.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions } from '../../helpers/states.ts';

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
  const plan = buildPlan(DESIRED, LIVE, { ...planOptions(), leaving });
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
    const { parts } = planIgnoring({ key: '?' });
    expect(parts).toEqual(['flag:missing']);
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
    expect(parts.filter((part) => expected.includes(part))).toEqual([]);
    expect(used).toHaveLength(1);
  });

  it('a value only while it is the known one', () => {
    const path = pathOf('/name');
    const known = stateOf({ path: '/name', before: 'B', after: 'A' });
    expect(planIgnoring({ key: 'a', path, state: known }).left).toEqual(['/name']);
    const other = stateOf({ path: '/name', before: 'C', after: 'A' });
    expect(planIgnoring({ key: 'a', path, state: other }).left).toEqual([]);
    expect(stateOf({ path: '/name' })).not.toBe(stateOf({ path: '/name', before: null }));
  });
});
