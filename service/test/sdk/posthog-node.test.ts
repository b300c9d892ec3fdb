/** The official SDK works with the embedded service as with the real one. */

import { PostHog } from 'posthog-node';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, results, start, type Client } from '../harness.ts';

const SEED: JsonObject = {
  group_types: [{ group_type_index: 0, group_type: 'company' }],
  groups: [{ group_type_index: 0, key: 'acme', properties: { size: '500' } }],
  cohorts: [{ id: 2, name: 'Paying', filters: { properties: { type: 'AND', values: [person('plan', 'pro')] } } }],
  persons: [{ distinct_ids: ['ada'], properties: { plan: 'pro' } }],
  flags: [
    { id: 1, key: 'everybody', filters: { groups: [{ rollout_percentage: 100 }] } },
    {
      id: 2,
      key: 'colour',
      filters: {
        groups: [{ properties: [person('plan', 'pro')], rollout_percentage: 100 }],
        multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
        payloads: { blue: { hex: '#00f' } },
      },
    },
    { id: 3, key: 'half', filters: { groups: [{ rollout_percentage: 50 }] } },
    { id: 4, key: 'in-cohort', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 2 }] }] } },
    {
      id: 5,
      key: 'depends',
      filters: { groups: [{ properties: [{ key: '2', type: 'flag', operator: 'flag_evaluates_to', value: 'blue' }] }] },
    },
    {
      id: 6,
      key: 'big',
      filters: {
        aggregation_group_type_index: 0,
        groups: [{ properties: [{ key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: '100' }] }],
      },
    },
    { id: 7, key: 'off', active: false, filters: { groups: [{ rollout_percentage: 100 }] } },
  ],
};

function person(key: string, value: string): JsonObject {
  return { key, type: 'person', operator: 'exact', value };
}

function sdk({ service }: Client, options: object = {}): PostHog {
  const posthog = new PostHog('phc_1', { host: service.url, flushAt: 1, flushInterval: 10, ...options });
  onTestFinished(async () => posthog.shutdown());
  return posthog;
}

test.each(['documented', 'posthog'] as const)('remote evaluation, profile %s', async (profile) => {
  const posthog = sdk(await start({ profile, seed: SEED }));
  const { featureFlags, featureFlagPayloads } = await posthog.getAllFlagsAndPayloads('ada', {
    groups: { company: 'acme' },
  });
  expect(featureFlags).toMatchObject({
    everybody: true,
    colour: 'blue',
    'in-cohort': true,
    depends: true,
    big: true,
  });
  expect(featureFlags).not.toHaveProperty('off');
  expect(featureFlagPayloads).toEqual({ colour: { hex: '#00f' } });
  expect(await posthog.getFeatureFlag('colour', 'stranger')).toBe(false);
  const known = { personProperties: { plan: 'pro' } };
  expect(await posthog.getFeatureFlag('colour', 'stranger', known)).toBe('blue');
});

test.each(['documented', 'posthog'] as const)('local evaluation, profile %s', async (profile) => {
  const asked: string[] = [];
  const client = await start({ profile, seed: SEED, onRequest: ({ method, path }) => asked.push(`${method} ${path}`) });
  const posthog = sdk(client, { personalApiKey: 'phx_any' });
  expect(await posthog.waitForLocalEvaluationReady(5000)).toBe(true);
  const local = { onlyEvaluateLocally: true, sendFeatureFlagEvents: false };
  const pro = { ...local, personProperties: { plan: 'pro' } };
  expect(await posthog.getFeatureFlag('everybody', 'x', local)).toBe(true);
  expect(await posthog.getFeatureFlag('colour', 'x', pro)).toBe('blue');
  expect(await posthog.getFeatureFlagPayload('colour', 'x', 'blue', pro)).toEqual({ hex: '#00f' });
  expect(await posthog.getFeatureFlag('in-cohort', 'x', pro)).toBe(true);
  expect(await posthog.getFeatureFlag('depends', 'x', pro)).toBe(true);
  expect(await posthog.getFeatureFlag('depends', 'x', { ...local, personProperties: { plan: 'free' } })).toBe(false);
  const company = { ...local, groups: { company: 'new' }, groupProperties: { company: { size: '101' } } };
  expect(await posthog.getFeatureFlag('big', 'x', company)).toBe(true);
  expect(await posthog.getFeatureFlag('off', 'x', local)).toBe(false);
  expect(new Set(asked)).toEqual(new Set(['GET /flags/definitions']));
});

test('local and remote evaluation agree on every person', async () => {
  const client = await start({ profile: 'posthog', seed: SEED });
  const local = sdk(client, { personalApiKey: 'phx_any' });
  const remote = sdk(client);
  await local.waitForLocalEvaluationReady(5000);
  let on = 0;
  for (let index = 0; index < 40; index += 1) {
    const id = `user-${index}`;
    const options = { personProperties: { plan: index % 2 === 0 ? 'pro' : 'free' }, sendFeatureFlagEvents: false };
    const values = await local.getAllFlags(id, { ...options, onlyEvaluateLocally: true });
    const { big: _noGroup, ...remoteValues } = await remote.getAllFlags(id, options);
    // The service answers nothing for a disabled flag, and definitions have it.
    const { big: _noGroupEither, off: _disabled, ...localValues } = values;
    expect(localValues).toEqual(remoteValues);
    if (values['half'] === true) on += 1;
  }
  expect(on).toBeGreaterThan(8);
  expect(on).toBeLessThan(32);
});

