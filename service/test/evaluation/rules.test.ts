/** The values of flags with rules: which rule decides for whom, and what cannot be evaluated. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { start } from '../harness.ts';

const PRO: JsonObject = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const NOT_PRO: JsonObject = { ...PRO, negation: true };

let numbered = 0;
function rule(properties: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  numbered += 1;
  const id = `a1a1a1a1-a1a1-4a1a-8a1a-${String(numbered).padStart(12, '0')}`;
  return { id, rule_type: 'targeted_release', targeting: { properties: [...properties] }, value: true, ...more };
}

/** The hash of user-1 with this seed is 0.529…, that of user-2 0.575… */
const share = (percentage: number, more: JsonObject = {}): JsonObject =>
  rule([], {
    rule_type: 'percentage_rollout',
    rollout_percentage: percentage,
    on_rollout_miss: 'continue',
    assignment_algorithm: 'sha1_60_v1',
    seed: 'checkout-v2',
    ...more,
  });

const split = (more: JsonObject = {}): JsonObject => {
  const { value: _value, ...others } = share(100);
  const variants = [
    { key: 'control', weight: 50, value: false },
    { key: 'test', weight: 50, value: true },
  ];
  return { ...others, rule_type: 'experiment', experiment_id: null, paused: false, variants, ...more };
};

function document(rules: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { version: 2, return_type: 'boolean', default_value: false, rules: [...rules], ...more };
}

async function ask(filters: JsonObject, person: JsonObject, flag: JsonObject = {}): Promise<JsonObject> {
  const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'ruled', filters, ...flag }] });
  return (await client.post('/flags?v=2', { token: 'phc_1', distinct_id: 'user-1', ...person })).body;
}

const pro: JsonObject = { person_properties: { plan: 'pro' } };
const two: JsonObject = { distinct_id: 'user-2' };

describe('the first rule that includes the person decides', () => {
  test.each<[string, JsonObject, JsonObject, boolean, string, JsonValue]>([
    ['no rule', document([]), {}, false, 'no_condition_match', null],
    ['no rule, with a default', document([], { default_value: true }), {}, true, 'no_condition_match', null],
    ['no rule, without a default', document([], { default_value: null }), {}, false, 'no_condition_match', null],
    ['everybody', document([rule([])]), {}, true, 'condition_match', 0],
    ['a property', document([rule([PRO])]), pro, true, 'condition_match', 0],
    ['another property', document([rule([PRO])]), {}, false, 'no_condition_match', null],
    ['not a property', document([rule([NOT_PRO])]), pro, false, 'no_condition_match', null],
    ['not another property', document([rule([NOT_PRO])]), {}, true, 'condition_match', 0],
    ['a value of false', document([rule([PRO], { value: false }), rule([])]), pro, false, 'condition_match', 0],
    ['the rule after it', document([rule([PRO], { value: false }), rule([])]), {}, true, 'condition_match', 1],
    ['within a share', document([share(53)]), {}, true, 'condition_match', 0],
    ['outside of a share', document([share(52)]), {}, false, 'no_condition_match', null],
    ['another person', document([share(53)]), two, false, 'no_condition_match', null],
    ['a share of all', document([share(100)]), two, true, 'condition_match', 0],
    ['outside, then a rule', document([share(52), rule([])]), {}, true, 'condition_match', 1],
    [
      'outside, and no more rules',
      document([share(52, { on_rollout_miss: 'return_default' }), rule([])]),
      {},
      false,
      'out_of_rollout_bound',
      0,
    ],
  ])('%s', async (_case, filters, person, enabled, code, index) => {
    expect(await ask(filters, person)).toMatchObject({
      errorsWhileComputingFlags: false,
      flags: { ruled: { enabled, variant: null, reason: { code, condition_index: index } } },
    });
  });
});

