/** Changes that need an approval in the service, over HTTP. */

import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { declared, desiredState, rolledOut } from '../../helpers/states.ts';
import { startWorld, type World } from '../../helpers/world.ts';

let worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.map((world) => world.close()));
  worlds = [];
});

async function start(seed?: JsonObject, faults?: JsonObject): Promise<World> {
  const world = await startWorld('posthog', seed, faults === undefined ? {} : { faults });
  worlds.push(world);
  return world;
}

test.each([
  ['approval_required', false, 60, 'this_change'],
  ['change_request_pending', true, 60, 'this_change'],
  ['change_request_pending', true, 50, 'other_values'],
])('a write that the service answers with %s', async (code, wasOpen, percent, asks) => {
  const request = {
    action_key: 'feature_flag.update',
    intent: { flag_key: 'a', full_request_data: { filters: rolledOut(percent) } },
  };
  const answer = { status: 409, code, extra: { change_request_id: 'cr-1', change_request: request } };
  const world = await start(
    { flags: [{ key: 'a', filters: rolledOut(25) }] },
    { faults: [{ match: { operation: 'updateFlag' }, answer }] },
  );
  const result = await world.apply(await world.plan(desiredState(declared('a', { filters: rolledOut(60) }))));
  expect(result.outcomes).toMatchObject({ pending: 1 });
  expect(result.changes[0]?.result).toMatchObject({
    error: { code, status: 409 },
    request: {
      id: 'cr-1',
      url: 'https://flags.example.com/project/1/approvals/cr-1',
      action: 'feature_flag.update',
      key: 'a',
      wasOpen,
      asks,
    },
  });
});

describe('a write that needs several approvals is sent in parts', () => {
  const CONFLICT = { status: 400, code: 'policy_conflict' };
  const WAITS = { status: 409, code: 'approval_required', extra: { change_request_id: 'cr-1' } };
  const on = (operation: string, from: number, answer: JsonObject): JsonObject => ({
    match: { operation },
    from,
    count: 1,
    answer,
  });
  const OFF = { key: 'a', active: false, filters: rolledOut(25) };
  const ON = { key: 'a', active: true, filters: rolledOut(25) };

  async function applyOver(live: JsonObject | undefined, wanted: JsonObject, ...faults: JsonObject[]) {
    const world = await start({ flags: live === undefined ? [] : [live] }, { faults });
    const result = await world.apply(await world.plan(desiredState(declared('a', wanted))));
    const [flag] = await world.client.listFlags();
    return { result, outcome: result.changes[0]?.result, flag };
  }

  test.each<[string, JsonObject, JsonObject]>([
    ['to enable', OFF, { active: true, filters: rolledOut(60) }],
    ['to disable', ON, { active: false, filters: rolledOut(60) }],
  ])('%s, which both pass', async (_name, live, wanted) => {
    const { result, flag } = await applyOver(live, wanted, on('updateFlag', 1, CONFLICT));
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [], verified: true });
    expect(flag).toMatchObject({ ...wanted, version: 3 });
  });

  test.each<[string, JsonObject, JsonObject, number, object, JsonObject]>([
    [
      'enabling waits for the change',
      OFF,
      { active: true, filters: rolledOut(60) },
      2,
      { written: [], waiting: ['filters'], unsent: ['active'] },
      OFF,
    ],
    [
      'enabling waits after the change',
      OFF,
      { active: true, filters: rolledOut(60) },
      3,
      { written: ['filters'], waiting: ['active'], unsent: [] },
      { active: false, filters: rolledOut(60) },
    ],
    [
      'the change waits for disabling',
      ON,
      { active: false, filters: rolledOut(60) },
      2,
      { written: [], waiting: ['active'], unsent: ['filters'] },
      ON,
    ],
  ])('%s', async (_name, live, wanted, at, parts, left) => {
    const faults = [on('updateFlag', 1, CONFLICT), on('updateFlag', at, WAITS)];
    const { result, outcome, flag } = await applyOver(live, wanted, ...faults);
    expect(result.outcomes).toMatchObject({ pending: 1 });
    expect(outcome).toMatchObject({ outcome: 'pending', request: { id: 'cr-1', asks: 'this_change' }, parts });
    expect(flag).toMatchObject(left);
  });

  test('a flag is created disabled, and waits to be enabled', async () => {
    const faults = [on('createFlag', 1, CONFLICT), on('updateFlag', 1, WAITS)];
    const { outcome, flag } = await applyOver(undefined, { name: 'A', filters: rolledOut(60) }, ...faults);
    expect(outcome).toMatchObject({ outcome: 'pending', parts: { waiting: ['active'], unsent: [] } });
    expect(flag).toMatchObject({ key: 'a', active: false, filters: rolledOut(60) });
  });

  test('a flag is created disabled, then enabled', async () => {
    const { result, flag } = await applyOver(undefined, { filters: rolledOut(60) }, on('createFlag', 1, CONFLICT));
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
    expect(flag).toMatchObject({ key: 'a', active: true, filters: rolledOut(60) });
  });

  test('one action that several policies match cannot be parted', async () => {
    const { outcome } = await applyOver(ON, { filters: rolledOut(60) }, on('updateFlag', 1, CONFLICT));
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'policy_conflict', status: 400 } });
    expect(outcome).not.toHaveProperty('parts');
  });
});
