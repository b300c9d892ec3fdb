/** Filters with rules in a project that PostHog has opened for writing them: documents, and the ids and seeds of rules. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { holdsAsync } from '../../../test/helpers/runs.ts';
import { FLAGS, start, type Answered, type Client } from '../harness.ts';

const PRO: JsonObject = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };
const target = (more: JsonObject = {}): JsonObject => ({
  rule_type: 'targeted_release',
  targeting: { properties: [PRO] },
  value: true,
  ...more,
});
const share = (more: JsonObject = {}): JsonObject => ({
  ...target(),
  rule_type: 'percentage_rollout',
  rollout_percentage: 12.5,
  on_rollout_miss: 'continue',
  assignment_algorithm: 'sha1_60_v1',
  ...more,
});
const VARIANTS: readonly [JsonObject, JsonObject] = [
  { key: 'control', weight: 50, value: false },
  { key: 'test', weight: 50, value: true },
];
const split = (more: JsonObject = {}): JsonObject => ({
  rule_type: 'experiment',
  targeting: { properties: [PRO] },
  experiment_id: null,
  paused: false,
  rollout_percentage: 100,
  on_rollout_miss: 'continue',
  assignment_algorithm: 'sha1_60_v1',
  variants: [...VARIANTS],
  ...more,
});
const document = (rules: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  version: 2,
  return_type: 'boolean',
  default_value: false,
  rules: [...rules],
  ...more,
});

const startOpened = async (more: JsonObject = {}): Promise<Client> =>
  start({ profile: 'posthog', seed: { accepts_flag_rules: true, ...more } });

const rulesOf = ({ body }: Answered): readonly JsonObject[] =>
  (body['filters'] as JsonObject | undefined)?.['rules'] as JsonObject[];

const pathOf = ({ body }: Answered): string => `${FLAGS}${Number(body['id'])}/`;

const createRuled = async (client: Client, rules: readonly JsonObject[]): Promise<Answered> =>
  client.post(FLAGS, { key: 'ruled', active: false, filters: document(rules) });

test('a flag is created disabled, with ids and seeds of the service', async () => {
  const client = await startOpened();
  const created = await client.post(FLAGS, { key: 'ruled', filters: document([target(), share()]) });
  expect(created).toMatchObject({ status: 201, body: { active: false, version: 1 } });
  const [first, second] = rulesOf(created);
  expect(first).toEqual({ ...target(), id: expect.any(String) as string });
  expect(second).toEqual({ ...share(), id: expect.any(String) as string, seed: expect.any(String) as string });
  expect(await client.get(pathOf(created))).toMatchObject({
    body: { filters: created.body['filters'] as JsonObject },
  });
});

test('a rule keeps its seed wherever it stands, and a rule without its id is a new one', async () => {
  const order = fc.array(fc.nat(20), { minLength: 4, maxLength: 4 });
  await holdsAsync(20, [order, fc.subarray([0, 1, 2, 3])], async (numbers, anew) => {
    const client = await startOpened();
    const created = await createRuled(client, [share(), share(), share(), target()]);
    const before = rulesOf(created);
    const sent = before
      .map((rule, index) => ({ rule, index }))
      .toSorted((a, b) => (numbers[a.index] ?? 0) - (numbers[b.index] ?? 0))
      .map(({ rule, index }) => {
        const { id: _id, seed: _seed, ...nameless } = rule;
        return anew.includes(index) ? nameless : { ...rule, description: 'moved' };
      });
    const path = pathOf(created);
    const answered = await client.patch(path, { version: 1, filters: document(sent) });
    expect(answered).toMatchObject({ status: 200, body: { version: 2 } });
    const known = new Map(before.map((rule) => [rule['id'], rule['seed']]));
    for (const [index, rule] of rulesOf(answered).entries()) {
      const { id } = sent[index] as JsonObject;
      expect(known.has(rule['id'])).toBe(id !== undefined);
      if (id !== undefined) expect(rule['seed']).toBe(known.get(id));
      else expect([...known.values()].filter(Boolean)).not.toContain(rule['seed']);
    }
    await client.service.close();
  });
});

test('a split gets seeds of its own, and a share that becomes one keeps its seed', async () => {
  const client = await startOpened();
  const created = await createRuled(client, [share()]);
  const [{ id = null, seed = null } = {}] = rulesOf(created);
  const holdout = { id: null, exclusion_percentage: 5 };
  const answered = await client.patch(pathOf(created), { version: 1, filters: document([split({ id, holdout })]) });
  expect(answered).toMatchObject({ status: 200 });
  const [rule = {}] = rulesOf(answered);
  expect(rule).toEqual({ ...split({ id, seed }), holdout: { ...holdout, seed: expect.any(String) as string } });
  const again = await client.patch(pathOf(created), {
    version: 2,
    filters: document([split({ id, holdout: { ...holdout, exclusion_percentage: 50 }, paused: true })]),
  });
  const kept = { ...(rule['holdout'] as JsonObject), exclusion_percentage: 50 };
  expect(rulesOf(again)).toEqual([{ ...rule, paused: true, holdout: kept }]);
});

test('name, key, tags and the switch are written with the current version only', async () => {
  const client = await startOpened();
  const created = await createRuled(client, [target()]);
  const path = pathOf(created);
  const body = { name: 'Named', key: 'renamed', tags: ['x'], active: true };
  expect(await client.patch(path, body)).toMatchObject({ status: 400, body: { code: 'required', attr: 'version' } });
  expect(await client.patch(path, { ...body, version: 7 })).toMatchObject({ status: 409 });
  expect(await client.patch(path, { ...body, version: 1 })).toMatchObject({
    status: 200,
    body: { ...body, version: 2, filters: created.body['filters'] as JsonObject },
  });
  expect(await client.patch(path, { version: 2, archived: true, active: false })).toMatchObject({
    status: 400,
    body: { code: 'unsupported_config_version' },
  });
});

describe('what is refused', () => {
  const REFUSED: readonly (readonly [string, JsonValue, string, string])[] = [
    ['no rules', { version: 2, return_type: 'boolean', default_value: null }, 'required', 'filters__rules'],
    ['no return type', { version: 2, default_value: null, rules: [] }, 'required', 'filters__return_type'],
    ['conditions beside rules', document([], { groups: [] }), 'unknown_field', 'filters__groups'],
    ['a default of another type', document([], { default_value: 'x' }), 'invalid_input', 'filters__default_value'],
    ['a value of another type', document([target({ value: 1 })]), 'invalid_input', 'filters__rules__0__value'],
    [
      'a reserved string',
      document([target({ value: '$true' })], { return_type: 'string', default_value: null }),
      'invalid_input',
      'filters__rules__0__value',
    ],
    ['an unknown rule', document([target({ rule_type: 'x' })]), 'invalid_input', 'filters__rules__0__rule_type'],
    ['an experiment', document([split({ experiment_id: 7 })]), 'unsupported', 'filters__rules__0__experiment_id'],
    [
      'a shared holdout',
      document([split({ holdout: { id: 7, exclusion_percentage: 5 } })]),
      'invalid_input',
      'filters__rules__0__holdout__id',
    ],
    [
      'a holdout with a seed',
      document([split({ holdout: { id: null, seed: 'mine', exclusion_percentage: 5 } })]),
      'invalid_input',
      'filters__rules__0__holdout__seed',
    ],
    ['one variant', document([split({ variants: [VARIANTS[0]] })]), 'invalid_input', 'filters__rules__0__variants'],
    [
      'weights of another sum',
      document([split({ variants: [VARIANTS[0], { ...VARIANTS[1], weight: 40 }] })]),
      'invalid_input',
      'filters__rules__0__variants',
    ],
    [
      'a variant twice',
      document([split({ variants: [VARIANTS[0], VARIANTS[0]] })]),
      'not_unique',
      'filters__rules__0__variants__1__key',
    ],
    ['a share of a target', document([target({ seed: 'x' })]), 'unknown_field', 'filters__rules__0__seed'],
    [
      'three decimal places',
      document([share({ rollout_percentage: 1.234 })]),
      'invalid_input',
      'filters__rules__0__rollout_percentage',
    ],
    ['a seed', document([share({ seed: 'mine' })]), 'invalid_input', 'filters__rules__0__seed'],
    ['an unknown id', document([target({ id: 'mine' })]), 'invalid_input', 'filters__rules__0__id'],
    [
      'a cohort',
      document([target({ targeting: { properties: [{ ...PRO, type: 'cohort' }] } })]),
      'invalid_input',
      'filters__rules__0__targeting__properties__0__type',
    ],
    [
      'a pattern that is none',
      document([target({ targeting: { properties: [{ ...PRO, operator: 'regex', value: '(' }] } })]),
      'invalid_input',
      'filters__rules__0__targeting__properties__0__value',
    ],
  ];

  test.each(REFUSED)('%s', async (_name, filters, code, attr) => {
    const client = await startOpened();
    expect(await client.post(FLAGS, { key: 'new', filters })).toMatchObject({ status: 400, body: { code, attr } });
    const created = await createRuled(client, []);
    const path = pathOf(created);
    expect(await client.patch(path, { version: 1, filters })).toMatchObject({ status: 400, body: { code, attr } });
    expect((await client.get(path)).body).toEqual(created.body);
  });

  test('an id twice, another seed, and another return type', async () => {
    const client = await startOpened();
    const created = await createRuled(client, [share()]);
    const path = pathOf(created);
    const [rule = {}] = rulesOf(created);
    for (const [filters, code, attr] of [
      [document([rule, rule]), 'not_unique', 'filters__rules__1__id'],
      [document([{ ...rule, seed: 'mine' }]), 'invalid_input', 'filters__rules__0__seed'],
      [document([], { return_type: 'string', default_value: null }), 'invalid_input', 'filters__return_type'],
      [{}, 'required', 'filters__version'],
    ] as const) {
      expect(await client.patch(path, { version: 1, filters })).toMatchObject({ status: 400, body: { code, attr } });
    }
  });

  test('a create that is enabled at once, and one under an approval policy', async () => {
    const client = await startOpened({ approval_policies: [{ action_key: 'feature_flag.update' }] });
    const body = { key: 'new', filters: document([]) };
    expect(await client.post(FLAGS, { ...body, active: true })).toMatchObject({
      status: 400,
      body: { code: 'unsupported', attr: 'active' },
    });
    expect(await client.post(FLAGS, body)).toMatchObject({
      status: 400,
      body: { code: 'unsupported_config_version' },
    });
    const requests = await client.get('/api/projects/1/change_requests/');
    expect(requests.body['results']).toEqual([]);
  });

  test('a member that is repeated', async () => {
    const client = await startOpened();
    const text = JSON.stringify({ key: 'new', filters: document([target()]) }).replace(
      '"value":true',
      '"value":false,"value":true',
    );
    const response = await fetch(`${client.service.url}${FLAGS}`, {
      method: 'POST',
      headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
      body: text,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_input', attr: 'filters' }]);
  });

  test('enabling what was stored before with rules that nobody can write', async () => {
    const flag = { id: 1, key: 'old', version: 3, active: false, filters: { version: 2, rules: [{ odd: true }] } };
    const client = await startOpened({ flags: [flag] });
    expect(await client.patch(`${FLAGS}1/`, { version: 3, active: true })).toMatchObject({ status: 400 });
    expect(await client.patch(`${FLAGS}1/`, { version: 3, name: 'Old' })).toMatchObject({ status: 200 });
  });
});

test('rules stay refused for a flag with conditions, and in a project that is not opened', async () => {
  const client = await startOpened({ flags: [{ id: 1, key: 'plain', filters: { groups: [{}] } }] });
  expect(await client.patch(`${FLAGS}1/`, { filters: document([]) })).toMatchObject({
    body: { code: 'reserved_config_version' },
  });
  const closed = await start({ profile: 'posthog' });
  expect(await closed.post(FLAGS, { key: 'new', filters: document([]) })).toMatchObject({
    body: { code: 'reserved_config_version' },
  });
});
