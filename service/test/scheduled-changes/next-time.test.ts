import { describe, expect, test } from 'vitest';
import { nextOfCron, nextOfInterval } from '../../src/scheduled-changes/next-time.ts';

describe('an interval', () => {
  test.each([
    ['daily', '2026-12-31T09:00:00.000Z', '2027-01-01T09:00:00.000Z'],
    ['weekly', '2026-02-25T09:00:00.000Z', '2026-03-04T09:00:00.000Z'],
    ['monthly', '2026-01-31T09:00:00.000Z', '2026-02-28T09:00:00.000Z'],
    ['monthly', '2026-12-15T09:00:00.000Z', '2027-01-15T09:00:00.000Z'],
    ['yearly', '2028-02-29T09:00:00.000Z', '2029-02-28T09:00:00.000Z'],
  ])('%s after %s', (interval, after, next) => {
    expect(nextOfInterval(new Date(after), interval).toISOString()).toBe(next);
  });
});

describe('a cron expression', () => {
  test.each([
    ['0 9 * * 1-5', '2026-11-20T09:00:00Z', 'UTC', '2026-11-23T09:00:00.000Z'],
    ['*/15 * * * *', '2026-11-20T09:07:00Z', 'UTC', '2026-11-20T09:15:00.000Z'],
    ['30 8,17 1 jan,JUL *', '2026-01-01T08:30:00Z', 'UTC', '2026-01-01T17:30:00.000Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', 'UTC', '2104-02-29T00:00:00.000Z'],
    ['0 12 * * 7', '2026-11-21T00:00:00Z', 'UTC', '2026-11-22T12:00:00.000Z'],
    // The 13th or any Friday.
    ['0 0 13 * fri', '2026-11-10T00:00:00Z', 'UTC', '2026-11-13T00:00:00.000Z'],
    ['0 0 13 * fri', '2026-11-13T00:00:00Z', 'UTC', '2026-11-20T00:00:00.000Z'],
    // Nine in the morning stays nine when the clocks change, one way and the other.
    ['0 9 * * *', '2026-03-28T08:00:00Z', 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
    ['0 9 * * *', '2026-10-24T07:00:00Z', 'Europe/Berlin', '2026-10-25T08:00:00.000Z'],
    // The zone has no half past two on this day, and two of them on that.
    ['30 2 * * *', '2026-03-28T02:00:00Z', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-26T01:30:00.000Z'],
    ['0 9 * * *', '2026-03-28T10:00:00Z', 'Nowhere/Zone', '2026-03-29T09:00:00.000Z'],
  ])('%s after %s in %s', (expression, after, zone, next) => {
    expect(nextOfCron(expression, new Date(after), zone)?.toISOString()).toBe(next);
  });

  test.each([
    '',
    '* * * *',
    '60 * * * *',
    '0 9 * * 8',
    '0 0 30 2 *',
    '5-1 * * * *',
    '*/0 * * * *',
    'a b c d e',
    '1-2-3 * * * *',
  ])('that never matches: %s', (expression) =>
    expect(nextOfCron(expression, new Date('2026-01-01T00:00:00Z'))).toBeUndefined(),
  );
});
