import { expect, test } from 'vitest';
import { forecastRounds, pages, singles, type RunConditions } from '../../../src/core/engine/forecast.ts';

const ROUNDS = [pages(3), singles(5)];

test.each<[string, RunConditions, object]>([
  ['one after the other', { concurrency: 1, latencyMs: 100 }, { requests: 8, seconds: 0.8 }],
  ['side by side, round by round', { concurrency: 4, latencyMs: 100 }, { requests: 8, seconds: 0.3 }],
  ['with slower pages', { concurrency: 2, latencyMs: 100, pageLatencyMs: 1000 }, { requests: 8, seconds: 2.3 }],
  ['without a known latency', { concurrency: 2 }, { requests: 8, seconds: 0 }],
  [
    'as slow as the budget, where that takes longer',
    { concurrency: 2, latencyMs: 100, budget: { requestsPerHour: 480, leastMs: (requests) => requests * 200 } },
    { requests: 8, seconds: 1.6, hour_percent: 1.7 },
  ],
  [
    'as slow as the answers, where those take longer',
    { concurrency: 2, latencyMs: 1000, budget: { leastMs: () => 10 } },
    { requests: 8, seconds: 5 },
  ],
])('requests are counted, and timed %s', (_, conditions, expected) => {
  expect(forecastRounds(ROUNDS, conditions)).toEqual(expected);
});
