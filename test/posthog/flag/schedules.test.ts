/** Which scheduled changes are pending, and what a plan says about them. */

import { describe, expect, test } from 'vitest';
import {
  pendingByFlag,
  schedulesAgainstOff,
  type ScheduledChange,
  warnOfSchedules,
} from '../../../src/posthog/flag/schedules.ts';
import { warningText } from '../../../src/report/words/warnings.ts';
import type { JsonObject } from '../../../src/base/json.ts';

function schedule(members: JsonObject = {}): ScheduledChange {
  const payload = { operation: 'update_status', value: true };
  return { id: 12, record_id: '7', scheduled_at: '2026-12-01T09:00:00Z', executed_at: null, payload, ...members };
}

function texts(...schedules: readonly ScheduledChange[]): readonly string[] {
  return warnOfSchedules({ key: 'search', id: 7 }, pendingByFlag(schedules)).map((warning) => warningText(warning));
}

describe('pending', () => {
  test.each([
    ['once', {}, true],
    ['executed', { executed_at: '2026-12-01T09:00:10Z' }, false],
    ['failed, to be tried again', { failure_reason: 'x' }, true],
    ['repeated', { is_recurring: true, recurrence_interval: 'weekly' }, true],
    ['paused', { is_recurring: false, recurrence_interval: 'weekly' }, false],
    ['paused, by cron', { is_recurring: false, cron_expression: '0 9 * * 1' }, false],
    ['of another flag', { record_id: '8' }, false],
    ['of no flag', { record_id: 'x' }, false],
  ])('%s', (_name, members, isPending) => {
    expect(texts(schedule(members))).toHaveLength(isPending ? 1 : 0);
  });

  test('several changes of a flag are in the order of their times', () => {
    const later = schedule({ id: 3, scheduled_at: '2026-12-02T09:00:00Z' });
    expect(texts(later, schedule())).toEqual([
      expect.stringContaining('Schedule 12 '),
      expect.stringContaining('Schedule 3 '),
    ]);
  });
});

test.each([
  [{ operation: 'update_status', value: true }, {}, 'turns it on'],
  [{ operation: 'update_status', value: false }, {}, 'turns it off'],
  [{ operation: 'update_status' }, {}, 'update_status'],
  [{ operation: 'add_release_condition', value: {} }, {}, 'adds conditions'],
  [{ operation: 'update_variants', value: {} }, {}, 'replaces its variants'],
  [{ operation: 'archive', value: true }, {}, 'archive'],
  [null, {}, 'unknown'],
  [
    { operation: 'update_status', value: true },
    { is_recurring: true, recurrence_interval: 'weekly' },
    'turns it on, weekly',
  ],
])('%j %j', (payload, members, what) => {
  const text = `Schedule 12 changes search on 2026-12-01 09:00:00 UTC (${what}).`;
  expect(texts(schedule({ payload, ...members }))).toEqual([text]);
});

describe('of a flag that is off', () => {
  const OFF = { id: 7, key: 'search', active: false } as const;
  const rejected = { change_request: { id: 'a', state: 'rejected' } };

  test.each<[string, JsonObject, boolean, object?]>([
    ['turns it on', {}, true],
    ['turns it on, once approved', { change_request: { id: 'a', state: 'pending' } }, true],
    ['turns it on, and was not approved', rejected, false],
    [
      'turns it on each week, and was not approved this time',
      { ...rejected, is_recurring: true, recurrence_interval: 'weekly' },
      true,
    ],
    ['turns it off', { payload: { operation: 'update_status', value: false } }, false],
    ['adds a condition', { payload: { operation: 'add_release_condition', value: {} } }, false],
    ['replaces its variants', { payload: { operation: 'update_variants', value: {} } }, false],
    ['does what this release does not know', { payload: { operation: 'update_all', value: 1 } }, true],
    ['switches it to no value', { payload: { operation: 'update_status', value: null } }, true],
    ['turns it on, which the service refuses for an archived flag', {}, false, { archived: true }],
    ['is of another flag', { record_id: '8' }, false],
  ])('a change that %s', (_, members, isFound, more = {}) => {
    const found = schedulesAgainstOff([{ ...OFF, ...more }], [schedule(members)]);
    expect(found.map(({ key, id }) => ({ key, id }))).toEqual(isFound ? [{ key: 'search', id: 12 }] : []);
  });
});
