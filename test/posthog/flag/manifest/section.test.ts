/** What a declared flag becomes for a project: its fields in the names of the API, with the ids of its cohorts. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { check } from '../../../core/manifest/check.ts';

const onCohort = (value: string | number): JsonObject => ({
  groups: [{ properties: [{ key: 'id', type: 'cohort', value }] }],
});

it.each<[name: string, flag: JsonObject, fields: JsonObject]>([
  [
    'the alias of a cohort',
    { active: true, filters: onCohort('beta-testers') },
    { active: true, filters: onCohort(42) },
  ],
  ['the id of a cohort', { filters: onCohort(42) }, { filters: onCohort(42) }],
  ['an alias in unchecked filters', { fields: { filters: onCohort('x') } }, { filters: onCohort('x') }],
  ['another name of a field', { description: 'One page' }, { name: 'One page' }],
  ['the shorthand', { rollout_percentage: 10 }, { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } }],
])('%s', (_name, flag, fields) => {
  const { desired, diagnostics } = check(JSON.stringify({ flags: { a: flag } }));
  expect(diagnostics).toEqual([]);
  expect(desired.flags).toMatchObject([{ kind: 'declared', key: 'a', fields }]);
});
