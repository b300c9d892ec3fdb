/** OpenFeature's own SDKs and OFREP providers work with the embedded service. */

import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, type Client as ServerClient } from '@openfeature/server-sdk';
import { ClientProviderEvents, OpenFeature as OpenFeatureWeb, type Provider } from '@openfeature/web-sdk';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, results, start, type Client } from '../harness.ts';

const SEED: JsonObject = {
  group_types: [{ group_type_index: 0, group_type: 'company' }],
  groups: [{ group_type_index: 0, key: 'acme', properties: { size: '500' } }],
  flags: [
    { key: 'everybody', filters: { groups: [{ rollout_percentage: 100 }] } },
    {
      key: 'colour',
      filters: {
        groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] }],
        multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
        payloads: { blue: { hex: '#00f' } },
      },
    },
    {
      key: 'big',
      filters: {
        aggregation_group_type_index: 0,
        groups: [{ properties: [{ key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: '100' }] }],
      },
    },
    { key: 'off', active: false, filters: { groups: [{ rollout_percentage: 100 }] } },
  ],
};

async function serverClient({ service }: Client, headers: [string, string][] = []): Promise<ServerClient> {
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service.url, headers }));
  onTestFinished(async () => OpenFeature.clearProviders());
  return OpenFeature.getClient();
}

test.each(['documented', 'posthog'] as const)('the server SDK gets values, profile %s', async (profile) => {
  const client = await serverClient(await start({ profile, seed: SEED }));
  const ada = { targetingKey: 'ada', plan: 'pro' };
  expect(await client.getBooleanValue('everybody', false, ada)).toBe(true);
  expect(await client.getBooleanValue('big', false, { ...ada, groups: { company: 'acme' } })).toBe(true);
  expect(await client.getBooleanValue('big', true, ada)).toBe(false);
  const colour = await client.getStringDetails('colour', 'red', ada);
  expect(colour).toMatchObject({ value: 'blue', variant: 'blue', reason: 'TARGETING_MATCH' });
  expect(JSON.parse(String(colour.flagMetadata['payload']))).toEqual({ hex: '#00f' });
  expect(colour.flagMetadata['posthog_reason']).toBe('Matched condition set 1');
  expect(await client.getBooleanDetails('off', true, ada)).toMatchObject({ value: false, reason: 'DISABLED' });
  expect(await client.getStringValue('colour', 'red', { targetingKey: 'zoe' })).toBe('red');
});

test.each<[what: string, key: string, context: object, errorCode: string]>([
  ['an unknown flag', 'nope', { targetingKey: 'ada' }, 'FLAG_NOT_FOUND'],
  ['nobody', 'everybody', { plan: 'pro' }, 'TARGETING_KEY_MISSING'],
  ['groups that are none', 'everybody', { targetingKey: 'ada', groups: 'acme' }, 'INVALID_CONTEXT'],
  ['a variant read as a boolean', 'colour', { targetingKey: 'ada', plan: 'pro' }, 'TYPE_MISMATCH'],
])('the server SDK knows what is wrong with %s', async (_what, key, context, errorCode) => {
  const client = await serverClient(await start({ seed: SEED }));
  expect(await client.getBooleanDetails(key, true, { ...context })).toMatchObject({ value: true, errorCode });
});

test('the server SDK names its project, and stops for a while after a 429', async () => {
  const asked: number[] = [];
  const server = await start({
    seed: { ...SEED, project_id: '22' },
    projects: [{ id: '1' }, { id: '22' }],
    rateLimit: { requests: 1, windowMs: 60_000 },
    onRequest: ({ status }) => asked.push(status),
  });
  const ada = { targetingKey: 'ada' };
  const client = await serverClient(server, [['X-API-Key', 'phc_22']]);
  expect(await client.getBooleanValue('everybody', false, ada)).toBe(true);
  expect(await client.getBooleanValue('everybody', false, ada)).toBe(false);
  expect((await client.getBooleanDetails('everybody', false, ada)).errorMessage).toContain('TooManyRequests');
  expect(asked).toEqual([200, 429]);
});

test('the web SDK polls with its tag, and learns which flags changed', async () => {
  const statuses: number[] = [];
  const server = await start({
    seed: SEED,
    onRequest: ({ path, status }) => path.startsWith('/ofrep/') && statuses.push(status),
  });
  const headers: [string, string][] = [['Authorization', 'Bearer phc_1']];
  const provider = new OFREPWebProvider({
    baseUrl: server.service.url,
    headers,
    cacheMode: 'disabled',
    pollInterval: 20,
  });
  onTestFinished(async () => OpenFeatureWeb.clearProviders());
  await OpenFeatureWeb.setContext({ targetingKey: 'ada', plan: 'pro' });
  await OpenFeatureWeb.setProviderAndWait(provider as Provider);
  const client = OpenFeatureWeb.getClient();
  expect(client.getStringValue('colour', 'red')).toBe('blue');
  await expect.poll(() => statuses.includes(304)).toBe(true);
  const changed: unknown[] = [];
  client.addHandler(ClientProviderEvents.ConfigurationChanged, (details) => changed.push(details?.flagsChanged));
  const [flag = {}] = results(await server.get(FLAGS)).filter(({ key }) => key === 'everybody');
  await server.patch(pathOf(flag), { active: false });
  await expect.poll(() => changed).toEqual([['everybody']]);
  expect(client.getBooleanValue('everybody', true)).toBe(false);
  await OpenFeatureWeb.setContext({ targetingKey: 'zoe' });
  expect(client.getStringValue('colour', 'red')).toBe('red');
});
