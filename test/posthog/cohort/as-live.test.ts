/** Former declarations of cohorts as if they were live, to compare two versions of the manifests without the service. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { asLive } from '../../../src/posthog/as-live.ts';
import { COHORTS } from '../../../src/posthog/cohort/family.ts';
import type { DeclaredCohort } from '../../../src/posthog/cohort/cohort.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { allOf, desiredOf, onPlan } from '../../helpers/cohorts.ts';

const IDS = { beta: 2_000_000, other: 5 };

type Cohorts = Readonly<Record<string, JsonObject>>;

function changes(former: Cohorts, wanted: Cohorts, ids: Readonly<Record<string, number>> = {}): unknown[] {
  const stateOf = (cohorts: Cohorts) => desiredOf({ flags: {}, cohorts }, ids);
  const { desired, live } = asLive(stateOf(wanted), stateOf(former));
  return buildPlan(desired, live).changes.map((change) => [
    `${change.action} ${change.key}`,
    ...('fields' in change ? change.fields.map(({ path }) => path) : []),
  ]);
}

const A = { description: 'A', ...allOf(onPlan('pro')) };
const ON_A = allOf({ type: 'cohort', value: 'a' });
const AT = '/filters/properties/values/0/value';

test.each<[string, Cohorts, Cohorts, Readonly<Record<string, number>>, unknown[]]>([
  ['nothing, where they are equal', { a: A, b: ON_A }, { a: A, b: ON_A }, {}, []],
  ['what is new', {}, { a: A }, {}, [['create a', '/name', '/description', '/filters']]],
  ['what goes', { a: A, b: A }, { a: { deleted: true }, b: A }, {}, [['delete a', '/deleted']]],
  ['what changes of one of two', { a: A, b: A }, { a: { ...A, ...allOf(onPlan('x')) }, b: A }, {}, [['update a', AT]]],
  ['a rename', { a: { ...A, name: 'Old' } }, { a: { ...A, name: 'New' } }, {}, [['update a', '/name']]],
  [
    'another cohort in a condition',
    { a: A, c: A, b: ON_A },
    { a: A, c: A, b: allOf({ type: 'cohort', value: 'c' }) },
    {},
    [['update b', AT]],
  ],
  ['not a value that was left to the service before', { a: allOf(onPlan('pro')) }, { a: A }, {}, []],
  ['nothing of a cohort that only its id in the service identified', {}, { other: A }, IDS, []],
  ['nothing of its delete', {}, { other: { deleted: true } }, IDS, []],
  ['a delete of one with an id', { other: A }, { other: { deleted: true } }, IDS, [['delete other', '/deleted']]],
  [
    'a change of one with an id',
    { beta: A, a: A },
    { beta: { ...A, description: 'B' }, a: A },
    IDS,
    [['update beta', '/description']],
  ],
])('the changes between two versions are %s', (_what, former, wanted, ids, expected) => {
  expect(changes(former, wanted, ids)).toEqual(expected);
});

test('a cohort without an id gets one that no other has, in either version', () => {
  const declared = (cohorts: Cohorts) => (desiredOf({ flags: {}, cohorts }, IDS).cohorts ?? []) as DeclaredCohort[];
  const former = declared({ a: A, b: A, other: A });
  expect([...COHORTS.asLive.idsOf(former, [])]).toEqual([
    ['a', 1_000_001],
    ['b', 1_000_002],
    ['other', 5],
  ]);
  expect([...COHORTS.asLive.idsOf(former, declared({ beta: A }))]).toEqual([
    ['a', 2_000_001],
    ['b', 2_000_002],
    ['other', 5],
  ]);
});