test('a disabled flag with rules is absent', async () => {
  expect(await ask(document([rule([])]), {}, { active: false })).toMatchObject({
    errorsWhileComputingFlags: false,
    flags: {},
  });
});

test.each<[string, JsonObject]>([
  ['a later format', document([], { version: 3 })],
  ['another type of value', document([], { return_type: 'date', default_value: 'a' })],
  ['a default of another type', document([], { default_value: 'a' })],
  ['a rule of an experiment', document([split({ experiment_id: 7 })])],
  ['a rule without a value', document([{ rule_type: 'targeted_release' }])],
])('%s fails, and an SDK keeps its value', async (_case, filters) => {
  const answered = await ask(filters, {});
  expect(answered).toMatchObject({
    errorsWhileComputingFlags: true,
    flags: { ruled: { enabled: false, failed: true, reason: { code: 'flag_data_parsing_error' } } },
  });
});

test('an edit of the rules is evaluated at once', async () => {
  const client = await start({ profile: 'posthog', seed: { accepts_flag_rules: true } });
  const sent = { key: 'ruled', active: false, filters: document([]) };
  const created = await client.post('/api/projects/1/feature_flags/', sent);
  const path = `/api/projects/1/feature_flags/${Number(created.body['id'])}/`;
  const value = async (): Promise<unknown> =>
    ((await client.post('/flags', { token: 'phc_1', distinct_id: 'user-1' })).body['featureFlags'] as JsonObject)[
      'ruled'
    ];
  await client.patch(path, { version: 1, active: true });
  expect(await value()).toBe(false);
  await client.patch(path, { version: 2, filters: document([], { default_value: true }) });
  expect(await value()).toBe(true);
});

