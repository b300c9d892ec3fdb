/** Durations in words. */

import { expect, test } from 'vitest';
import { durationText } from '../../../src/report/words/amounts.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1234, '1.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [185_000, '3 min 5 s'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
