/** The documented rules for filters check little and change nothing. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const variants = [{ key: 'a', rollout_percentage: 100 }];

const STORED: [what: string, filters: JsonObject, stored?: JsonObject][] = [
  ['unknown members', { groups: [{ left: 'over' }], super_groups: [{}], version: 3 }],
  ['payloads as sent', { groups: [], payloads: { true: { a: 1 } } }],
  ['a payload string that is not JSON', { groups: [], payloads: { true: 'text' } }],
  ['an unknown cohort', { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 999 }] }] }],
  [
    'conditions of a group',
    { groups: [{ properties: [{ key: 'a', type: 'group', group_type_index: 0 }] }], aggregation_group_type_index: 0 },
  ],
  ['no groups', { payloads: {} }, { groups: [], payloads: {} }],
];

test.each(STORED)('stores %s', async (_what, filters, stored = filters) => {
  const client = await start();
  expect((await client.create({ key: 'a', filters }))['filters']).toEqual(stored);
});

const REFUSED: [what: string, filters: JsonObject][] = [
  ['groups that are not a list', { groups: 5 }],
  ['groups that are not objects', { groups: [5] }],
  ['properties that are not a list', { groups: [{ properties: {} }] }],
  ['variants that are not a list', { groups: [], multivariate: { variants: 'a' } }],
  ['an unknown variant', { groups: [{ variant: 'b' }], multivariate: { variants } }],
  ['a payload of an unknown variant', { groups: [], multivariate: { variants }, payloads: { b: 1 } }],
  ['a payload of a flag without variants', { groups: [], payloads: { b: 1 } }],
  ['a group property for persons', { groups: [{ properties: [{ key: 'a', type: 'group' }] }] }],
  ['a person property for groups', { groups: [{ properties: [{ key: 'a' }] }], aggregation_group_type_index: 0 }],
];

test.each(REFUSED)('refuses %s in a create and in an update', async (_what, filters) => {
  const client = await start();
  const refusal = { status: 400, body: { code: 'invalid_input', attr: 'filters' } };
  expect(await client.post(FLAGS, { key: 'a', filters })).toMatchObject(refusal);
  const created = await client.create({ key: 'b' });
  expect(await client.patch(pathOf(created), { filters })).toMatchObject(refusal);
});

test('variants must sum to 100 in a create only', async () => {
  const client = await start();
  const filters = { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: 99 }] } };
  expect(await client.post(FLAGS, { key: 'a', filters })).toMatchObject({ status: 400, body: { attr: null } });
  const created = await client.create({ key: 'b' });
  expect((await client.patch(pathOf(created), { filters })).body).toMatchObject({ filters });
});
