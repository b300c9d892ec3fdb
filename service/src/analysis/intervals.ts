/** Divides time into hours, days, weeks from Monday, and months, in UTC. */

import { invalid } from '../handler/envelope.ts';

export type Interval = 'hour' | 'day' | 'week' | 'month';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY = 4;

/** Ignores case; default `day`. */
export function readInterval(value: unknown, name: string): Interval {
  const text = typeof value === 'string' ? value.toLowerCase() : 'day';
  if (text === 'hour' || text === 'day' || text === 'week' || text === 'month') return text;
  throw invalid('invalid_choice', `"${text}" is not a valid choice.`, name);
}

/** The number of the interval that contains a time; consecutive intervals have consecutive numbers. */
export function intervalIndex(time: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return Math.floor(time / HOUR_MS);
    case 'day':
      return Math.floor(time / DAY_MS);
    case 'week':
      return Math.floor((Math.floor(time / DAY_MS) - FIRST_MONDAY) / 7);
    case 'month': {
      const date = new Date(time);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    }
  }
}
