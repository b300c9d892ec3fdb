/** Times relative to now, in both directions. */

import { expect, test } from 'vitest';
import { timeAfter, timeBefore } from '../../src/alerts/relative-time.ts';

const NOW = new Date('2026-03-10T12:34:56Z');

test.each([
  ['-30s', '2026-03-10T12:34:26Z'],
  ['-15M', '2026-03-10T12:19:56Z'],
  ['-24h', '2026-03-09T12:34:56Z'],
  ['-7d', '2026-03-03T00:00:00Z'],
  ['-2w', '2026-02-24T00:00:00Z'],
  ['-1m', '2026-02-10T00:00:00Z'],
  ['-1y', '2025-03-10T00:00:00Z'],
  ['2026-03-01', '2026-03-01T00:00:00Z'],
  ['2026-03-01T10:00:00+01:00', '2026-03-01T09:00:00Z'],
  ['toString', '2026-03-10T12:34:56Z'],
])('before now, %s is %s', (text, expected) => {
  expect(new Date(timeBefore(text, NOW))).toEqual(new Date(expected));
});

test.each([
  ['2h', '2026-03-10T14:00:00Z'],
  ['90M', '2026-03-10T14:00:00Z'],
  ['1d', '2026-03-11T00:00:00Z'],
  ['1w', '2026-03-17T00:00:00Z'],
  ['1m', '2026-04-10T00:00:00Z'],
  ['2026-03-11T09:30:00Z', '2026-03-11T09:30:00Z'],
])('after now, %s is %s', (text, expected) => {
  expect(new Date(timeAfter(text, NOW))).toEqual(new Date(expected));
});
