/** The times of the calendar in which nothing may change are those in which the policy refuses a change. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FreezeRule, frozenTimes } from '../../src/catalog/freezes.ts';
import { freeze } from '../../src/review/policy/rules/freeze.ts';
import { holds } from '../helpers/runs.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-10-12T00:00:00Z');
const END = START + 21 * 24 * HOUR;
/** On this day clocks change in Berlin, and a week later in New York: some local times are there twice. */
const CHANGES = ['2026-10-25T01:00:00Z', '2026-11-01T06:00:00Z'].map((text) => Date.parse(text));

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kolkata');
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const weekly = fc.record({
  kind: fc.constant('weekly' as const),
  days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 }),
  from: fc.constantFrom('00:00', '08:00', '16:30', '22:00'),
  to: fc.constantFrom('00:00', '06:00', '12:00', '18:00', '24:00'),
  zone,
});
const dates = fc.record({
  kind: fc.constant('dates' as const),
  from: fc.constantFrom('2026-10-10', '2026-10-13T18:00', '2026-10-20'),
  to: fc.constantFrom('2026-10-21', '2026-10-23T09:30', '2026-11-20'),
  zone,
});
const windows = fc.array(fc.oneof(weekly, dates), { maxLength: 3 });
const rule: fc.Arbitrary<FreezeRule> = fc
  .record({
    deny: windows,
    allow: fc.option(fc.array(fc.oneof(weekly, dates), { minLength: 1, maxLength: 2 }), { nil: undefined }),
  })
  .map(({ deny, allow }) => ({ deny, except: [], ...(allow === undefined ? {} : { allow }) }));

test('each moment is in one of them if and only if the policy refuses a change then', () => {
  holds(
    60,
    [rule, fc.array(fc.integer({ min: 0, max: (END - START) / 60_000 - 1 }), { minLength: 40, maxLength: 40 })],
    (options, minutes) => {
      const times = frozenTimes(options, { start: START, end: END });
      return minutes
        .map((minute) => START + minute * 60_000)
        .filter((now) => CHANGES.every((change) => Math.abs(now - change) > 26 * HOUR))
        .every((now) => {
          const isRefused =
            freeze.judge({ classes: ['widen'] } as never, options as never, { now } as never).length > 0;
          return isRefused === times.some(({ from, to = Infinity }) => from <= now && now < to);
        });
    },
  );
});

test('two days of a weekend are one, also where it began before', () => {
  const weekend = { kind: 'weekly', days: ['sat', 'sun'], from: '00:00', to: '24:00', zone: 'Europe/Berlin' } as const;
  const found = frozenTimes(
    { deny: [weekend], except: [] },
    { start: Date.parse('2026-06-07T12:00:00Z'), end: Date.parse('2026-06-14T00:00:00Z') },
  );
  expect(found.map(({ from, to = 0 }) => [new Date(from).toISOString(), new Date(to).toISOString()])).toEqual([
    ['2026-06-05T22:00:00.000Z', '2026-06-07T22:00:00.000Z'],
    ['2026-06-12T22:00:00.000Z', '2026-06-14T22:00:00.000Z'],
  ]);
});
