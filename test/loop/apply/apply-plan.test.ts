/** Applying over HTTP: only changes that moved are skipped, dependents wait, a stop is clean, and the result has the remainder. */

import { afterEach, describe, expect, test } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyProgress } from '../../../src/loop/apply/recorder.ts';
import type { ApplyResult } from '../../../src/loop/apply/result.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { FaultRule } from '../../../service/src/index.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, dependsOn, desiredState, retired } from '../../helpers/states.ts';
import { grantRole } from '../../helpers/access.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';

const ANY: JsonObject = { groups: [{ properties: [], rollout_percentage: 100 }] };
const [ROLE = '', OTHER_ROLE = ''] = ROLE_IDS;

let worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.map((world) => world.close()));
  worlds = [];
});

async function start(faults?: readonly FaultRule[]): Promise<World> {
  const world = await startWorld('posthog', undefined, faults === undefined ? {} : { faults: { faults } as never });
  worlds.push(world);
  return world;
}

async function make(world: World, ...flags: DesiredFlag[]): Promise<ApplyResult> {
  return world.apply(await world.plan(desiredState(...flags)));
}

const apply = (world: World, plan: Plan, options: Partial<ApplyOptions> = {}): Promise<ApplyResult> =>
  applyPlan(plan, world.client, { concurrency: 4, ...options });

function outcomes(result: ApplyResult): Record<string, string> {
  return Object.fromEntries(
    result.changes.map(({ change, result: outcome }) => [
      change.ref,
      outcome.outcome === 'skipped' ? `skipped: ${outcome.reason.code}` : outcome.outcome,
    ]),
  );
}

describe('what moved since the plan', () => {
  test('is skipped field by field, and nothing else is', async () => {
    const world = await start();
    await make(world, declared('a', { name: 'old', filters: ANY }), declared('b', { name: 'old', filters: ANY }));
    const plan = await world.plan(desiredState(declared('a', { name: 'new' }), declared('b', { name: 'new' })));
    await world.edit('a', { tags: ['theirs'], name: 'theirs' });
    const result = await apply(world, plan);
    expect(outcomes(result)).toEqual({ 'flag:a': 'skipped: stale', 'flag:b': 'applied' });
    expect(result.changes[0]?.result).toMatchObject({
      reason: {
        moved: [
          { path: '/name', before: 'old', after: 'theirs' },
          { path: '/tags', after: ['theirs'] },
        ],
      },
    });
  });

  test.each<[string, DesiredFlag, (world: World) => Promise<unknown>]>([
    ['a flag that was deleted', declared('a', { name: 'new' }), (world) => world.edit('a', { deleted: true })],
    [
      'a flag that was archived',
      declared('a', { name: 'new' }),
      (world) => world.edit('a', { active: false, archived: true }),
    ],
    ['a flag that was renamed', retired('a'), (world) => world.edit('a', { key: 'other' })],
    [
      'a role that was granted',
      declared('a', {}, { roles: [ROLE] }),
      async ({ client }) => grantRole(client, (await client.listFlags())[0]?.id ?? 0, OTHER_ROLE),
    ],
  ])('%s', async (_name, wanted, move) => {
    const world = await start();
    await make(world, declared('a', { name: 'old', filters: ANY }));
    const plan = await world.plan(desiredState(wanted));
    expect(plan.changes).toHaveLength(1);
    await move(world);
    expect(Object.values(outcomes(await apply(world, plan)))).toEqual(['skipped: stale']);
  });

  test('a key that another user has taken', async () => {
    const world = await start();
    const plan = await world.plan(desiredState(declared('a', { name: 'ours', filters: ANY })));
    await world.client.createFlag({ key: 'a', name: 'theirs', filters: ANY });
    const result = await apply(world, plan);
    expect(result.changes[0]?.result).toEqual({
      outcome: 'skipped',
      reason: { code: 'stale', moved: [{ path: '/key', after: 'a' }] },
    });
    expect((await world.client.listFlags()).map((flag) => flag.name)).toEqual(['theirs']);
  });

  test('a change by the service itself does not count as moved', async () => {
    const world = await start();
    await make(world, declared('a', { name: 'old', filters: ANY }));
    const plan = await world.plan(desiredState(declared('a', { name: 'new' })));
    // The version increases although nothing changes.
    await world.edit('a', { name: 'old' });
    expect(outcomes(await apply(world, plan))).toEqual({ 'flag:a': 'applied' });
  });
});

