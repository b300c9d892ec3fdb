/** The requests and the time that applying a plan takes, as a sentence. */

import type { Forecast } from '../../engine/forecast.ts';
import { count } from './count.ts';
import { wholeSecondsText } from './duration.ts';

/** `Applying takes 37 requests, about 9 s, 0.8% of the hourly budget.` */
export function forecastText({ requests, seconds, hour_percent: share }: Forecast): string {
  const time = seconds < 1 ? [] : [`about ${wholeSecondsText(seconds * 1000)}`];
  const budget = share === undefined ? [] : [`${share < 0.1 ? 'less than 0.1' : share}% of the hourly budget`];
  return `Applying takes ${[count(requests, 'request'), ...time, ...budget].join(', ')}.`;
}
