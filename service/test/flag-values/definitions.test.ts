/** The definitions for SDKs: dependencies by key and in order, payloads as strings, cohorts replaced by properties. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, start } from '../harness.ts';

function on(key: string): JsonObject {
  return { key, type: 'flag', operator: 'flag_evaluates_to', value: true };
}

function flag(id: number, key: string, properties: readonly JsonObject[], extra: JsonObject = {}): JsonObject {
  return { id, key, filters: { groups: [{ properties }] }, ...extra };
}

async function definitions(flags: readonly JsonObject[]): Promise<JsonObject[]> {
  const client = await start({ profile: 'posthog', seed: flags });
  return (await client.get('/flags/definitions')).body['flags'] as JsonObject[];
}

test.each([
  ['a chain', [flag(1, 'a', []), flag(2, 'b', [on('1')]), flag(3, 'c', [on('2')])], { b: ['a'], c: ['a', 'b'] }],
  [
    'a diamond',
    [flag(1, 'a', []), flag(2, 'b', [on('1')]), flag(3, 'c', [on('1')]), flag(4, 'd', [on('2'), on('3')])],
    { b: ['a'], c: ['a'], d: ['a', 'b'] },
  ],
  ['a missing flag', [flag(1, 'a', [on('9')]), flag(2, 'b', [on('1')])], { a: [], b: [] }],
  ['a cycle', [flag(1, 'a', [on('2')]), flag(2, 'b', [on('1')]), flag(3, 'c', [on('1')])], { a: [], b: [], c: [] }],
  ['itself', [flag(1, 'a', [on('1')])], { a: [] }],
])('the dependency chain of %s', async (_what, flags, chains) => {
  const chainOf = ({ filters }: JsonObject): unknown =>
    (filters as { groups: { properties: JsonObject[] }[] }).groups[0]?.properties[0]?.['dependency_chain'];
  const found = (await definitions(flags)).map((one) => [one['key'], chainOf(one)]);
  expect(Object.fromEntries(found.filter(([, chain]) => chain !== undefined))).toEqual(chains);
});

test('a dependency is named by key', async () => {
  const [, dependent] = await definitions([flag(1, 'a', []), flag(2, 'b', [on('1')])]);
  expect(dependent).toMatchObject({ filters: { groups: [{ properties: [{ key: 'a', type: 'flag' }] }] } });
});

test('a dependency may be named by a number, and one that does not exist keeps its name', async () => {
  const [, dependent, lost, nameless] = await definitions([
    flag(1, 'a', []),
    flag(2, 'b', [{ ...on('1'), key: 1 }]),
    flag(3, 'c', [on('9')]),
    flag(4, 'd', [{ type: 'flag', operator: 'flag_evaluates_to', value: true }]),
  ]);
  expect([dependent, lost, nameless]).toMatchObject([
    { filters: { groups: [{ properties: [{ key: 'a', dependency_chain: ['a'] }] }] } },
    { filters: { groups: [{ properties: [{ key: '9', dependency_chain: [] }] }] } },
    { filters: { groups: [{ properties: [{ key: null, dependency_chain: [] }] }] } },
  ]);
});

test('flags with rules are left out, and flags that depend on them, directly or not', async () => {
  const rules = { version: 2, return_type: 'boolean', default_value: false, rules: [] };
  const found = await definitions([
    { id: 1, key: 'ruled', filters: rules },
    flag(2, 'direct', [on('1')]),
    flag(3, 'indirect', [on('2')]),
    flag(4, 'other', [on('5')]),
    flag(5, 'plain', []),
  ]);
  expect(found.map(({ key }) => key)).toEqual(['other', 'plain']);
});

test('the cohorts that the listed flags use are there, with those that they name', async () => {
  const within = (value: number): JsonObject => ({ type: 'AND', values: [{ key: 'id', type: 'cohort', value }] });
  const leaf = { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] };
  const seed = {
    cohorts: [
      { id: 1, filters: { properties: within(2) } },
      { id: 2, filters: { properties: leaf } },
      { id: 3, filters: { properties: leaf } },
      { id: 4, filters: { properties: leaf } },
      { id: 5, persons: [] },
    ],
    flags: [
      flag(1, 'a', [
        { key: 'id', type: 'cohort', value: 1 },
        { key: 'id', type: 'cohort', value: 5 },
      ]),
      { ...flag(2, 'secret', [{ key: 'id', type: 'cohort', value: 4 }]), has_encrypted_payloads: true },
    ],
  };
  const client = await start({ profile: 'posthog', seed });
  expect((await client.get('/flags/definitions')).body['cohorts']).toEqual({ '1': within(2), '2': leaf });
});

test('flags with encrypted payloads are left out, other payloads are strings', async () => {
  const payloads = { filters: { groups: [], payloads: { true: { a: 1 }, x: 'text' } } };
  const found = await definitions([
    { key: 'secret', has_encrypted_payloads: true, ...payloads },
    { key: 'open', ...payloads },
  ]);
  expect(found).toMatchObject([{ key: 'open', filters: { payloads: { true: '{"a":1}', x: 'text' } } }]);
});

const pro = { key: 'plan', type: 'person', value: 'pro' };
const big = { key: 'seats', type: 'person', operator: 'gt', value: 100 };
const inCohort = { key: 'id', type: 'cohort', value: 1 };

test.each<readonly [string, JsonObject, readonly JsonObject[], unknown]>([
  ['all of some properties', { type: 'AND', values: [pro, big] }, [inCohort], [[pro, big]]],
  ['one of some properties', { type: 'OR', values: [pro, big] }, [inCohort], [[pro], [big]]],
  [
    'groups of properties',
    {
      type: 'OR',
      values: [
        { type: 'AND', values: [pro, big] },
        { type: 'AND', values: [pro] },
      ],
    },
    [inCohort],
    [[pro, big], [pro]],
  ],
  ['of some conditions only', { type: 'AND', values: [pro] }, [], [[]]],
  ['beside another property', { type: 'AND', values: [pro] }, [big, inCohort], [[big, pro]]],
  ['a negation stays', { type: 'AND', values: [{ ...pro, negation: true }] }, [inCohort], [[inCohort]]],
  ['alternatives within stay', { type: 'AND', values: [{ type: 'OR', values: [pro, big] }] }, [inCohort], [[inCohort]]],
  ['another cohort within stays', { type: 'AND', values: [{ ...inCohort, value: 2 }] }, [inCohort], [[inCohort]]],
  [
    'two cohorts stay',
    { type: 'AND', values: [pro] },
    [inCohort, { ...inCohort, value: 2 }],
    [[inCohort, { ...inCohort, value: 2 }]],
  ],
])('a cohort for an SDK of 2023: %s', async (_what, properties, condition, expected) => {
  const client = await start({
    seed: {
      cohorts: [
        { id: 1, filters: { properties } },
        { id: 2, filters: { properties: { type: 'AND', values: [pro] } } },
      ],
      flags: [flag(1, 'a', condition)],
    },
  });
  const { body } = await client.get(`${FLAGS}local_evaluation/`);
  const [found] = body['flags'] as { filters: { groups: { properties: unknown }[] } }[];
  expect(found?.filters.groups.map((group) => group.properties)).toEqual(expected);
});

test('an SDK gets the flags for its runtime and contexts', async () => {
  const groups = [{ rollout_percentage: 100 }];
  const client = await start({
    profile: 'posthog',
    seed: [
      { key: 'server', evaluation_runtime: 'server', filters: { groups } },
      { key: 'client', evaluation_runtime: 'client', filters: { groups } },
      { key: 'shop', evaluation_contexts: ['shop'], filters: { groups } },
    ],
  });
  const ask = async (body: JsonObject): Promise<string[]> => {
    const answered = await client.post('/flags/', { token: 'phc_1', distinct_id: 'x', ...body });
    return Object.keys(answered.body['featureFlags'] as JsonObject).toSorted();
  };
  expect(await ask({})).toEqual(['client', 'server', 'shop']);
  expect(await ask({ evaluation_runtime: 'server' })).toEqual(['server', 'shop']);
  expect(await ask({ evaluation_contexts: ['docs'] })).toEqual(['client', 'server']);
  expect(await ask({ evaluation_contexts: ['shop', 'docs'] })).toEqual(['client', 'server', 'shop']);
});

test('a flag with experience continuity uses the anonymous id', async () => {
  const groups = [{ rollout_percentage: 50 }];
  const flags = [{ key: 'a', ensure_experience_continuity: true, filters: { groups } }];
  const client = await start({ seed: flags });
  const valueOf = async (body: JsonObject): Promise<unknown> => {
    const answered = await client.post('/flags/', { token: 'phc_1', ...body });
    return (answered.body['featureFlags'] as JsonObject)['a'];
  };
  for (const id of ['one', 'two', 'three', 'four', 'five', 'six']) {
    const before = await valueOf({ distinct_id: id });
    expect(await valueOf({ distinct_id: `signed-in-${id}`, $anon_distinct_id: id })).toBe(before);
  }
});
