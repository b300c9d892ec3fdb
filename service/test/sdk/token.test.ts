/** The project and the authorisation of a token. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { start, type Client } from '../harness.ts';

const PROJECTS = [{ id: '1' }, { id: '22' }];

async function ask(client: Client, token: string | undefined): Promise<readonly [number, string[]]> {
  const body = { distinct_id: 'x', ...(token !== undefined && { token }) };
  const { status, body: answered } = await client.post('/flags/', body);
  return [status, Object.keys((answered['featureFlags'] ?? {}) as JsonObject)];
}

test.each([
  ['22', 200, ['second']],
  ['phc_22', 200, ['second']],
  ['phc_1', 200, []],
  ['phc_3', 401, []],
  ['', 401, []],
  [undefined, 401, []],
])('of two projects: %s', async (token, status, keys) => {
  const client = await start({ projects: PROJECTS, seed: { project_id: '22', flags: [{ key: 'second' }] } });
  expect(await ask(client, token)).toEqual([status, keys]);
});

test.each([
  ['phx_right', 200],
  ['phc_1', 401],
  ['phx_wrong', 401],
])('where only some keys are accepted: %s', async (token, status) => {
  const client = await start({ apiKeys: ['phx_right'], seed: [{ key: 'a' }] });
  expect((await ask(client, token))[0]).toBe(status);
  const captured = await client.post('/capture/', { token, event: 'e', distinct_id: 'x' });
  expect(captured.status).toBe(status);
});
