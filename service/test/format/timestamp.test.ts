/** Times: accepted notations, their normal form, and their order. */

import { expect, test } from 'vitest';
import { parseMicroseconds, parseTimestamp, formatTimestamp } from '../../src/format/timestamp.ts';

test.each([
  ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00Z'],
  ['2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00Z'],
  ['2026-01-31T09:30:00.1234567Z', '2026-01-31T09:30:00.123456Z'],
  ['2026-01-31 09:30', '2026-01-31T09:30:00Z'],
  ['2026-01-31T09:30:00', '2026-01-31T09:30:00Z'],
  ['2026-01-31T09:30:00+0530', '2026-01-31T04:00:00Z'],
  ['2026-01-31T23:30:00-01', '2026-02-01T00:30:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31', undefined],
  ['31.1.2026', undefined],
  ['', undefined],
])('%j is read as %j', (text, timestamp) => {
  expect(parseTimestamp(text)).toBe(timestamp);
});

test('a date is written with microseconds', () => {
  expect(formatTimestamp(new Date('2026-01-31T09:30:00.120Z'))).toBe('2026-01-31T09:30:00.120000Z');
  expect(formatTimestamp(new Date('2026-01-31T09:30:00Z'))).toBe('2026-01-31T09:30:00Z');
});

test('times are ordered to the microsecond in any notation', () => {
  const times = [
    '2026-01-31T09:29:59.999999Z',
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.000001Z',
    '2026-01-31T09:30:00.1Z',
  ];
  expect(times.toReversed().toSorted((a, b) => parseMicroseconds(a) - parseMicroseconds(b))).toEqual(times);
});
