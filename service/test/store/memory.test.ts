/** What is kept in memory is what the file holds, whoever wrote it. */

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/helpers/runs.ts';
import { FLAGS, start, type Client } from '../harness.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';

const KEYS = ['a', 'b', 'c'];
const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] };

async function definedFlags(client: Client): Promise<Record<string, unknown>> {
  const { body } = await client.get('/flags/definitions');
  const flags = body['flags'] as { key: string; active: boolean }[];
  return Object.fromEntries(flags.map(({ key, active }) => [key, active]));
}

async function values(client: Client): Promise<unknown> {
  return (await client.post('/flags', { token: 'phc_1', distinct_id: 'ada' })).body['featureFlags'];
}

const write = fc.record({
  second: fc.boolean(),
  key: fc.constantFrom(...KEYS),
  what: fc.constantFrom('on', 'off', 'delete', 'refused', 'event'),
});

test('two services on one file always answer what was written last', async () => {
  const sequences = fc.asyncProperty(fc.array(write, { maxLength: 8 }), async (writes) => {
    const data = join(createWorkspace().root, 'service.db');
    const clients = [await start({ data, profile: 'posthog' }), await start({ data, profile: 'posthog' })] as const;
    const expected = new Map<string, boolean>();
    const ids = new Map<string, number>();
    for (const { second, key, what } of writes) {
      const client = clients[second ? 1 : 0];
      const path = `${FLAGS}${ids.get(key) ?? 0}/`;
      if (what === 'event') await client.post('/capture', { api_key: 'phc_1', event: 'seen', distinct_id: 'ada' });
      else if (what === 'refused') await client.post(FLAGS, { key, analytics_dashboards: [5] });
      else if (!expected.has(key)) {
        const made = await client.create({ key, active: what === 'on', filters: EVERYBODY });
        ids.set(key, Number(made['id']));
        expected.set(key, what === 'on');
      } else if (what === 'delete') {
        await client.patch(path, { deleted: true });
        expected.delete(key);
      } else {
        await client.patch(path, { active: what === 'on' });
        expected.set(key, what === 'on');
      }
      for (const asked of clients) {
        expect(await definedFlags(asked)).toEqual(Object.fromEntries(expected));
        // A disabled flag is absent.
        expect(await values(asked)).toEqual(Object.fromEntries([...expected].filter(([, isOn]) => isOn)));
      }
    }
  });
  await fc.assert(sequences, { numRuns: runs(15) });
});

test('groups and their types that an event adds are defined at once', async () => {
  const client = await start({ profile: 'posthog' });
  const mapping = async (): Promise<unknown> => (await client.get('/flags/definitions')).body['group_type_mapping'];
  expect(await mapping()).toEqual({});
  const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } };
  await client.post('/capture', { api_key: 'phc_1', event: '$groupidentify', distinct_id: 'ada', properties });
  expect(await mapping()).toEqual({ '0': 'company' });
});

test('unchanged definitions keep their ETag, changed ones get another', async () => {
  const client = await start({ profile: 'posthog', seed: { flags: [{ key: 'a' }], cohorts: [] } });
  const tag = async (): Promise<string | null> => (await client.get('/flags/definitions')).headers.get('etag');
  const first = await tag();
  expect(await tag()).toBe(first);
  await client.patch(`${FLAGS}1/`, { name: 'Renamed' });
  expect(await tag()).not.toBe(first);
});
