/** What the stages of early access features do to people, approvals and flags that may not be edited. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, start, type Client } from '../harness.ts';

const PATH = '/api/projects/1/early_access_feature/';
const NOBODY = { groups: [{ properties: [], rollout_percentage: 0 }] };

async function startWith(flag: JsonObject, seed: JsonObject = {}): Promise<Client> {
  return start({
    profile: 'posthog',
    seed: {
      flags: [{ id: 1, key: 'sharing', filters: NOBODY, ...flag }],
      persons: [
        { distinct_ids: ['in'], properties: { '$feature_enrollment/sharing': 'true' } },
        { distinct_ids: ['out'], properties: { '$feature_enrollment/sharing': 'false' } },
        { distinct_ids: ['neither'], properties: {} },
      ],
      ...seed,
    },
  });
}

/** Who gets the flag. */
async function owners({ get }: Client): Promise<string[]> {
  const found: string[] = [];
  for (const person of ['in', 'out', 'neither']) {
    const { body } = await get(`${FLAGS}evaluation_reasons/?distinct_id=${person}`);
    if ((body['sharing'] as JsonObject)['value'] === true) found.push(person);
  }
  return found;
}

async function offer({ post }: Client, stage: string): Promise<string> {
  const { status, body } = await post(PATH, { name: 'Sharing', stage, feature_flag_id: 1 });
  expect([status, body['stage']]).toEqual([201, stage]);
  return body['id'] as string;
}

test.each([
  ['draft', []],
  ['concept', []],
  ['alpha', ['in']],
  ['beta', ['in']],
  ['general-availability', ['in']],
  ['archived', []],
])('in the stage %s, the flag for nobody is on for %j', async (stage, expected) => {
  const client = await startWith({});
  const id = await offer(client, stage);
  expect(await owners(client)).toEqual(expected);
  await client.patch(`${PATH}${id}/`, { stage: expected.length === 0 ? 'beta' : 'archived' });
  expect(await owners(client)).toEqual(expected.length === 0 ? ['in'] : []);
});

test('who declined does not get a flag for everybody while the stage enrolls', async () => {
  const client = await startWith({ filters: { groups: [{ properties: [], rollout_percentage: 100 }] } });
  const id = await offer(client, 'beta');
  expect(await owners(client)).toEqual(['in', 'neither']);
  expect((await client.request('DELETE', `${PATH}${id}/`)).status).toBe(204);
  expect(await owners(client)).toEqual(['in', 'out', 'neither']);
});

test('a flag that may not be edited keeps its enrollment', async () => {
  const client = await startWith({ can_edit: false });
  const id = await offer(client, 'draft');
  expect((await client.patch(`${PATH}${id}/`, { stage: 'beta' })).status).toBe(403);
  expect((await client.request('DELETE', `${PATH}${id}/`)).status).toBe(403);
  expect((await client.patch(`${PATH}${id}/`, { name: 'Renamed' })).body).toMatchObject({
    name: 'Renamed',
    stage: 'draft',
    user_access_level: 'viewer',
  });
});

test('an approval policy covers a feature that would make a flag, and nothing is made', async () => {
  const client = await startWith({}, { approval_policies: [{ action_key: 'feature_flag.enable' }] });
  const { status, body } = await client.post(PATH, { name: 'New', stage: 'draft' });
  expect([status, body['code']]).toEqual([409, 'approval_required']);
  expect((await client.get(PATH)).body).toMatchObject({ count: 0 });
});

test('a feature of a flag that was removed for good has none', async () => {
  const client = await startWith({ deleted: true });
  const id = await offer(client, 'draft');
  await client.create({ key: 'sharing', filters: NOBODY });
  expect((await client.get(`${PATH}${id}/`)).body).toMatchObject({ feature_flag: null, stage: 'draft' });
  expect((await client.patch(`${PATH}${id}/`, { stage: 'beta' })).body).toMatchObject({ stage: 'beta' });
});

test('a renamed flag keeps its feature, which names the new key', async () => {
  const client = await startWith({});
  await offer(client, 'beta');
  await client.patch(`${FLAGS}1/`, { key: 'sharing-2' });
  expect((await client.get(`${FLAGS}1/`)).body).toMatchObject({ features: [{ flagKey: 'sharing-2' }] });
});

test.each([
  [0, {}],
  [false, {}],
  ['', {}],
  [[], {}],
  [null, {}],
  [{}, {}],
  [1, 1],
  [['a'], ['a']],
])('an update with the payload %j stores %j', async (sent, stored) => {
  const client = await startWith({});
  const id = await offer(client, 'draft');
  expect((await client.patch(`${PATH}${id}/`, { payload: sent })).body['payload']).toEqual(stored);
});

test('a flag of an experiment gets no feature', async () => {
  const seed = {
    flags: [{ id: 1, key: 'a', filters: NOBODY }],
    experiments: [{ id: 7, name: 'Colours', flag: 'a' }],
  };
  const client = await start({ profile: 'posthog', seed });
  const body = { name: 'Sharing', stage: 'beta', feature_flag_id: 1 };
  expect(await client.post('/api/projects/1/early_access_feature/', body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  });
  expect((await client.get(`${FLAGS}1/`)).body).toMatchObject({ version: 1, filters: NOBODY });
});
