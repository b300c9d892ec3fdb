/** Times as alerts take them: `-7d` or `2h` from now, or a date and time. */

import { memberOf } from '../../../src/base/json.ts';
import { parseMicroseconds } from '../format/timestamp.ts';

const UNITS: Readonly<Record<string, (amount: number, now: Date) => number>> = {
  s: (amount, now) => now.getTime() + amount * 1000,
  M: (amount, now) => now.getTime() + amount * 60_000,
  h: (amount, now) => now.getTime() + amount * 3_600_000,
  d: (amount, now) => now.getTime() + amount * 86_400_000,
  w: (amount, now) => now.getTime() + amount * 7 * 86_400_000,
  m: (amount, now) => new Date(now).setUTCMonth(now.getUTCMonth() + amount),
  y: (amount, now) => new Date(now).setUTCFullYear(now.getUTCFullYear() + amount),
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Milliseconds since 1970. Back in time, days and longer units begin at midnight. Any other string means now, as in the service. */
export function timeBefore(text: string, now: Date): number {
  return shifted(text, now, -1) ?? momentOf(text) ?? now.getTime();
}

/** Forward, the time is cut to the hour, and for days and longer units to the day. */
export function timeAfter(text: string, now: Date): number {
  const time = shifted(text, now, 1) ?? momentOf(text) ?? now.getTime();
  return momentOf(text) === undefined && /[sMh]$/.test(text) ? time - (time % HOUR_MS) : time;
}

function shifted(text: string, now: Date, sign: 1 | -1): number | undefined {
  const [, digits, unit = ''] = /^-?(\d{1,3})([sMhdwmy])$/.exec(text.trim()) ?? [];
  const shift = memberOf(UNITS, unit);
  if (digits === undefined || shift === undefined) return undefined;
  const time = shift(sign * Number(digits), now);
  return 'sMh'.includes(unit) ? time : time - (time % DAY_MS);
}

function momentOf(text: string): number | undefined {
  const time = parseMicroseconds(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
