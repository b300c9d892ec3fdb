/** Durations as people write them. */

import { expect, test } from 'vitest';
import { parseDuration } from '../../src/base/times.ts';

test.each([
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['7d', 604_800_000],
  ['1d12h', 129_600_000],
  ['250ms', 250],
  ['90', undefined],
  ['', undefined],
  ['0s', undefined],
  ['5 m', undefined],
  ['-5s', undefined],
  ['5x', undefined],
])('duration %j is %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});
