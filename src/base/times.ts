/** Days, times and durations as people write them in files and options. */

import { memberOf } from './json.ts';

/** `2026-02-30` has the form of a date, but is not a date. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Milliseconds since 1970; `undefined` for anything else, and for a day that no calendar has. */
export function parseInstant(text: string): number | undefined {
  const [, day] = ZONED_TIME.exec(text) ?? [];
  // JavaScript reads 31 February as 3 March.
  if (day === undefined || new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) !== true) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

export const INSTANT_REMEDY = 'Write it as 2026-12-01T09:00+01:00, or in UTC as 2026-12-01T08:00Z.';

const ZONED_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; `undefined` for a string that is not a duration, and for a duration of zero. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (memberOf(UNITS, unit) ?? 0);
  }
  return total > 0 && Number.isFinite(total) ? total : undefined;
}
