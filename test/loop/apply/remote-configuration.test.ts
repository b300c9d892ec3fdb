/** A remote configuration below 100 %: the service creates it with 100 % in place of 0 %, so it is created disabled. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { appliedChanges } from '../../../src/loop/journal/undo.ts';
import { forecastOf } from '../../../src/loop/apply/read-again.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { openWorld, type World } from '../../helpers/world.ts';

async function start(...faults: JsonObject[]): Promise<World> {
  const world = await openWorld('posthog', undefined, { faults: { faults } });
  return world;
}

const condition = (rollout_percentage: number): JsonObject => ({ properties: [], rollout_percentage });
const filters = (...shares: number[]): JsonObject => ({ groups: shares.map(condition), payloads: { true: '{"a":1}' } });
const remote = (more: JsonObject): ReturnType<typeof desiredState> =>
  desiredState(declared('rc', { is_remote_configuration: true, ...more }));
const fails = (operation: string, from: number, answer: JsonObject): JsonObject => ({
  match: { operation },
  from,
  count: 1,
  answer,
});
const sharesOf = async ({ client }: World): Promise<unknown> => {
  const [flag] = await client.listFlags();
  return flag && [flag.active, ...(flag.filters?.groups ?? []).map((group) => group.rollout_percentage)];
};

test.each<[string, JsonObject, unknown[]]>([
  ['active', { active: true, filters: filters(0) }, [true, 0]],
  ['active without a word', { filters: filters(0, 30) }, [true, 0, 30]],
  ['without conditions', { filters: { groups: [] } }, [true]],
  ['without a word about who gets it', { active: true }, [true, 100]],
  ['inactive', { active: false, filters: filters(0) }, [false, 0]],
  ['at 30 %', { active: true, filters: filters(30) }, [true, 30]],
])('%s, it is made as it is declared, and nothing is left to plan', async (_name, fields, made) => {
  const world = await start();
  const result = await world.apply(await world.plan(remote(fields)));
  expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
  expect(await sharesOf(world)).toEqual(made);
  expect((await world.plan(remote(fields))).changes).toEqual([]);
});

test.each([
  ['createFlag', 1],
  ['updateFlag', 1],
  ['updateFlag', 2],
])('the answer to %s number %i may get lost', async (operation, from) => {
  const world = await start({ match: { operation }, from, count: 1, reset: { when: 'after' } });
  const wanted = remote({ active: true, filters: filters(0) });
  expect(await world.apply(await world.plan(wanted))).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
  expect(await sharesOf(world)).toEqual([true, 0]);
});

test('what another user made of it in between stays', async () => {
  const body = { filters: filters(20) };
  const edit = { when: 'before', method: 'PATCH', path: 'feature_flags/1/', body };
  const world = await start({ match: { operation: 'updateFlag' }, from: 1, count: 1, edit });
  const result = await world.apply(await world.plan(remote({ active: true, filters: filters(0) })));
  expect(result).toMatchObject({ outcomes: { failed: 1 } });
  expect(await sharesOf(world)).toEqual([false, 20]);
});

test('an undo finds the flag that a run was making when it was interrupted', async () => {
  const world = await start(fails('updateFlag', 1, { status: 400 }));
  const plan = await world.plan(remote({ active: true, filters: filters(0) }));
  await world.apply(plan);
  const run = { name: 'x', startedAt: 'T', plan, outcomes: new Map(), applied: new Map(), sent: new Set(['flag:rc']) };
  expect(appliedChanges(run, await world.live())).toMatchObject([{ change: { action: 'create' }, id: 1 }]);
});

test('the plan shows that everybody gets it where nobody says who does', async () => {
  const world = await start();
  const [change] = (await world.plan(remote({ active: true }))).changes;
  const filters = { groups: [{ rollout_percentage: 100 }] };
  expect(change).toMatchObject({
    body: { filters },
    fields: expect.arrayContaining([{ path: '/filters', after: filters, source: expect.anything() }]),
  });
});

test('the forecast counts each request', async () => {
  const world = await start();
  const requestsFor = async (share: number): Promise<number> =>
    forecastOf(await world.plan(remote({ filters: filters(share) })), { flags: [], concurrency: 4 }).requests;
  expect((await requestsFor(0)) - (await requestsFor(30))).toBe(2);
});

test.each<[string, JsonObject, unknown[]]>([
  ['its percentages', fails('updateFlag', 1, { status: 400 }), [false, 100]],
  ['that it is enabled', fails('updateFlag', 2, { status: 400 }), [false, 0]],
])('nobody gets it where the service refuses %s, and the next apply makes it', async (_name, fault, left) => {
  const world = await start(fault);
  const wanted = remote({ active: true, filters: filters(0) });
  const result = await world.apply(await world.plan(wanted));
  expect(result).toMatchObject({ outcomes: { failed: 1 }, changes: [{ result: { parts: { id: 1 } } }] });
  expect(await sharesOf(world)).toEqual(left);
  expect(await world.apply(await world.plan(wanted))).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
  expect(await sharesOf(world)).toEqual([true, 0]);
});
