/** What the base says of resources that earlier applies left. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { withEarlier } from '../../../src/posthog/planning/base.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { desiredOf } from '../../helpers/cohorts.ts';

const FILTERS = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
const cohort = (name: string, description = ''): JsonObject => ({ name, description, filters: FILTERS });

const namesIn = ({ flags, cohorts }: DesiredState): unknown => ({
  flags: flags.map(({ key }) => key),
  cohorts: cohorts?.map(({ key }) => key),
});

test.each<[string, JsonObject, string, unknown]>([
  ['one of two flags', { flags: { a: {}, b: {} } }, 'a', { flags: ['b'], cohorts: undefined }],
  [
    'one of two cohorts',
    { flags: {}, cohorts: { a: cohort('A'), b: cohort('B') } },
    'cohort:a',
    { flags: [], cohorts: ['b'] },
  ],
  ['the only cohort', { flags: { a: {} }, cohorts: { a: cohort('A') } }, 'cohort:a', { flags: ['a'], cohorts: [] }],
])('the base does not have %s that no apply ever made', (_name, declared, key, expected) => {
  expect(namesIn(withEarlier(desiredOf(declared), [{ key }]))).toEqual(expected);
});

test('a field that an earlier apply left is as it was then, of each resource for itself', () => {
  const then = desiredOf({ flags: { a: { description: 'then' } }, cohorts: { a: cohort('A', 'then') } });
  const later = desiredOf({ flags: { a: { description: 'later' } }, cohorts: { a: cohort('New', 'later') } });
  const { flags, cohorts } = withEarlier(later, [
    { key: 'a', fields: ['name'], desired: then },
    { key: 'cohort:a', fields: ['description'], desired: then },
  ]);
  expect(flags).toMatchObject([{ key: 'a', fields: { name: 'then' } }]);
  expect(cohorts).toMatchObject([{ key: 'a', fields: { name: 'New', description: 'then' } }]);
});