describe('changes that need each other', () => {
  const flags = [
    declared('base', { active: true, filters: ANY }),
    declared('top', { active: true, filters: dependsOn('base') }),
  ];

  test('are made in order, with the id of a flag that was just created', async () => {
    const world = await start();
    const result = await make(world, ...flags);
    expect(outcomes(result)).toEqual({ 'flag:base': 'applied', 'flag:top': 'applied' });
    expect(result.remainder).toEqual([]);
    expect((await world.plan(desiredState(...flags))).changes).toEqual([]);
  });

  test('are skipped when one that they need fails, and independent ones are made', async () => {
    const world = await start([{ match: { operation: 'createFlag' }, answer: { status: 403 } }]);
    const plan = await world.plan(
      desiredState(
        ...flags,
        declared('other', { filters: ANY }),
        declared('roles', { filters: ANY }, { roles: [ROLE] }),
      ),
    );
    const result = await apply(world, plan, { concurrency: 1 });
    expect(outcomes(result)).toEqual({
      'flag:base': 'failed',
      'flag:top': 'skipped: needs_failed',
      'flag:other': 'applied',
      'flag:roles': 'applied',
      [`role_access:roles:${ROLE}`]: 'applied',
    });
    expect(result.changes.find(({ change }) => change.key === 'top')?.result).toMatchObject({
      reason: { refs: ['flag:base'] },
    });
    expect(result.outcomes).toEqual({ applied: 3, failed: 1, skipped: 1, pending: 0, unknown: 0 });
  });

  test('a grant waits for its flag', async () => {
    const world = await start([{ match: { operation: 'createFlag' }, answer: { status: 400, code: 'invalid_input' } }]);
    const result = await make(world, declared('a', { filters: ANY }, { roles: [ROLE] }));
    expect(outcomes(result)).toEqual({ 'flag:a': 'failed', [`role_access:a:${ROLE}`]: 'skipped: needs_failed' });
  });

  test('an unknown dependency fails its flag and is named', async () => {
    const world = await start();
    const result = await make(world, declared('a', { filters: dependsOn('nowhere') }));
    expect(result.changes[0]?.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'dependency_missing', field: 'filters', message: expect.stringContaining('nowhere') as string },
    });
  });
});

describe('stopping', () => {
  test.each([
    ['deadline', 'skipped: deadline'],
    ['interrupted', 'skipped: interrupted'],
  ] as const)('%s: what is in flight ends, nothing new starts, nothing is claimed', async (code, expected) => {
    const world = await start();
    const keys = ['a', 'b', 'c', 'd'];
    const plan = await world.plan(desiredState(...keys.map((key) => declared(key, { filters: ANY }))));
    const stop = new AbortController();
    const onProgress = (progress: ApplyProgress): void => {
      if (progress.kind === 'started' && progress.change.key === 'b') stop.abort(new FlagwrightError(code, 'stop'));
    };
    const result = await apply(world, plan, { concurrency: 1, signal: stop.signal, onProgress });
    expect(Object.values(outcomes(result))).toEqual(['applied', 'applied', expected, expected]);
    expect(result.verified).toBe(false);
    expect((await world.client.listFlags()).map((flag) => flag.key).sort()).toEqual(['a', 'b']);
  });
});

