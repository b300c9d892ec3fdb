/** Flags of a project that is older than the counting of versions, served as today's service. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, results, start, type Client } from '../harness.ts';

async function older(flag: JsonObject): Promise<{ readonly client: Client; readonly flag: JsonObject }> {
  const client = await start({ profile: 'posthog', seed: { flags: [{ version: null, ...flag }] } });
  const [listed] = results(await client.get(FLAGS));
  return { client, flag: listed as JsonObject };
}

test('the first update counts from 0', async () => {
  const { client, flag } = await older({ key: 'a' });
  expect(flag['version']).toBeNull();
  expect((await client.patch(pathOf(flag), { name: 'b' })).body).toMatchObject({ name: 'b', version: 1 });
});

test('an edit since the flag was read is found, although it had no version', async () => {
  const { client, flag } = await older({ key: 'a', name: 'a' });
  await client.patch(pathOf(flag), { name: 'theirs' });
  expect((await client.patch(pathOf(flag), { name: 'ours', version: 0, original_flag: flag })).status).toBe(409);
});

test('no version is reconstructed', async () => {
  const { client, flag } = await older({ key: 'a' });
  expect(await client.get(`${pathOf(flag)}versions/1/`)).toMatchObject({
    status: 422,
    body: { detail: 'The activity does not lead back to this version.' },
  });
});

test('a rollout names the version null, and is refused for any other', async () => {
  const { client, flag } = await older({ key: 'a', filters: { groups: [{ rollout_percentage: 5 }] } });
  const act = async (version: number | null): Promise<number> =>
    (
      await client.post(`${pathOf(flag)}set_release_condition_rollout/`, {
        condition_index: 0,
        rollout_percentage: 10,
        version,
      })
    ).status;
  expect([await act(3), await act(null), await act(null)]).toEqual([409, 200, 409]);
});

test('an SDK gets 0 as the version', async () => {
  const { client } = await older({ key: 'a' });
  const { body } = await client.post('/flags?v=2', { distinct_id: 'x', token: '1' });
  expect(body).toMatchObject({ flags: { a: { metadata: { version: 0 } } } });
});
