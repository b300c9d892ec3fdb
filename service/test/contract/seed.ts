/** The seed of the contract suite, and its clock. */

import type { JsonObject } from '../../../src/base/json.ts';

/** A Tuesday. */
export const NOW = new Date('2026-03-10T12:00:00Z');

export const ADA_UUID = '0191a000-0000-7000-8000-000000000001';
export const ROLE_ID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
export const OTHER_ROLE_ID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';
export const MEMBER_ID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1d01';
export const MEMBER_UUID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1d02';

export const ERRORS_ALERT_ID = '0191b000-0000-7000-8000-000000000001';
export const LATENCY_ALERT_ID = '0191b000-0000-7000-8000-000000000002';
export const HIDDEN_ALERT_ID = '0191b000-0000-7000-8000-000000000003';

function event(distinctId: string, name: string, timestamp: string, properties: JsonObject = {}): JsonObject {
  return { event: name, distinct_id: distinctId, timestamp, properties };
}

const pro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };

const bought = { key: 'paid', type: 'behavioral', value: 'performed_event' };
const inBuyers = { key: 'id', type: 'cohort', value: 3 };

export const SEED: JsonObject = {
  roles: [
    { id: ROLE_ID, name: 'engineering' },
    { id: OTHER_ROLE_ID, name: 'support' },
  ],
  members: [{ id: MEMBER_ID, uuid: MEMBER_UUID, email: 'ada@example.org', first_name: 'Ada' }],
  group_types: [{ group_type_index: 0, group_type: 'company' }],
  groups: [
    { group_type_index: 0, key: 'acme', name: 'Acme Inc', properties: { size: 500 } },
    { group_type_index: 0, key: 'tiny', properties: { size: 2 } },
  ],
  cohorts: [
    { id: 1, name: 'Listed', persons: ['grace'] },
    { id: 2, name: 'Paying', filters: { properties: { type: 'AND', values: [pro] } } },
    { id: 3, name: 'Buyers', filters: { properties: { type: 'AND', values: [bought] } } },
    { id: 4, name: 'Buyers on pro', filters: { properties: { type: 'AND', values: [pro, inBuyers] } } },
  ],
  flags: [
    { id: 1, key: 'everybody', created_at: '2026-01-01T00:00:00Z', filters: { groups: [{ rollout_percentage: 100 }] } },
    { id: 2, key: 'paying', created_at: '2026-01-02T00:00:00Z', filters: payingFilters() },
    { id: 3, key: 'off', created_at: '2026-01-03T00:00:00Z', active: false, version: 5, filters: { groups: [{}] } },
    { id: 4, key: 'for-cohort', created_at: '2026-01-04T00:00:00Z', filters: cohortFilters() },
    { id: 5, key: 'for-size', created_at: '2026-01-05T00:00:00Z', filters: groupFilters() },
    { id: 6, key: 'for-listed', created_at: '2026-01-06T00:00:00Z', filters: cohortFilters(1) },
  ],
  scheduled_changes: [
    { flag: 'off', payload: { operation: 'update_status', value: true }, scheduled_at: '2026-12-01T09:00:00Z' },
    {
      id: 9,
      flag: 2,
      payload: { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 5 }] } },
      scheduled_at: '2026-03-01T09:00:00Z',
      executed_at: '2026-03-01T09:01:00Z',
    },
  ],
  alerts: [
    {
      id: ERRORS_ALERT_ID,
      name: 'Errors',
      calculation_interval: 'hourly',
      checks: [
        { at: '2026-02-20T00:00:00Z', state: 'Firing', value: 100 },
        { at: '2026-03-08T11:00:00Z', state: 'Not firing', value: 0 },
        { at: '2026-03-08T12:00:00Z', state: 'Not firing', value: 1 },
        { at: '2026-03-10T08:00:00Z', state: 'Not firing', value: 2 },
        { at: '2026-03-10T09:00:00Z', state: 'Errored' },
        { at: '2026-03-10T11:30:00Z', state: 'Firing', value: 9.5 },
        { at: '2026-03-10T11:00:00Z', state: 'Not firing', value: 4 },
      ],
    },
    { id: LATENCY_ALERT_ID, name: 'Latency', snoozed_until: '2026-03-11T00:00:00Z' },
    { id: HIDDEN_ALERT_ID, name: 'Revenue', can_view: false },
  ],
  experiments: [
    { id: 1, name: 'Ended trial', flag: 'off' },
    { id: 2, name: 'Running trial', flag: 'paying', is_running: true },
  ],
  persons: [
    {
      uuid: ADA_UUID,
      distinct_ids: ['ada', 'ada-phone'],
      properties: { email: 'Ada@example.org', plan: 'pro', seats: 5, tags: ['x', 'y'] },
      created_at: '2026-01-01T00:00:00Z',
    },
    {
      distinct_ids: ['grace'],
      properties: { email: 'grace@example.org', plan: 'free', seats: 20 },
      created_at: '2026-01-02T00:00:00Z',
    },
    {
      distinct_ids: ['linus'],
      properties: { plan: 'pro', quote: 'He said "no",\nthen =1+1' },
      created_at: '2026-01-03T00:00:00Z',
    },
    { distinct_ids: ['zoe'], properties: {}, created_at: '2026-01-04T00:00:00Z' },
  ],
  events: [
    event('ada', 'signed up', '2026-03-05T08:00:00Z', { $set: { plan: 'free' } }),
    event('ada', 'viewed', '2026-03-06T08:00:00Z', { page: '/pricing' }),
    event('ada-phone', 'paid', '2026-03-07T08:00:00Z', { $set: { plan: 'pro' } }),
    event('grace', 'signed up', '2026-03-06T09:00:00Z'),
    event('grace', 'viewed', '2026-03-07T09:00:00Z', { page: '/docs' }),
    event('grace', 'viewed', '2026-03-08T09:00:00Z', { page: '/pricing' }),
    event('linus', 'viewed', '2026-02-01T09:00:00Z'),
    event('linus', 'viewed', '2026-03-07T10:00:00Z'),
    event('zoe', 'signed up', '2025-12-24T10:00:00Z'),
  ],
};

function payingFilters(): JsonObject {
  return {
    groups: [{ properties: [pro], rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
    payloads: { blue: '{"color": "blue"}' },
  };
}

function cohortFilters(value = 2): JsonObject {
  return { groups: [{ properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: 100 }] };
}

function groupFilters(): JsonObject {
  const big = { key: 'size', type: 'group', group_type_index: 0, operator: 'exact', value: 500 };
  return { aggregation_group_type_index: 0, groups: [{ properties: [big], rollout_percentage: 100 }] };
}
