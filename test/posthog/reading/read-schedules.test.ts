/** When scheduled changes are asked for, and what a plan that does without them knows. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { readLiveState } from '../../../src/posthog/reading/live-state.ts';
import { selectionOf } from '../../../src/posthog/live-selection.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { clientFor } from '../client/support/client.ts';
import { serve, type Reply } from '../client/support/server.ts';

const TODAY = { id: 7, key: 'a', user_access_level: 'editor' };
const OF_2023 = { id: 7, key: 'a' };
const CHANGE = { id: 12, record_id: '7', scheduled_at: '2026-12-01T09:00:00Z' };

async function read(
  flag: JsonObject,
  { schedules = true, keys = ['a'], reply }: { schedules?: boolean; keys?: readonly string[]; reply?: Reply } = {},
): Promise<{ readonly asked: boolean } & Pick<LiveState, 'schedules' | 'unknownSchedules'>> {
  const page = (results: readonly JsonObject[]): Reply => ({ body: { count: results.length, next: null, results } });
  const { host, seen } = await serve(({ url }) => {
    if (url.includes('scheduled_changes')) return reply ?? page([CHANGE]);
    return page(url.includes('feature_flags/?') ? [flag] : []);
  });
  const wanted = selectionOf(desiredState(...keys.map((key) => declared(key))));
  const { schedules: found, unknownSchedules } = await readLiveState(clientFor(host), wanted, { schedules });
  const asked = seen.some(({ url }) => url.includes('scheduled_changes'));
  return { asked, ...defined({ schedules: found, unknownSchedules }) };
}

test("of today's service, beside a live declared flag", async () => {
  expect(await read(TODAY)).toEqual({ asked: true, schedules: [CHANGE] });
});

test.each<[string, JsonObject, Parameters<typeof read>[1]]>([
  ['a service of 2023', OF_2023, {}],
  ['no declared flag is live', TODAY, { keys: ['b'] }],
  ['a run that shows none', TODAY, { schedules: false }],
])('%s costs no request', async (_name, flag, options) => {
  expect(await read(flag, options)).toMatchObject({ asked: false });
});

test.each<[number, Pick<LiveState, 'schedules' | 'unknownSchedules'>]>([
  [404, { schedules: [] }],
  [403, { unknownSchedules: 'forbidden' }],
  [500, { unknownSchedules: 'failed' }],
])('an answer %i fails nothing, and only 404 means that there are none', async (status, known) => {
  expect(await read(TODAY, { reply: { status, body: { detail: 'x' } } })).toEqual({ asked: true, ...known });
});

test('nor does an answer of another shape fail the run', async () => {
  const reply = { body: { results: [{}] } };
  expect(await read(TODAY, { reply })).toEqual({ asked: true, unknownSchedules: 'failed' });
});
