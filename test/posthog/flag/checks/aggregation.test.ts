/** The properties of a condition fit its aggregation: persons, or groups of one type. */

import { expect, it } from 'vitest';
import { problemsOfFilters } from '../../../core/manifest/check.ts';

const group = '{ key: name, type: group, operator: exact, value: [Acme], group_type_index: 0 }';
const person = '{ key: plan, type: person, operator: exact, value: [free] }';
const at = '/groups/0/properties/0';

it.each([
  [`{ aggregation_group_type_index: 0, groups: [{ properties: [${group}] }] }`, []],
  [`{ groups: [{ aggregation_group_type_index: 0, properties: [${group}] }] }`, []],
  [`{ aggregation_group_type_index: null, groups: [{ properties: [${person}] }] }`, []],
  [`{ aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: 0 }] }`, []],
  [
    '{ aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: 1 }] }',
    ['error aggregation-mixed /groups/0/aggregation_group_type_index'],
  ],
  [
    '{ aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: null }] }',
    ['error aggregation-mixed /groups/0/aggregation_group_type_index'],
  ],
  [`{ groups: [{ properties: [${group}] }] }`, [`error property-type-unfit ${at}`]],
  [`{ aggregation_group_type_index: 0, groups: [{ properties: [${person}] }] }`, [`error property-type-unfit ${at}`]],
  [
    `{ aggregation_group_type_index: 1, groups: [{ properties: [${group}] }] }`,
    [`error property-group-mismatch ${at}/group_type_index`],
  ],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});
