/** What an apply costs, in words. */

import { expect, test } from 'vitest';
import { forecastText } from '../../../src/report/words/amounts.ts';

test.each([
  [
    { requests: 37, seconds: 9.4, hour_percent: 0.8 },
    'Applying takes 37 requests, about 9 s, 0.8% of the hourly budget.',
  ],
  [{ requests: 1, seconds: 0.4, hour_percent: 0 }, 'Applying takes 1 request, less than 0.1% of the hourly budget.'],
  [
    { requests: 5000, seconds: 3780, hour_percent: 104.2 },
    'Applying takes 5000 requests, about 63 min 0 s, 104.2% of the hourly budget.',
  ],
  [{ requests: 5, seconds: 0.1 }, 'Applying takes 5 requests.'],
])('forecast %j reads %s', (forecast, text) => {
  expect(forecastText(forecast)).toBe(text);
});
