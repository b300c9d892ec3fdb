import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { withMoves } from '../../../src/posthog/flag/values-of-others.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, liveFlag, retired } from '../../helpers/states.ts';

function stateOf(rollout: number, payload: JsonObject | string): DesiredState {
  return desiredState(declared('a', { active: true, filters: filtersWith(rollout, payload) }));
}

function filtersWith(rollout: number, payload: JsonObject | string): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: rollout }], payloads: { true: payload } };
}

/** The body that carries out what git changed from `base`, where `live` differs from it. */
function bodyWithoutDrift(base: DesiredState, desired: DesiredState, live: JsonObject): JsonObject | undefined {
  const plan = buildPlan(
    desired,
    { flags: [{ id: 1, key: 'a', active: true, deleted: false, filters: live }], roleAccess: {} },
    { base: { facts: { kind: 'commit', commit: '1'.repeat(40), from: 'ref' }, desired: base }, keepDrift: true },
  );
  const [change] = plan.changes;
  return change !== undefined && 'body' in change ? change.body : undefined;
}

test('a part of a payload that drifted leaves the other parts, also where the manifest has the payload as text', () => {
  const text = '{"a": 1, "b": [1, 2]}';
  const body = bodyWithoutDrift(stateOf(10, text), stateOf(20, text), filtersWith(10, { a: 1 }));
  expect(body).toEqual({ filters: filtersWith(20, { a: 1 }) });
  expect(bodyWithoutDrift(stateOf(10, text), stateOf(10, text), filtersWith(10, { a: 1 }))).toBeUndefined();
});

test('a payload that the service holds as text is left, and what git changed elsewhere in the filters is written', () => {
  const body = bodyWithoutDrift(stateOf(0, { color: 'red' }), stateOf(5, { color: 'red' }), filtersWith(0, '{"a": 1}'));
  expect(body).toEqual({ filters: filtersWith(5, { a: 1 }) });
});

const ON = { active: true, filters: filtersWith(10, {}) };

test.each<[string, DesiredFlag, readonly Flag[], readonly string[]]>([
  ['that others deleted', declared('a', ON), [liveFlag(1, 'a', { ...ON, deleted: true })], ['restore']],
  ['that others destroyed', declared('a', ON), [], ['create']],
  ['that others restored', retired('a'), [liveFlag(1, 'a', ON)], ['delete']],
])('a flag %s is left as a whole where drift is kept', (_, flag, flags, actions) => {
  const desired = desiredState(flag);
  const base = { facts: { kind: 'commit', commit: '1'.repeat(40), from: 'ref' }, desired } as const;
  const { changes, left } = buildPlan(desired, { flags, roleAccess: {} }, { base, keepDrift: true });
  expect([changes, left?.map(({ key, action }) => [key, action])]).toEqual([
    [],
    actions.map((action) => ['a', action]),
  ]);
});

test.each<[name: string, keeps: readonly { readonly path: string }[]]>([
  ['since the change', []],
  ['before the change, which kept it', [{ path: '/filters/holdout' }]],
])('what undoes a change leaves the part that another product added %s', (_name, keeps) => {
  const holdout = { id: 7, exclusion_percentage: 10 };
  const live = { active: true, filters: { ...filtersWith(20, '1'), holdout } };
  const change = { body: { filters: filtersWith(20, '1') }, keeps };
  const former = { filters: filtersWith(10, '1') };
  const names = { keyOf: () => undefined, idOf: () => undefined } as never;
  expect(withMoves(former, change, { canonical: canonicalFlag(live), written: live, names })).toEqual({
    filters: { ...filtersWith(10, '1'), holdout },
  });
});
