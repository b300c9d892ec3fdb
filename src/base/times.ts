/** Days, times and durations as people write them in files and options, and as the service reads and writes them. */

import { memberOf } from './json.ts';

/** `2026-02-30` has the form of a date, but is not a date; JavaScript reads it as 2 March. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Milliseconds since 1970; `undefined` for anything else, and for a day that no calendar has. */
export function parseInstant(text: string): number | undefined {
  const [, day] = ZONED_TIME.exec(text) ?? [];
  if (day === undefined || !isDate(day)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

export const INSTANT_REMEDY = 'Write it as 2026-12-01T09:00+01:00, or in UTC as 2026-12-01T08:00Z.';

const ZONED_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Clocks that differ by less count as equal. */
export const MOST_OFF_MS = 60_000;

/** Milliseconds; `undefined` for a string that is not a duration, and for a duration of zero. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (memberOf(UNITS, unit) ?? 0);
  }
  return total > 0 && Number.isFinite(total) ? total : undefined;
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * One form of all spellings of a moment, to the microsecond; `undefined` for any other string. A time without an offset is UTC, in any
 * local time zone, as for the service.
 */
export function instantText(text: string): string | undefined {
  const parts = DATE_TIME.exec(text.trim());
  if (parts === null) return undefined;
  const [, day = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = parts;
  const moment = Date.parse(`${day}T${minute}:${second}${zoneOf(zone)}`);
  if (Number.isNaN(moment) || !isDate(day)) return undefined;
  const microseconds = fraction.replace(/0+$/, '');
  return new Date(moment).toISOString().replace('.000Z', microseconds === '' ? 'Z' : `.${microseconds}Z`);
}

/** `Z`, `+05`, `+0530` and `+05:30` as JavaScript reads them. */
export function zoneOf(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
