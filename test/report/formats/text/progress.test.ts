import { expect, test } from 'vitest';
import { progressText } from '../../../../src/report/formats/text/progress.ts';

test.each([
  [{ done: 0, total: 40, failed: 0, elapsedMs: 10, pausedMs: 0, leastMs: 0 }, '0 of 40 changes'],
  [
    { done: 10, total: 40, failed: 1, elapsedMs: 2000, pausedMs: 0, leastMs: 0 },
    '10 of 40 changes · 1 failed · about 6 s left',
  ],
  [{ done: 40, total: 40, failed: 0, elapsedMs: 9000, pausedMs: 0, leastMs: 0 }, '40 of 40 changes'],
  [
    { done: 384, total: 1000, failed: 0, elapsedMs: 4000, pausedMs: 0, leastMs: 116_000 },
    '384 of 1000 changes · about 1 min 56 s left',
  ],
  [
    { done: 10, total: 20, failed: 0, elapsedMs: 1000, pausedMs: 30_000, leastMs: 0, waitingFor: '429, waiting 30 s' },
    '10 of 20 changes · 429, waiting 30 s · about 31 s left',
  ],
])('progress %j reads %s', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});