describe('the record of each version of the request', () => {
  const PERSON = { token: 'phc_1', distinct_id: 'user-1', person_properties: { plan: 'pro' } };
  const value = (type: string, own: JsonValue): JsonObject =>
    document([rule([], { value: own })], { return_type: type, default_value: null });
  const FLAGS: readonly JsonObject[] = [
    { id: 1, key: 'text', version: 4, filters: value('string', 'compact') },
    { id: 2, key: 'number', version: 4, filters: value('number', 0) },
    { id: 3, key: 'object', version: 4, filters: value('object', { columns: [2] }) },
    { id: 4, key: 'none', version: 4, filters: document([], { return_type: 'object', default_value: null }) },
    { id: 5, key: 'paused', version: 4, filters: document([split({ paused: true })], { default_value: true }) },
    { id: 6, key: 'broken', version: 4, filters: document([], { version: 7 }) },
    { id: 7, key: 'off', active: false, filters: document([rule([])]) },
    { id: 8, key: 'plain', version: 9, filters: { groups: [{ rollout_percentage: 100 }] } },
    {
      id: 9,
      key: 'varied',
      filters: {
        groups: [{ rollout_percentage: 100 }],
        multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
        payloads: { blue: '{"a": 1}' },
      },
    },
  ];
  const seed = { flags: [...FLAGS], experiments: [{ id: 1, flag: 'plain' }] };

  async function answers(version: string): Promise<JsonObject> {
    const client = await start({ profile: 'posthog', seed });
    return (await client.post(`/flags?v=${version}`, PERSON)).body;
  }

  test('2 has older values, with numbers and objects as payloads, and all members', async () => {
    const { flags } = (await answers('2')) as { readonly flags: Readonly<Record<string, JsonObject>> };
    const [, id = ''] = /"(a1a1[^"]*)"/.exec(JSON.stringify(FLAGS[0])) ?? [];
    expect(id).not.toBe('');
    expect(flags).toMatchObject({
      text: { enabled: true, variant: 'compact', metadata: { payload: null } },
      number: { enabled: true, variant: null, metadata: { payload: '0' } },
      object: { enabled: true, variant: null, metadata: { payload: '{"columns":[2]}' } },
      none: { enabled: false, variant: null, metadata: { payload: null } },
      paused: { enabled: true, variant: null },
      broken: { enabled: false, failed: true },
      plain: { enabled: true, metadata: { payload: null, has_experiment: true } },
      varied: { enabled: true, variant: 'blue', metadata: { payload: '{"a": 1}', has_experiment: false } },
    });
    for (const { metadata } of Object.values(flags)) {
      expect(Object.keys(metadata as JsonObject)).toEqual([
        'id',
        'version',
        'description',
        'payload',
        'has_experiment',
      ]);
    }
    expect(Object.keys(flags)).not.toContain('off');
  });

  test.each(['3', '4', '99'])('%s has values of the type of the flag', async (version) => {
    const { errorsWhileComputingFlags, flags } = await answers(version);
    expect(errorsWhileComputingFlags).toBe(true);
    const id = expect.any(String) as string;
    const ruled = { config_version: 2, has_experiment: false, payload: null };
    const targeted = { code: 'targeting_match', condition_index: 0, description: 'Matched rule 1' };
    const metadata = (own: number): JsonObject => ({
      id: own,
      version: 4,
      ...ruled,
      rule_id: id,
      rule_type: 'targeted_release',
    });
    expect(flags).toEqual({
      text: { key: 'text', value: 'compact', reason: targeted, metadata: metadata(1) },
      number: { key: 'number', value: 0, reason: targeted, metadata: metadata(2) },
      object: { key: 'object', value: { columns: [2] }, reason: targeted, metadata: metadata(3) },
      none: {
        key: 'none',
        value: null,
        reason: { code: 'no_rule_match', condition_index: null, description: 'No rule matched' },
        metadata: { id: 4, version: 4, ...ruled },
      },
      paused: {
        key: 'paused',
        value: true,
        reason: { code: 'experiment_paused', condition_index: 0, description: 'Rule 1 is paused' },
        metadata: { ...metadata(5), rule_type: 'experiment' },
      },
      broken: {
        key: 'broken',
        value: null,
        failed: true,
        reason: { code: 'error', condition_index: null, description: expect.any(String) as string },
        metadata: { id: 6, version: 4, ...ruled, config_version: 7 },
      },
      plain: {
        key: 'plain',
        value: true,
        reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
        metadata: { id: 8, version: 9, config_version: 1, has_experiment: true, payload: null },
      },
      varied: {
        key: 'varied',
        value: 'blue',
        reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
        metadata: {
          id: 9,
          version: 1,
          config_version: 1,
          has_experiment: false,
          payload: '{"a": 1}',
          variant_key: 'blue',
        },
      },
    });
  });

  test.each(['1', 'abc', ''])('%j has values by key, without those that are disabled', async (version) => {
    const { featureFlags, featureFlagPayloads } = await answers(version);
    expect(featureFlags).toEqual({
      ...{ text: 'compact', number: true, object: true, none: false, paused: true, broken: false },
      ...{ plain: true, varied: 'blue' },
    });
    expect(featureFlagPayloads).toEqual({ number: '0', object: '{"columns":[2]}', varied: '{"a": 1}' });
  });

  test('OFREP has the typed value, and none where the code has the default', async () => {
    const client = await start({ profile: 'posthog', seed });
    const context = { targetingKey: 'user-1', plan: 'pro' };
    const { flags } = (await client.post('/ofrep/v1/evaluate/flags', { context })).body;
    const byKey = Object.fromEntries((flags as JsonObject[]).map((one) => [one['key'], one])) as JsonObject;
    expect(byKey).toMatchObject({
      text: { value: 'compact', variant: 'compact', reason: 'TARGETING_MATCH' },
      number: { value: 0, variant: '0' },
      object: { value: { columns: [2] } },
      paused: { value: true, reason: 'SPLIT' },
      broken: { errorCode: 'PARSE_ERROR' },
    });
    expect(byKey['none']).not.toHaveProperty('value');
  });
});