const nested = {
  type: 'OR',
  values: [
    { type: 'AND', values: [person('plan', 'pro'), { ...person('region', 'eu'), negation: true }] },
    { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 4 }, person('plan', 'team')] },
  ],
};

const COHORTS: JsonObject = {
  cohorts: [
    { id: 2, name: 'Paying', filters: { properties: { type: 'AND', values: [person('plan', 'pro')] } } },
    { id: 3, name: 'Nested', filters: { properties: nested } },
    { id: 4, name: 'European', filters: { properties: { type: 'AND', values: [person('region', 'eu')] } } },
    { id: 5, name: 'Unused', filters: { properties: { type: 'AND', values: [person('plan', 'none')] } } },
    { id: 6, name: 'Listed', persons: [] },
  ],
  flags: [[2], [3], [2, 4], [6]].map((ids, index) => ({
    key: `in-${ids.join('-and-')}`,
    id: index + 1,
    filters: { groups: [{ properties: ids.map((value) => ({ key: 'id', type: 'cohort', value })) }] },
  })),
};

/** SDKs of 2023 asked another path than today's, with the same parameters. */
const asIn2023 = async (url: string, options?: RequestInit): Promise<Response> =>
  fetch(url.replace('/flags/definitions', '/api/feature_flag/local_evaluation'), options);

test('an SDK of 2023 that asks for cohorts decides as the service does', async () => {
  const asked: string[] = [];
  const client = await start({ seed: COHORTS, onRequest: ({ path }) => asked.push(path) });
  const local = sdk(client, { personalApiKey: 'phx_any', fetch: asIn2023 });
  expect(await local.waitForLocalEvaluationReady(5000)).toBe(true);
  const remote = sdk(client);
  const decided = new Set<string>();
  for (const plan of ['pro', 'team', 'free']) {
    for (const region of ['eu', 'us']) {
      const options = { personProperties: { plan, region }, sendFeatureFlagEvents: false };
      const expected = await remote.getAllFlags('x', options);
      // The members of a static cohort are known to the service only.
      const { 'in-6': _static, ...known } = expected;
      const values = await local.getAllFlags('x', { ...options, onlyEvaluateLocally: true });
      expect({ plan, region, values }).toEqual({ plan, region, values: known });
      for (const [key, value] of Object.entries(values)) decided.add(`${key} ${String(value)}`);
    }
  }
  expect(decided.size).toBe(6);
  expect(asked).toContain('/api/feature_flag/local_evaluation');
});

test('in 2023 cohorts are defined only on request, and only those that flags name', async () => {
  const client = await start({ seed: COHORTS });
  const path = '/api/projects/1/feature_flags/local_evaluation/';
  expect(Object.keys((await client.get(path)).body)).toEqual(['flags', 'group_type_mapping']);
  const { body } = await client.get(`${path}?send_cohorts`);
  expect(Object.keys(body['cohorts'] as JsonObject)).toEqual(['2', '3', '4']);
  const groups = [{ properties: [{ type: 'cohort', value: 2 }] }];
  expect((body['flags'] as JsonObject[]).find(({ key }) => key === 'in-2')).toMatchObject({ filters: { groups } });
});

test('a poll gets changed definitions, and 304 without changes', async () => {
  const statuses: number[] = [];
  const client = await start({
    seed: SEED,
    onRequest: ({ path, status }) => path === '/flags/definitions' && statuses.push(status),
  });
  const posthog = sdk(client, { personalApiKey: 'phx_any' });
  // Joins the SDK's initial poll.
  await posthog.reloadFeatureFlags();
  await posthog.reloadFeatureFlags();
  const [flag = {}] = results(await client.get(FLAGS)).filter(({ key }) => key === 'everybody');
  await client.patch(pathOf(flag), { active: false });
  await posthog.reloadFeatureFlags();
  expect(statuses).toEqual([200, 304, 200]);
  const local = { onlyEvaluateLocally: true, sendFeatureFlagEvents: false };
  expect(await posthog.getFeatureFlag('everybody', 'x', local)).toBe(false);
});

test('events of an application create persons', async () => {
  const client = await start({ profile: 'posthog' });
  const posthog = sdk(client);
  posthog.identify({ distinctId: 'new-user', properties: { email: 'new@example.org' } });
  posthog.capture({ distinctId: 'new-user', event: 'bought', properties: { price: 5 } });
  posthog.alias({ distinctId: 'new-user', alias: 'cookie-1' });
  posthog.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { name: 'Acme Inc' } });
  await posthog.flush();
  await expect
    .poll(async () => results(await client.get('/api/projects/1/persons/?distinct_id=cookie-1')))
    .toMatchObject([{ name: 'new@example.org', properties: { email: 'new@example.org' } }]);
  const bought = await client.get('/api/projects/1/persons/trends/?entity_id=bought');
  expect(bought.body['results']).toMatchObject([{ count: 1 }]);
});

test('the application learns of a wrong key', async () => {
  const client = await start({ seed: SEED, apiKeys: ['phx_right'] });
  const errors: string[] = [];
  const posthog = sdk(client, { personalApiKey: 'phx_wrong', enableLocalEvaluation: true });
  posthog.on('error', (error: unknown) => errors.push(String(error)));
  await posthog.reloadFeatureFlags();
  expect(errors.join()).toContain('invalid');
});
