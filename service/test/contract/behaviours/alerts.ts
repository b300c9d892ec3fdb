/** Alerts of today's service, their checks, and what sets their states. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, ok, refusal, type Step, today } from '../behaviour.ts';
import { ERRORS_ALERT_ID, HIDDEN_ALERT_ID, LATENCY_ALERT_ID } from '../seed.ts';

const ALERTS = '/alerts/';
const THRESHOLD: JsonObject = { configuration: { type: 'absolute', bounds: { upper: 5 } } };
const NEW: JsonObject = {
  insight: 7,
  name: 'Refunds',
  subscribed_users: [1],
  threshold: THRESHOLD,
  condition: { type: 'absolute_value' },
  config: { type: 'TrendsAlertConfig', series_index: 0 },
};

const created = (body: JsonObject, expected?: JsonObject): Step => ({
  ask: `POST ${ALERTS}`,
  body,
  expect: { status: 201, ...(expected !== undefined && { body: expected }) },
  keep: { id: '/id' },
});

const change = (body: JsonObject, expected: JsonObject): Step => ({
  ask: `PATCH ${ALERTS}{id}/`,
  body,
  expect: ok(expected),
});

const checks = (expected: JsonObject, query = ''): Step => ({
  ask: `GET ${ALERTS}{id}/${query}`,
  expect: ok(expected),
});

const gone: Step = { ask: `DELETE ${ALERTS}{id}/`, expect: { status: 204, text: '' } };

const values = (...found: readonly (number | null)[]): JsonObject => ({
  checks: found.map((value) => ({ calculated_value: value })),
});

function refusals(
  ask: string,
  cases: readonly (readonly [body: JsonObject, code: string, attr: string | null])[],
): Step[] {
  return cases.map(([body, code, attr]) => ({ ask, body, expect: refusal(400, code, attr) }));
}

export const ALERT_BEHAVIOURS: readonly Behaviour[] = [
  today('alerts are listed newest first, without checks and without those of hidden insights', [
    {
      ask: `GET ${ALERTS}`,
      expect: ok({
        count: 2,
        results: [
          { name: 'Latency', enabled: true, state: 'Snoozed', snoozed_until: '2026-03-11T00:00:00Z', checks: [] },
          {
            id: ERRORS_ALERT_ID,
            name: 'Errors',
            state: 'Firing',
            calculation_interval: 'hourly',
            last_checked_at: '2026-03-10T11:30:00Z',
            next_check_at: '2026-03-10T12:30:00Z',
            last_value: 9.5,
            insight: { id: 1, name: 'Errors' },
            checks: [],
          },
        ],
      }),
    },
    { ask: `GET ${ALERTS}?limit=1&offset=1`, expect: ok({ count: 2, results: [{ name: 'Errors' }], next: null }) },
    { ask: `GET ${ALERTS}?search=LAT`, expect: ok({ count: 1, results: [{ name: 'Latency' }] }) },
    { ask: `GET ${ALERTS}?insight_id=1`, expect: ok({ count: 1, results: [{ name: 'Errors' }] }) },
    { ask: `GET ${ALERTS}?insight=3`, expect: ok({ count: 0 }) },
    { ask: `GET ${ALERTS}?created_by=018a0000-0000-7000-8000-0000000000e0`, expect: ok({ count: 2 }) },
    { ask: `GET ${ALERTS}?created_by=018a0000-0000-7000-8000-0000000000e9`, expect: ok({ count: 0 }) },
    { ask: `GET ${ALERTS}?created_by=ada`, expect: refusal(400, 'invalid_input', 'created_by') },
    { ask: `GET ${ALERTS}?search=${'a'.repeat(201)}`, expect: refusal(400, 'invalid_input', 'search') },
    { ask: `GET ${ALERTS}${HIDDEN_ALERT_ID}/`, expect: refusal(404, 'not_found') },
    { ask: `PATCH ${ALERTS}${HIDDEN_ALERT_ID}/`, body: {}, expect: refusal(404, 'not_found') },
    { ask: `DELETE ${ALERTS}${HIDDEN_ALERT_ID}/`, expect: refusal(404, 'not_found') },
    { ask: `GET ${ALERTS}5/`, expect: refusal(404, 'not_found') },
  ]),
  today('one alert has its newest five checks of the last 14 days, or those that are asked for', [
    {
      ask: `GET ${ALERTS}${ERRORS_ALERT_ID}/`,
      expect: ok({
        checks_total: 6,
        checks: [
          {
            created_at: '2026-03-10T11:30:00Z',
            state: 'Firing',
            calculated_value: 9.5,
            targets_notified: false,
            investigation_status: null,
          },
          { state: 'Not firing', calculated_value: 4 },
          { state: 'Errored', calculated_value: null },
          { calculated_value: 2 },
          { calculated_value: 1 },
        ],
      }),
    },
    ...(
      [
        ['?checks_limit=2', values(9.5, 4)],
        ['?checks_limit=0', values(9.5)],
        ['?checks_limit=x', values(9.5, 4, null, 2, 1)],
        ['?checks_limit=9999', values(9.5, 4, null, 2, 1, 0)],
        ['?checks_limit=2&checks_offset=4', values(1, 0)],
        ['?checks_offset=-3&checks_limit=1', values(9.5)],
        ['?checks_offset=99', { checks: [], checks_total: 6 }],
        ['?checks_date_from=-2h', { ...values(9.5, 4), checks_total: 2 }],
        ['?checks_date_from=-1d&checks_date_to=-2h', values(null, 2)],
        ['?checks_date_from=2026-03-10T11:00:00Z', values(9.5, 4)],
        ['?checks_date_from=nonsense', values()],
      ] as const
    ).map(([query, expected]): Step => ({ ask: `GET ${ALERTS}${ERRORS_ALERT_ID}/${query}`, expect: ok(expected) })),
  ]),
  today('an alert is created without a check, changed, and deleted for good', [
    created(NEW, {
      name: 'Refunds',
      state: 'Not firing',
      enabled: true,
      calculation_interval: 'daily',
      insight: { id: 7 },
      subscribed_users: [{ id: 1 }],
      threshold: { name: '', configuration: { type: 'absolute', bounds: { upper: 5 } } },
      last_checked_at: null,
      next_check_at: null,
      last_value: null,
      snoozed_until: null,
      skip_weekend: false,
      created_at: '2026-03-10T12:00:00Z',
      created_by: { id: 1 },
    }),
    checks({ checks: [], checks_total: 0 }),
    change({ name: ' ', calculation_interval: 'weekly', state: 'Firing' }, { name: '', state: 'Not firing' }),
    change({ schedule_restriction: { blocked_windows: [] }, condition: null }, { schedule_restriction: null }),
    gone,
    { ask: `GET ${ALERTS}{id}/`, expect: refusal(404, 'not_found') },
  ]),
  today('snoozing and its end write checks without a value, and leave the time of the last check', [
    created(NEW),
    change({ snoozed_until: '2h' }, { state: 'Snoozed', snoozed_until: '2026-03-10T14:00:00Z', last_checked_at: null }),
    change({ snoozed_until: '1d' }, { snoozed_until: '2026-03-11T00:00:00Z' }),
    change({ snoozed_until: '2026-03-10T12:30:00Z' }, { snoozed_until: '2026-03-10T12:30:00Z' }),
    change({ snoozed_until: null }, { state: 'Not firing', snoozed_until: null, last_checked_at: null }),
    checks({
      checks: ['Not firing', 'Snoozed', 'Snoozed', 'Snoozed'].map((state) => ({ state, calculated_value: null })),
    }),
    gone,
  ]),
  today('an edit of the rule, of `enabled` or of the interval sets the state or the next check, without a check', [
    {
      ask: `PATCH ${ALERTS}${ERRORS_ALERT_ID}/`,
      body: { name: 'Errors' },
      expect: ok({ state: 'Firing', next_check_at: '2026-03-10T12:30:00Z' }),
    },
    {
      ask: `PATCH ${ALERTS}${ERRORS_ALERT_ID}/`,
      body: { enabled: false },
      expect: ok({ state: 'Not firing', last_checked_at: '2026-03-10T11:30:00Z', last_value: 9.5 }),
    },
    { ask: `PATCH ${ALERTS}${ERRORS_ALERT_ID}/`, body: { enabled: true }, expect: ok({ state: 'Not firing' }) },
    { ask: `GET ${ALERTS}${ERRORS_ALERT_ID}/`, expect: ok({ checks_total: 6 }) },
    {
      ask: `PATCH ${ALERTS}${LATENCY_ALERT_ID}/`,
      body: { calculation_interval: 'every_15_minutes' },
      expect: ok({ state: 'Snoozed', next_check_at: null }),
    },
    {
      ask: `PATCH ${ALERTS}${LATENCY_ALERT_ID}/`,
      body: { threshold: THRESHOLD },
      expect: ok({ state: 'Not firing', snoozed_until: '2026-03-11T00:00:00Z' }),
    },
    {
      ask: `PATCH ${ALERTS}${LATENCY_ALERT_ID}/`,
      body: { snoozed_until: '1d', threshold: { ...THRESHOLD, name: 'Named' } },
      expect: ok({ state: 'Snoozed', threshold: { name: 'Named' } }),
    },
  ]),
  today('fields of alerts have types, lengths and rules', [
    ...refusals(`POST ${ALERTS}`, [
      [{ ...NEW, insight: null }, 'null', 'insight'],
      [{ ...NEW, insight: 'x' }, 'incorrect_type', 'insight'],
      [{ ...NEW, insight: 0 }, 'does_not_exist', 'insight'],
      [{ insight: 7, subscribed_users: [] }, 'required', 'threshold'],
      [{ insight: 7, threshold: THRESHOLD }, 'required', 'subscribed_users'],
      [{ ...NEW, subscribed_users: [99] }, 'does_not_exist', 'subscribed_users'],
      [{ ...NEW, name: 'a'.repeat(256) }, 'max_length', 'name'],
      [{ ...NEW, name: null }, 'null', 'name'],
      [{ ...NEW, enabled: 'perhaps' }, 'invalid_input', 'enabled'],
      [{ ...NEW, calculation_interval: 'yearly' }, 'invalid_choice', 'calculation_interval'],
      [{ ...NEW, calculation_interval: null }, 'null', 'calculation_interval'],
      [{ ...NEW, condition: { type: 'bogus' } }, 'invalid_input', null],
      [{ ...NEW, threshold: {} }, 'required', 'threshold__configuration'],
      [{ ...NEW, threshold: { configuration: { type: 'absolute' } } }, 'invalid_input', 'threshold__configuration'],
      [{ ...NEW, threshold: { configuration: { type: 'relative', bounds: { lower: 1 } } } }, 'invalid_input', null],
      [
        { ...NEW, threshold: { configuration: { type: 'absolute', bounds: { lower: 2, upper: 1 } } } },
        'invalid_input',
        null,
      ],
      [{ ...NEW, threshold: { configuration: { type: 'percentage', bounds: { upper: 1 } } } }, 'invalid_input', null],
    ]),
    ...refusals(`PATCH ${ALERTS}${ERRORS_ALERT_ID}/`, [
      [{ snoozed_until: 5 }, 'invalid_input', 'snoozed_until'],
      [{ condition: { type: 'bogus' } }, 'invalid_input', null],
    ]),
  ]),
  {
    name: 'the interface of 2023 has no alerts',
    only: 'documented',
    steps: [{ ask: `GET ${ALERTS}`, expect: refusal(404, 'not_found') }],
  },
];
