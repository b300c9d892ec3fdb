/** The documented rules for filters check little and change nothing. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const variants = [{ key: 'a', rollout_percentage: 100 }];

function withProperty(property: JsonObject): JsonObject {
  return { groups: [{ properties: [property] }] };
}

function cohort(id: number, leaf: JsonObject): JsonObject {
  return { id, name: `cohort ${id}`, filters: { properties: { type: 'AND', values: [leaf] } } };
}

const SEED: JsonObject = {
  cohorts: [
    cohort(7, { key: 'paid', type: 'behavioral', value: 'performed_event' }),
    cohort(8, { key: 'id', type: 'cohort', value: 7 }),
  ],
};

const STORED: [what: string, filters: JsonObject, stored?: JsonObject][] = [
  ['unknown members', { groups: [{ left: 'over' }], super_groups: [{}], version: 3 }],
  ['payloads as sent', { groups: [], payloads: { true: { a: 1 } } }],
  ['a payload string that is not JSON', { groups: [], payloads: { true: 'text' } }],
  ['a cohort', withProperty({ key: 'id', type: 'cohort', value: 42 })],
  [
    'a cohort that another cohort names, and that depends on events',
    withProperty({ key: 'id', type: 'cohort', value: 8 }),
  ],
  [
    'any operator, and any kind of value',
    withProperty({ key: 'a', type: 'person', operator: 'like', value: { b: 1 } }),
  ],
  ['is_set without a value', withProperty({ key: 'a', type: 'person', operator: 'is_set' })],
  ['percentages as strings', { groups: [{ rollout_percentage: '50' }] }],
  [
    'conditions of a group',
    {
      ...withProperty({ key: 'a', type: 'group', group_type_index: 0, value: 1 }),
      aggregation_group_type_index: 0,
    },
  ],
  ['no variants', { groups: [], multivariate: {} }],
  ['no groups', { payloads: {} }, { groups: [], payloads: {} }],
];

test.each(STORED)('stores %s', async (_what, filters, stored = filters) => {
  const client = await start({ seed: SEED });
  expect((await client.create({ key: 'a', filters }))['filters']).toEqual(stored);
});

const REFUSED: [what: string, filters: JsonObject, code?: string][] = [
  ['groups that are not a list', { groups: 5 }],
  ['groups that are not objects', { groups: [5] }],
  ['properties that are not a list', { groups: [{ properties: {} }] }],
  ['properties that are null', { groups: [{ properties: null }] }],
  ['a property without a key', withProperty({ type: 'person', value: 1 })],
  ['a property without a value', withProperty({ key: 'a', type: 'person', operator: 'exact' })],
  ['a property without a type', withProperty({ key: 'a', value: 1 })],
  ['a property of a type that is null', withProperty({ key: 'a', type: null, value: 1 })],
  ['a property of events', withProperty({ key: 'a', type: 'event', value: 1 })],
  ['a property of an unknown type', withProperty({ key: 'a', type: 'person_metadata', value: 1 })],
  ['a condition on another flag', withProperty({ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true })],
  ['an unknown cohort', withProperty({ key: 'id', type: 'cohort', value: 999 }), 'cohort_does_not_exist'],
  ['a cohort in a list', withProperty({ key: 'id', type: 'cohort', value: [42] }), 'cohort_does_not_exist'],
  ['a cohort by name', withProperty({ key: 'id', type: 'cohort', value: 'beta' }), 'cohort_does_not_exist'],
  ['a cohort that depends on events', withProperty({ key: 'id', type: 'cohort', value: 7 }), 'behavioral_cohort_found'],
  ['variants that are not a list', { groups: [], multivariate: { variants: 'a' } }],
  ['variants in a list', { groups: [], multivariate: [] }],
  ['variants that are null', { groups: [], multivariate: { variants: [null] } }],
  ['a variant without a key', { groups: [], multivariate: { variants: [{ rollout_percentage: 100 }] } }],
  ['an unknown variant', { groups: [{ variant: 'b' }], multivariate: { variants } }],
  ['payloads that are null', { groups: [], payloads: null }],
  ['a payload of an unknown variant', { groups: [], multivariate: { variants }, payloads: { b: 1 } }],
  ['a payload of a flag without variants', { groups: [], payloads: { b: 1 } }],
  ['a payload beside an empty list of variants', { groups: [], multivariate: { variants: [] }, payloads: { true: 1 } }],
  ['a group property for persons', withProperty({ key: 'a', type: 'group', group_type_index: 0, value: 1 })],
  [
    'a person property for groups',
    { ...withProperty({ key: 'a', type: 'person', value: 1 }), aggregation_group_type_index: 0 },
  ],
  [
    'a property of another group',
    { ...withProperty({ key: 'a', type: 'group', group_type_index: 1, value: 1 }), aggregation_group_type_index: 0 },
  ],
];

test.each(REFUSED)('refuses %s in a create and in an update', async (_what, filters, code = 'invalid_input') => {
  const client = await start({ seed: SEED });
  const refusal = { status: 400, body: { code, attr: 'filters' } };
  expect(await client.post(FLAGS, { key: 'a', filters })).toMatchObject(refusal);
  const created = await client.create({ key: 'b' });
  expect(await client.patch(pathOf(created), { filters })).toMatchObject(refusal);
});

test('variants must sum to 100 in a create only', async () => {
  const client = await start();
  const filters = { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: 99.9999999999 }] } };
  expect(await client.post(FLAGS, { key: 'a', filters })).toMatchObject({ status: 400, body: { attr: null } });
  const uncounted = { groups: [], multivariate: { variants: [{ key: 'a' }] } };
  expect(await client.post(FLAGS, { key: 'a', filters: uncounted })).toMatchObject({
    status: 400,
    body: { attr: null },
  });
  const created = await client.create({ key: 'b' });
  expect((await client.patch(pathOf(created), { filters })).body).toMatchObject({ filters });
});
