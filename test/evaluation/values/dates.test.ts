/** Dates in conditions and properties, in the project's time zone. */

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { readMoment, parseDate } from '../../../src/evaluation/values/dates.ts';

const NOW = new Date('2026-03-31T12:00:00.250Z');

function iso(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

const READ: readonly (readonly [text: string, zone: string, instant: string | undefined])[] = [
  ['2024-06-01', 'UTC', '2024-06-01T00:00:00.000Z'],
  ['2024-06-01', 'Europe/Berlin', '2024-05-31T22:00:00.000Z'],
  ['2024-06-01 10:30', 'America/New_York', '2024-06-01T14:30:00.000Z'],
  ['2024-06-01T10:30:15', 'Asia/Kolkata', '2024-06-01T05:00:15.000Z'],
  ['2024-06-01T10:30:15.5Z', 'Europe/Berlin', '2024-06-01T10:30:15.500Z'],
  ['2024-06-01 10:30:15-07:00', 'Europe/Berlin', '2024-06-01T17:30:15.000Z'],
  ['2024-6-1', 'UTC', '2024-06-01T00:00:00.000Z'],
  ['2024-02-29', 'UTC', '2024-02-29T00:00:00.000Z'],
  ['2023-02-29', 'UTC', undefined],
  ['2024-13-01', 'UTC', undefined],
  ['2024-06-01T24:00', 'UTC', undefined],
  // Twice in autumn: the first. Never in spring: not a date.
  ['2025-10-26 02:30', 'Europe/Berlin', '2025-10-26T00:30:00.000Z'],
  ['2025-03-30 02:30', 'Europe/Berlin', undefined],
  ['Tue, 01 Jul 2003 10:52:37 +0200', 'UTC', '2003-07-01T08:52:37.000Z'],
  ['Tue, 01 Jul 2003 10:52:37 GMT', 'Europe/Berlin', '2003-07-01T10:52:37.000Z'],
  // What only the lenient reader knows is in UTC, and a day without a time is at the time of day of the evaluation.
  ['1 July 2003', 'Europe/Berlin', '2003-07-01T12:00:00.250Z'],
  ['06/01/2024', 'Europe/Berlin', '2024-06-01T12:00:00.250Z'],
  ['2024/06/01', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['June 1, 2024', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['1 Jun 24', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['8/1/71', 'UTC', '1971-08-01T12:00:00.250Z'],
  ['2024-Jun-01', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['2024.06.01', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['2024-06-01 PST', 'UTC', '2024-06-01T12:00:00.250Z'],
  ['2024-06-01 10:30 PST', 'Europe/Berlin', '2024-06-01T18:30:00.000Z'],
  ['2024-06-01 10:30:15 PM', 'Europe/Berlin', '2024-06-01T22:30:15.000Z'],
  ['2024-06-01 10:30:15+02', 'UTC', '2024-06-01T08:30:15.000Z'],
  ['2024-06-01 10:30:15 +0200', 'UTC', '2024-06-01T08:30:15.000Z'],
  ['May 02, 2021 15:51:31 UTC', 'Europe/Berlin', '2021-05-02T15:51:31.000Z'],
  ['September 17, 2012 10:09am', 'UTC', '2012-09-17T10:09:00.000Z'],
  ['8/8/1965 12:00 AM', 'UTC', '1965-08-08T00:00:00.000Z'],
  ['14 May 2019 19:11:40.164', 'UTC', '2019-05-14T19:11:40.164Z'],
  ['171113 14:14:20', 'UTC', '2017-11-13T14:14:20.000Z'],
  ['2014年04月08日11时25分18秒', 'UTC', '2014-04-08T11:25:18.000Z'],
  ['May 6 at 9:24 PM', 'UTC', '2026-05-06T21:24:00.000Z'],
  ['4:00pm', 'UTC', '2026-03-31T16:00:00.000Z'],
  ['1717200000', 'Europe/Berlin', '2024-06-01T00:00:00.000Z'],
  ['1717200000000', 'UTC', '2024-06-01T00:00:00.000Z'],
  ['20240601', 'UTC', undefined],
  ['2024-06', 'UTC', undefined],
  ['June 2024', 'UTC', undefined],
  ['13/01/2024', 'UTC', undefined],
  ['31.12.2024', 'UTC', undefined],
  ['2024-06-01T10:30:15+0200', 'UTC', undefined],
  ['2024-06-01T10:30Z', 'UTC', undefined],
  ['Wed, 01 Jul 2003 10:52:37 GMT', 'UTC', undefined],
  ['2024-06-01 25:00', 'UTC', undefined],
  ['2024-06-01 13:00 PM', 'UTC', undefined],
  ['1-7-2003', 'UTC', undefined],
  ['10:52 01-07-2003', 'UTC', undefined],
  ['tomorrow', 'UTC', undefined],
  ['', 'UTC', undefined],
  ['-7d', 'UTC', '2026-03-24T12:00:00.250Z'],
  ['7d', 'UTC', '2026-03-24T12:00:00.250Z'],
  ['36h', 'UTC', '2026-03-30T00:00:00.250Z'],
  ['2w', 'UTC', '2026-03-17T12:00:00.250Z'],
  ['1m', 'UTC', '2026-02-28T12:00:00.250Z'],
  ['2m', 'UTC', '2026-01-28T12:00:00.250Z'],
  ['15m', 'UTC', '2024-12-28T12:00:00.250Z'],
  ['1y', 'UTC', '2025-03-31T12:00:00.250Z'],
  ['0d', 'UTC', '2026-03-31T12:00:00.250Z'],
  // The clock is set forward on March 29: the same time of day, not 48 hours.
  ['3d', 'Europe/Berlin', '2026-03-28T13:00:00.250Z'],
  ['10000d', 'UTC', undefined],
  ['9999d', 'UTC', '1998-11-14T12:00:00.250Z'],
  ['1s', 'UTC', undefined],
  ['1.5d', 'UTC', undefined],
];

describe('parseDate', () => {
  it.each(READ)('%j in %s', (text, timeZone, instant) => {
    expect(iso(parseDate(text, { now: NOW, timeZone }))).toBe(instant);
  });

  it('clamps February 29 in the previous year', () => {
    const now = new Date('2024-02-29T00:00:00Z');
    expect(iso(parseDate('1y', { now, timeZone: 'UTC' }))).toBe('2023-02-28T00:00:00.000Z');
    expect(iso(parseDate('4y', { now, timeZone: 'UTC' }))).toBe('2020-02-28T00:00:00.000Z');
  });

  it('distinguishes fractions of a millisecond', () => {
    const clock = { now: NOW, timeZone: 'UTC' };
    const [a, b] = ['2024-06-01T00:00:00.000100Z', '2024-06-01T00:00:00.000200Z'].map((text) => parseDate(text, clock));
    expect(a).toBeLessThan(b ?? 0);
  });

  it('handles dates before year 0', () => {
    expect(parseDate('9999y', { now: NOW, timeZone: 'Europe/Berlin' })).toBeLessThan(Date.UTC(-7000, 0));
  });
});

const MOMENTS: readonly (readonly [JsonValue, string | undefined])[] = [
  [1717200000, '2024-06-01T00:00:00.000Z'],
  ['1717200000.5', '2024-06-01T00:00:00.500Z'],
  [-1, '1969-12-31T23:59:59.000Z'],
  ['2024', '1970-01-01T00:33:44.000Z'],
  [1e300, undefined],
  ['inf', undefined],
  [true, undefined],
  [null, undefined],
  [['2024-06-01'], undefined],
];

describe('readMoment', () => {
  it.each(MOMENTS)('%j', (value, instant) => {
    expect(iso(readMoment(value, { now: NOW, timeZone: 'UTC' }))).toBe(instant);
  });
});
