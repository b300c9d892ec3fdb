/** Reads and writes times in the service's form: ISO 8601 in UTC with microseconds, which are omitted when zero. */

import { zoneOf } from '../../../src/base/times.ts';

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

export function formatTimestamp(date: Date): string {
  return withMicroseconds(date.toISOString().slice(0, 19), `${date.toISOString().slice(20, 23)}000`);
}

/** Normalizes a time from a request or seed; `undefined` for an invalid one. Without a zone it is in UTC. */
export function parseTimestamp(text: string): string | undefined {
  const parts = DATE_TIME.exec(text.trim());
  if (parts === null) return undefined;
  const [, day, minute, second = '00', fraction = '', zone = 'Z'] = parts;
  const milliseconds = Date.parse(`${day}T${minute}:${second}${zoneOf(zone)}`);
  if (Number.isNaN(milliseconds) || Number(day?.slice(8)) > daysIn(String(day))) return undefined;
  return withMicroseconds(new Date(milliseconds).toISOString().slice(0, 19), fraction.padEnd(6, '0'));
}

/** Microseconds since 1970, for ordering; NaN for an invalid time. */
export function parseMicroseconds(timestamp: string): number {
  const normal = parseTimestamp(timestamp) ?? '';
  const fraction = /\.(\d{6})Z$/.exec(normal)?.[1] ?? '0';
  return Date.parse(normal.replace(/\.\d+Z$/, 'Z')) * 1000 + Number(fraction);
}

function withMicroseconds(seconds: string, microseconds: string): string {
  return microseconds === '000000' ? `${seconds}Z` : `${seconds}.${microseconds}Z`;
}

/** JavaScript reads 31 February as 3 March; the service refuses it. */
function daysIn(day: string): number {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
}
