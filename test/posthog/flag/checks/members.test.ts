/** Members that filters must have or must not have. */

import { expect, it } from 'vitest';
import { problemsOfFilters } from '../../../core/manifest/check.ts';

it.each([
  [
    '{ groups: [{}], early_exit: true, holdout: { id: 1, exclusion_percentage: 5 }, super_groups: [], holdout_groups: null }',
    [],
  ],
  ['{ groups: [{ sort_key: a, description: b }] }', []],
  ['{}', ['error property-missing ']],
  ['{ groups: [] }', ['warning conditions-none /groups']],
  ['{ groups: [], super_groups: [{}] }', []],
  ['{ groups: [{}], version: 1 }', ['error property-reserved /version']],
  ['{ version: 2, rules: [] }', []],
  ['{ groups: null }', ['error property-missing ']],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});
