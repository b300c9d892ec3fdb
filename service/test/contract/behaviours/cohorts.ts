/** Cohorts: reading and writing them. The interface document lacks them; both eras of PostHog have them. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Expectation, type Step } from '../behaviour.ts';

const PAYING = {
  id: 2,
  name: 'Paying',
  is_static: false,
  deleted: false,
  filters: { properties: { type: 'AND', values: [{ key: 'plan', value: 'pro' }] } },
};

const seats = { key: 'seats', type: 'person', operator: 'gt', value: 10 };
const bought = { key: 'paid', type: 'behavioral', value: 'performed_event', event_type: 'events' };
const SEATS = tree(seats);

function tree(...values: readonly JsonObject[]): JsonObject {
  return { properties: { type: 'AND', values } };
}

function inside(value: number): JsonObject {
  return { key: 'id', type: 'cohort', value };
}

/** An answer before the calculation. */
function created(more: JsonObject): Expectation {
  const body = { name: 'Big seats', description: 'Many seats', is_static: false, is_calculating: true, count: null };
  return { status: 201, body: { ...body, ...more } };
}

function reasonsFor(person: string, value: boolean): Step {
  return {
    ask: `GET /feature_flags/evaluation_reasons/?distinct_id=${person}`,
    expect: ok({ 'contract-seats': { value } }),
  };
}

