/** PostHog's tests of cohorts. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const something: JsonObject = { key: '$some_prop', value: 'something', type: 'person', operator: 'exact' };
const viewed: JsonObject = {
  key: '$pageview',
  event_type: 'events',
  time_value: 1,
  time_interval: 'day',
  value: 'performed_event',
  type: 'behavioral',
};
const GROUPS = { groups: [{ properties: { team_id: 5 } }] };

function either(...values: readonly JsonObject[]): JsonObject {
  return { properties: { type: 'OR', values } };
}

const inCohort = (value: number): JsonObject => ({ key: 'id', value, type: 'cohort' });

export const COHORTS_OF_TESTS: readonly ServerTest[] = [
  {
    name: 'test_creating_update_and_calculating_ignore_bad_filters',
    steps: [
      {
        ask: 'POST /cohorts/',
        body: { name: 'whatever', ...GROUPS },
        expect: { status: 201 },
        keep: { cohort: '/id' },
      },
      {
        ask: 'PATCH /cohorts/{cohort}',
        body: { name: 'whatever', filters: '[Slkasd=lkxcn]', ...GROUPS },
        expect: { status: 400, body: { type: 'validation_error' } },
      },
    ],
  },
  {
    name: 'test_hard_delete_is_forbidden',
    steps: [
      { ask: 'POST /cohorts', body: { name: 'cohort A', ...GROUPS }, expect: { status: 201 }, keep: { cohort: '/id' } },
      { ask: 'DELETE /cohorts/{cohort}', expect: { status: 405 } },
    ],
  },
  {
    name: 'test_update_cohort_used_in_flags',
    seed: {
      ...flagsSeed({ key: 'cohort-flag', filters: { groups: [{ properties: [inCohort(1)] }] } }),
      cohorts: [{ id: 1, name: 'cohort A', filters: either(something) }],
    },
    steps: [
      {
        ask: 'POST /cohorts',
        body: { name: 'cohort XX', filters: either(viewed) },
        expect: { status: 201 },
        keep: { second: '/id' },
      },
      {
        ask: 'PATCH /cohorts/1',
        body: { filters: either(something, viewed) },
        expect: refusal(400, 'behavioral_cohort_found', 'filters'),
      },
      {
        ask: 'PATCH /cohorts/1',
        body: { filters: either(something, inCohort(2)) },
        expect: refusal(400, 'behavioral_cohort_found', 'filters'),
      },
    ],
  },
  {
    name: 'test_cohort_with_is_set_filter_missing_value',
    seed: {
      persons: ['something', 'not it', 'not it', undefined].map((value, index) => ({
        distinct_ids: [`p${index + 1}`],
        properties: value === undefined ? {} : { $some_prop: value },
      })),
    },
    steps: [
      {
        ask: 'POST /cohorts',
        body: { name: 'cohort A', filters: either({ key: '$some_prop', type: 'person', operator: 'is_set' }) },
        expect: { status: 201, body: { is_calculating: true } },
        keep: { cohort: '/id' },
      },
      { ask: 'GET /cohorts/{cohort}', expect: ok({ is_calculating: false, count: 3 }) },
    ],
  },
  {
    name: 'test_creating_update_with_cycle',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({
        ask: 'POST /cohorts',
        body: { name, ...GROUPS },
        expect: { status: 201 },
        keep: { [name]: '/id' },
      })),
      ...[
        [1, 2],
        [2, 3],
      ].map(([from = 0, to = 0]) => ({
        ask: `PATCH /cohorts/${from}`,
        body: { filters: either(inCohort(to)) },
        expect: ok(),
      })),
      { ask: 'PATCH /cohorts/3', body: { filters: either(inCohort(1)) }, expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    name: 'test_deletion_of_cohort_used_in_flags',
    only: 'posthog',
    seed: {
      ...flagsSeed({ key: 'cohort-flag', filters: { groups: [{ properties: [inCohort(1)] }] } }),
      cohorts: [{ id: 1, name: 'cohort A', filters: either(something) }],
    },
    steps: [
      { ask: 'PATCH /cohorts/1', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
      { ask: 'PATCH /feature_flags/1/', body: { active: false }, expect: ok() },
      { ask: 'PATCH /cohorts/1', body: { deleted: true }, expect: ok({ deleted: true }) },
    ],
  },
];