describe('the result', () => {
  test('reports the value that the service stored instead', async () => {
    const world = await start([
      {
        match: { operation: 'createFlag' },
        edit: {
          method: 'PATCH',
          path: 'feature_flags/{flag:a}/',
          body: { name: 'as the service likes it' },
          when: 'after',
        },
      },
    ]);
    const result = await make(world, declared('a', { name: 'as declared', filters: ANY }));
    expect(result.remainder).toEqual([
      {
        ref: 'flag:a',
        key: 'a',
        path: '/name',
        wanted: 'as declared',
        found: 'as the service likes it',
        reason: 'service_changed_value',
      },
    ]);
    expect(outcomes(result)).toEqual({ 'flag:a': 'applied' });
  });

  test('reports a grant that was revoked again', async () => {
    const world = await start([
      {
        match: { operation: 'setAccess' },
        edit: {
          method: 'PUT',
          path: 'feature_flags/{id}/access_controls/',
          body: { role: ROLE, access_level: null },
          when: 'after',
        },
      },
    ]);
    expect((await make(world, declared('a', { filters: ANY }, { roles: [ROLE] }))).remainder).toEqual([
      {
        ref: `role_access:a:${ROLE}`,
        key: 'a',
        path: `/access/${ROLE}`,
        wanted: 'editor',
        reason: 'service_dropped_value',
      },
    ]);
  });

  test('reports progress in order, with counts', async () => {
    const world = await start();
    const plan = await world.plan(desiredState(declared('a', { filters: ANY }), declared('b', { filters: ANY })));
    const told: string[] = [];
    await apply(world, plan, {
      concurrency: 1,
      onProgress: (progress) =>
        told.push(progress.kind === 'finished' ? `${progress.done}/${progress.total}` : progress.kind),
    });
    expect(told).toEqual(['reading', 'started', '1/2', 'started', '2/2', 'verifying']);
  });

  test('has what the plan says of its origin, and of what it leaves as it is', async () => {
    const world = await start();
    const opaque = declared('c', { filters: { version: 3, rules: [] } });
    const plan = await world.plan(desiredState(declared('a', { filters: ANY }), opaque));
    const left = [{ ref: 'flag:b', resource: 'flag', key: 'b', action: 'update', fields: [] }];
    const said = { undoes: 'run-1', off: { reason: 'incident' }, left, released: [{ key: 'd' }] };
    expect(await apply(world, { ...plan, ...said })).toMatchObject({
      ...said,
      unwritable: [{ resource: 'flag', key: 'c' }],
    });
    const plain = await make(world, declared('a', { name: 'x' }));
    for (const name of ['undoes', 'off', 'left', 'unwritable', 'released']) expect(plain).not.toHaveProperty(name);
  });

  test('an empty plan costs no request', async () => {
    const world = await start();
    const plan = await world.plan(desiredState());
    expect(await apply(world, plan)).toMatchObject({ requests: 0, changes: [], remainder: [], verified: true });
  });
});

test('the lock does not conflict over fields that reads add', async () => {
  const edit = { method: 'PATCH', path: 'feature_flags/{id}/', body: { tags: ['theirs'] } } as const;
  const world = await start([{ match: { operation: 'updateFlag' }, edit }]);
  const cohort = { key: 'id', type: 'cohort', operator: 'in', value: 42 };
  const conditions = (rollout: number): JsonObject => ({
    groups: [{ properties: [cohort], rollout_percentage: rollout }],
  });
  await make(world, declared('a', { filters: conditions(50) }));
  const [decorated] = await world.client.listFlags();
  expect(JSON.stringify(decorated?.filters)).toContain('cohort_name');
  const result = await make(world, declared('a', { filters: conditions(75) }));
  expect(outcomes(result)).toEqual({ 'flag:a': 'applied' });
  expect((await world.client.listFlags())[0]).toMatchObject({
    tags: ['theirs'],
    filters: { groups: [{ rollout_percentage: 75 }] },
  });
});