export const COHORTS: readonly Behaviour[] = [
  {
    name: 'cohorts are listed newest first, in pages',
    steps: [
      {
        ask: 'GET /cohorts/',
        expect: ok({
          count: 4,
          next: null,
          previous: null,
          results: [{ id: 4, name: 'Buyers on pro' }, { id: 3 }, PAYING, { id: 1, name: 'Listed', is_static: true }],
        }),
      },
      { ask: 'GET /cohorts/?limit=1&offset=2', expect: ok({ count: 4, results: [PAYING] }) },
    ],
  },
  {
    name: 'one cohort is read by its id',
    steps: [
      { ask: 'GET /cohorts/2/', expect: ok(PAYING) },
      { ask: 'GET /cohorts/99/', expect: refusal(404, 'not_found') },
      { ask: 'GET /cohorts/x/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'a cohort is created, calculated, changed and soft-deleted',
    steps: [
      {
        ask: 'POST /cohorts/',
        body: { name: ' Big seats ', description: 'Many seats', filters: SEATS },
        expect: {
          documented: created({ filters: SEATS }),
          posthog: {
            ...created({ version: null, pending_version: 1 }),
            members: {
              '/filters/properties/values/0': [
                'bytecode',
                'conditionHash',
                'key',
                'negation',
                'operator',
                'type',
                'value',
              ],
            },
          },
        },
        keep: { cohort: '/id' },
      },
      {
        ask: 'GET /cohorts/{cohort}/',
        expect: {
          documented: ok({ is_calculating: false, count: 1, last_calculation: '2026-03-10T12:00:00Z' }),
          posthog: ok({ is_calculating: false, count: 1, version: 1, pending_version: 1 }),
        },
      },
      {
        ask: 'PATCH /cohorts/{cohort}/',
        body: { name: 'Few seats', filters: { properties: { type: 'AND', values: [{ ...seats, operator: 'lt' }] } } },
        expect: ok({ name: 'Few seats', description: 'Many seats', is_calculating: true }),
      },
      {
        ask: 'PATCH /cohorts/{cohort}/',
        body: { deleted: true },
        expect: ok({ deleted: true, is_calculating: false }),
      },
      { ask: 'GET /cohorts/{cohort}/', expect: ok({ deleted: true, name: 'Few seats' }) },
      { ask: 'GET /cohorts/', expect: ok({ count: 4 }) },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: false }, expect: ok({ deleted: false }) },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok({ deleted: true }) },
      { ask: 'DELETE /cohorts/{cohort}/', expect: { status: 405, text: '' } },
      { ask: 'PATCH /cohorts/99/', body: {}, expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'changes of cohorts are listed, newest first',
    only: 'posthog',
    steps: [
      { ask: 'POST /cohorts/', body: { name: 'Logged' }, expect: { status: 201 }, keep: { cohort: '/id' } },
      { ask: 'PATCH /cohorts/{cohort}/', body: { name: 'Logged' }, expect: ok() },
      { ask: 'PATCH /cohorts/{cohort}/', body: { name: 'Logged twice' }, expect: ok() },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: false }, expect: ok() },
      {
        ask: 'GET /cohorts/{cohort}/activity/',
        expect: ok({
          total_count: 4,
          results: [
            { activity: 'restored' },
            { activity: 'deleted' },
            {
              activity: 'updated',
              scope: 'Cohort',
              detail: {
                name: 'Logged twice',
                changes: [
                  { type: 'Cohort', action: 'changed', field: 'name', before: 'Logged', after: 'Logged twice' },
                ],
              },
            },
            { activity: 'created', detail: { name: 'Logged', changes: null } },
          ],
        }),
      },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
      { ask: 'GET /cohorts/activity/?limit=1', expect: ok({ results: [{ activity: 'deleted' }] }) },
    ],
  },
  {
    name: 'the older form of a definition, groups, is shown as filters',
    steps: [
      {
        ask: 'POST /cohorts/',
        body: { groups: [{ properties: { plan: 'pro' } }, { properties: [seats] }, { action_id: 3, days: 7 }] },
        expect: {
          status: 201,
          body: {
            name: null,
            filters: {
              properties: {
                type: 'OR',
                values: [
                  { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
                  { type: 'AND', values: [seats] },
                  { type: 'AND', values: [{ type: 'behavioral', key: 3, event_type: 'actions', time_value: 7 }] },
                ],
              },
            },
          },
        },
        keep: { cohort: '/id' },
      },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
    ],
  },
  {
    name: 'a cohort that a flag uses does not depend on events',
    steps: [
      {
        ask: 'PATCH /cohorts/2/',
        body: { filters: tree(bought) },
        expect: refusal(400, 'behavioral_cohort_found', 'filters'),
      },
      {
        ask: 'PATCH /cohorts/2/',
        body: { filters: tree({ key: 'id', type: 'cohort', value: 4 }) },
        expect: refusal(400, 'behavioral_cohort_found', 'filters'),
      },
      { ask: 'PATCH /cohorts/3/', body: { description: 'They paid.' }, expect: ok({ description: 'They paid.' }) },
      { ask: 'PATCH /cohorts/3/', body: { description: '' }, expect: ok() },
    ],
  },
  {
    name: 'definitions that lead back to themselves, or to no cohort, are refused',
    steps: [
      { ask: 'PATCH /cohorts/3/', body: { filters: tree(inside(4)) }, expect: refusal(400, 'invalid_input', null) },
      { ask: 'PATCH /cohorts/3/', body: { filters: tree(inside(99)) }, expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    name: 'fields of cohorts have types and lengths',
    steps: [
      { ask: 'POST /cohorts/', body: { name: 'x'.repeat(401) }, expect: refusal(400, 'max_length', 'name') },
      {
        ask: 'POST /cohorts/',
        body: { description: 'x'.repeat(1001) },
        expect: refusal(400, 'max_length', 'description'),
      },
      { ask: 'POST /cohorts/', body: { description: null }, expect: refusal(400, 'null', 'description') },
      { ask: 'POST /cohorts/', body: { is_static: 'perhaps' }, expect: refusal(400, 'invalid_input', 'is_static') },
      { ask: 'POST /cohorts/', body: { filters: {} }, expect: refusal(400, 'invalid_input', 'filters') },
      { ask: 'POST /cohorts/', body: { filters: 'x' }, expect: refusal(400, 'invalid_input', 'filters') },
    ],
  },
  {
    name: 'a cohort that active flags or other cohorts use is not deleted',
    only: 'posthog',
    steps: [
      { ask: 'PATCH /cohorts/2/', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
      { ask: 'PATCH /cohorts/3/', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    name: 'filters of a cohort have known members only',
    only: 'posthog',
    steps: [
      ...[
        { properties: [] },
        { properties: seats },
        { properties: { type: 'AND', values: [] }, more: 1 },
        { properties: { type: 'AND', values: [], more: 1 } },
        { properties: { type: 'XOR', values: [] } },
        tree({ ...seats, operator: null }),
        tree({ ...seats, value: null }),
        tree({ ...seats, more: 1 }),
        tree({ ...seats, type: 'group' }),
        tree({ ...seats, negation: 'no' }),
        tree({ key: 'id', type: 'cohort' }),
        tree({ key: 'id', type: 'cohort', value: 'x' }),
        tree({ key: 'id', type: 'cohort', value: 2, operator: 'in' }),
        tree({ type: 'behavioral', key: 'paid' }),
      ].map((filters) => ({
        ask: 'POST /cohorts/',
        body: { filters },
        expect: refusal(400, 'invalid_input', 'filters'),
      })),
      {
        ask: 'POST /cohorts/',
        body: {
          filters: tree({ key: 'id', type: 'cohort', value: '2' }, { key: 'x', type: 'person', operator: 'is_set' }),
        },
        expect: {
          status: 201,
          body: {
            filters: {
              properties: {
                values: [
                  { value: 2, negation: false },
                  { key: 'x', negation: false },
                ],
              },
            },
          },
        },
        keep: { cohort: '/id' },
      },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
    ],
  },
  {
    name: 'the members of a static cohort are not its criteria',
    only: 'posthog',
    steps: [
      {
        ask: 'POST /cohorts/',
        body: { is_static: true },
        expect: { status: 201, body: { is_static: true } },
        keep: { cohort: '/id' },
      },
      { ask: 'PATCH /cohorts/{cohort}/', body: { filters: tree(seats) }, expect: refusal(400, 'invalid_input', null) },
      {
        ask: 'POST /cohorts/',
        body: { is_static: true, filters: '' },
        expect: refusal(400, 'invalid_input', 'filters'),
      },
      { ask: 'POST /cohorts/', body: { query: { kind: 'HogQLQuery' } }, expect: refusal(400, 'invalid_input', null) },
      {
        ask: 'POST /cohorts/',
        body: { is_static: true, query: { kind: 'HogQLQuery' }, filters: tree(seats) },
        expect: refusal(400, 'invalid_input', null),
      },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
    ],
  },
  {
    name: 'flags look at the definition of a cohort as it is now',
    steps: [
      {
        ask: 'POST /cohorts/',
        body: { name: 'Seats', filters: SEATS },
        expect: { status: 201 },
        keep: { cohort: '/id' },
      },
      {
        ask: 'POST /feature_flags/',
        body: {
          key: '{prefix}-seats',
          filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: '{cohort}' }] }] },
        },
        expect: { status: 201 },
        keep: { flag: '/id' },
      },
      reasonsFor('grace', true),
      reasonsFor('ada', false),
      {
        ask: 'PATCH /cohorts/{cohort}/',
        body: { filters: tree({ ...seats, operator: 'lt' }) },
        expect: ok({ is_calculating: true }),
      },
      reasonsFor('grace', false),
      reasonsFor('ada', true),
      { ask: 'PATCH /feature_flags/{flag}/', body: { active: false }, expect: ok() },
      { ask: 'PATCH /cohorts/{cohort}/', body: { deleted: true }, expect: ok() },
    ],
  },
];
