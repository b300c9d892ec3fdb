import { expect, test } from 'vitest';
import { intervalIndex, readInterval, type Interval } from '../../src/analysis/analyses.ts';

test.each<[Interval, string, string, number]>([
  ['hour', '2026-03-01T09:59:59Z', '2026-03-01T10:00:00Z', 1],
  ['day', '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', 1],
  ['week', '2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z', 1],
  ['week', '2026-03-02T00:00:00Z', '2026-03-08T23:59:59Z', 0],
  ['month', '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', 1],
  ['month', '2026-02-01T00:00:00Z', '2026-02-28T23:59:59Z', 0],
])('by %s, %s and %s are %d apart', (interval, from, to, apart) => {
  expect(intervalIndex(Date.parse(to), interval) - intervalIndex(Date.parse(from), interval)).toBe(apart);
});

test('an interval is a day where none is named, in any case, and no other word', () => {
  expect([readInterval(undefined, 'period'), readInterval('MONTH', 'period')]).toEqual(['day', 'month']);
  expect(() => readInterval('year', 'period')).toThrow('"year" is not a valid choice.');
});