describe('progress', () => {
  test('of an empty plan is empty', async () => {
    const world = await start();
    const told: ApplyProgress[] = [];
    await apply(world, await world.plan(desiredState()), { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([]);
  });

  test('of each change has the change, the total, the outcome, and the least time that remains', async () => {
    const world = await startWorld('posthog', undefined, {
      client: { windows: [{ requests: 1000, durationMs: 60_000 }] },
    });
    worlds.push(world);
    const plan = await world.plan(desiredState(declared('a', { filters: ANY }), declared('b', { filters: ANY })));
    const told: ApplyProgress[] = [];
    await apply(world, plan, { concurrency: 1, onProgress: (progress) => told.push(progress) });
    const [first, second] = plan.changes;
    const left = { total: 2, leastMs: 0 };
    const result = { outcome: 'applied', id: expect.any(Number) as number };
    expect(told).toEqual([
      { kind: 'reading' },
      { kind: 'started', change: first, ...left },
      { kind: 'finished', change: first, result, done: 1, ...left },
      { kind: 'started', change: second, ...left },
      { kind: 'finished', change: second, result, done: 2, ...left },
      { kind: 'verifying' },
    ]);
  });

  test('the least time that remains shrinks with each change', async () => {
    const world = await startWorld('posthog', undefined, { client: { windows: [{ requests: 6, durationMs: 700 }] } });
    worlds.push(world);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const plan = await world.plan(desiredState(...keys.map((key) => declared(key, { filters: ANY }))));
    const left: number[] = [];
    const onProgress = (progress: ApplyProgress): void => {
      if (progress.kind === 'finished') left.push(progress.leastMs);
    };
    await apply(world, plan, { concurrency: 1, onProgress });
    expect(left[0]).toBeGreaterThan(0);
    expect(left.at(-1)).toBe(0);
  });
});

test('only the requests of the run are counted', async () => {
  const world = await start();
  const first = await make(world, declared('a', { filters: ANY }));
  // All but those of the plan: the list, the archive, and the activity log.
  expect(first.requests).toBe(world.client.stats().requests - 3);
  expect((await apply(world, await world.plan(desiredState(declared('a', { name: 'x' }))))).requests).toBe(3);
});

test('state that was just read is not read again, and the written flag is read back by itself', async () => {
  const world = await start();
  await make(world, declared('a', { filters: ANY }));
  const desired = desiredState(declared('a', { name: 'x' }));
  const [plan, read] = [await world.plan(desired), await world.live(desired)];
  const told: string[] = [];
  const result = await apply(world, plan, { read, onProgress: ({ kind }) => told.push(kind) });
  expect(result).toMatchObject({ requests: 2, verified: true, outcomes: { applied: 1 } });
  expect(told).toEqual(['started', 'finished', 'verifying']);
});

test('the client is told of all writes before the first one', async () => {
  const ahead: unknown[] = [];
  const world = await startWorld('posthog', undefined, {
    client: {
      windows: [{ requests: 10, durationMs: 3_600_000 }],
      onEvent: (event) => event.kind === 'ahead' && ahead.push([event.operation, event.requests]),
    },
  });
  worlds.push(world);
  const keys = Array.from({ length: 12 }, (_, index) => `f${index}`);
  const plan = await world.plan(desiredState(...keys.map((key) => declared(key, { filters: ANY }))));
  await apply(world, plan, { signal: AbortSignal.abort() });
  expect(ahead).toEqual([['write', 12]]);
});

test('a stop without a FlagwrightError counts as an interruption', async () => {
  const world = await start();
  const plan = await world.plan(desiredState(declared('a', { filters: ANY })));
  const result = await apply(world, plan, { signal: AbortSignal.abort(new Error('who knows')) });
  expect(outcomes(result)).toEqual({ 'flag:a': 'skipped: interrupted' });
  expect(result.verified).toBe(false);
});

describe('a key that may not write', () => {
  const scope = { status: 403, detail: "API key missing required scope 'feature_flag:write'" };
  const keys = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const flags = keys.map((key) => declared(key, { filters: ANY }));

  test('stops the run after the first refusal: the others are skipped with that reason', async () => {
    const world = await start([{ match: { access: 'write' }, count: 1000, answer: scope }]);
    const sent: string[] = [];
    const result = await apply(world, await world.plan(desiredState(...flags)), {
      concurrency: 1,
      recorder: { sending: async ({ ref }) => void sent.push(ref), settled: () => undefined },
    });
    expect(sent).toEqual(['flag:f0']);
    expect(result.outcomes).toMatchObject({ failed: 1, skipped: 19 });
    expect(result.changes.at(-1)?.result).toEqual({
      outcome: 'skipped',
      reason: { code: 'key_refused', ref: 'flag:f0' },
    });
  });

  test('stops the run although other changes are in flight: those finish', async () => {
    const world = await start([{ match: { access: 'write' }, count: 1000, answer: scope }]);
    const result = await apply(world, await world.plan(desiredState(...flags)), { concurrency: 4 });
    expect(result.outcomes.failed).toBeLessThanOrEqual(4);
    expect(result.outcomes.failed + result.outcomes.skipped).toBe(20);
  });

  test('stops only changes of the same kind: a key may lack the scope for roles alone', async () => {
    const world = await start([{ match: { operation: 'setAccess' }, count: 1000, answer: scope }]);
    const granted = keys.map((key) => declared(key, { filters: ANY }, { roles: [ROLE] }));
    const result = await apply(world, await world.plan(desiredState(...granted)), { concurrency: 1 });
    expect(result.outcomes).toMatchObject({ applied: 20, failed: 1, skipped: 19 });
  });

  test('is not assumed after a refusal that may concern one flag', async () => {
    const detail = 'You do not have edit permissions for this feature flag.';
    const world = await start([{ match: { access: 'write' }, answer: { status: 403, detail } }]);
    const result = await apply(world, await world.plan(desiredState(...flags)));
    expect(result.outcomes).toMatchObject({ applied: 19, failed: 1 });
  });

  test('leaves changes that are already in effect as applied', async () => {
    const world = await start([{ match: { access: 'write' }, count: 1000, answer: scope }]);
    const plan = await world.plan(desiredState(...flags));
    const earlier = {
      applied: new Map([['flag:f19', { outcome: 'applied', id: 7 } as const]]),
      sent: new Set<string>(),
    };
    const result = await apply(world, plan, { concurrency: 1, earlier });
    expect(result.outcomes).toMatchObject({ applied: 1, failed: 1, skipped: 18 });
  });
});

test('the record gets the outcome of every change that began, once', async () => {
  const world = await start([{ match: { operation: 'createFlag' }, answer: { status: 403 } }]);
  const plan = await world.plan(
    desiredState(declared('a', { filters: ANY }, { roles: [ROLE] }), declared('b', { filters: ANY })),
  );
  const told: string[] = [];
  await apply(world, plan, {
    concurrency: 1,
    recorder: {
      sending: async ({ ref }) => void told.push(`sending ${ref}`),
      settled: ({ ref }, { outcome }) => void told.push(`${outcome} ${ref}`),
    },
  });
  expect(told).toEqual(['sending flag:a', 'failed flag:a', 'sending flag:b', 'applied flag:b']);
});

describe('a run that finishes an earlier one', () => {
  const earlier = (sent: readonly string[], applied: readonly string[] = []): NonNullable<ApplyOptions['earlier']> => ({
    applied: new Map(applied.map((ref) => [ref, { outcome: 'applied', id: 77 } as const])),
    sent: new Set(sent),
  });

  test('sends neither applied changes nor sent changes that are in effect', async () => {
    const world = await start();
    const plan = await world.plan(desiredState(declared('a', { filters: ANY }), declared('b', { filters: ANY })));
    await apply(world, plan);
    const before = JSON.stringify(await world.client.listFlags());
    const result = await apply(world, plan, { earlier: earlier(['flag:b'], ['flag:a']) });
    expect(result.changes.map(({ result: outcome }) => outcome)).toEqual([
      { outcome: 'applied', id: 77 },
      { outcome: 'applied', id: (await world.client.listFlags()).find(({ key }) => key === 'b')?.id },
    ]);
    expect(JSON.stringify(await world.client.listFlags())).toBe(before);
  });

  test('does not count its own role access changes as moved', async () => {
    const world = await start();
    await make(world, declared('a', { filters: ANY }));
    const plan = await world.plan(desiredState(declared('a', {}, { roles: [ROLE, OTHER_ROLE] })));
    const [flag] = await world.client.listFlags();
    await grantRole(world.client, flag?.id ?? 0, ROLE);
    expect(Object.values(outcomes(await apply(world, plan)))).toContain('skipped: stale');
    const resumed = await apply(world, plan, { earlier: earlier([`role_access:a:${ROLE}`]) });
    expect(Object.values(outcomes(resumed))).toEqual(['applied', 'applied']);
  });
});

test('a result that cannot be verified reports no remainder', async () => {
  const world = await start([{ match: { operation: 'listFlags' }, from: 3, count: 1000, answer: { status: 403 } }]);
  await world.client.createFlag({ key: 'a', filters: ANY });
  // The plan lists the flags, and so does the apply before it writes.
  const result = await make(world, declared('a', { name: 'new' }));
  expect(result).toMatchObject({ outcomes: { applied: 1 }, verified: false, remainder: [] });
});
