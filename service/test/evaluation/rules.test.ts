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

test('a disabled flag with rules is off', async () => {
  expect(await ask(document([rule([])]), {}, { active: false })).toMatchObject({
    errorsWhileComputingFlags: false,
    flags: { ruled: { enabled: false, reason: { code: 'flag_disabled' } } },
  });
});

test.each<[string, JsonObject]>([
  ['a later format', document([], { version: 3 })],
  ['another type of value', document([], { return_type: 'string', default_value: 'a' })],
  ['a rule of an experiment', document([rule([], { rule_type: 'experiment' })])],
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
