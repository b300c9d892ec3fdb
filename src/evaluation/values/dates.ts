/** Reads instants from strings and numbers (docs/evaluation.md, "Dates"). */

import type { JsonValue } from '../../base/json.ts';
import { parseNumber } from './number.ts';
import { parseRelativeDate } from './relative-date.ts';
import { findInstant, wallClockAt } from './time-zone.ts';

export interface Clock {
  readonly now: Date;
  /** The time zone of times without an offset. */
  readonly timeZone: string;
}

const DATE_TIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** Other formats are accepted only with an offset; without one their meaning would depend on this machine. */
const NAMES_OFFSET = /\d:\d{2} *(GMT|UTC|[+-]\d{4})$/;
const LAST_INSTANT = 8.64e15;

/**
 * The instant in a property, in milliseconds since 1970: a date string, or seconds since 1970 as a number or string.
 */
export function readMoment(value: JsonValue, clock: Clock): number | undefined {
  const seconds = parseNumber(value);
  if (seconds !== undefined) return Math.abs(seconds * 1000) <= LAST_INSTANT ? seconds * 1000 : undefined;
  return typeof value === 'string' ? parseDate(value, clock) : undefined;
}

/** The date in a condition, relative or absolute. */
export function parseDate(text: string, clock: Clock): number | undefined {
  const relative = parseRelativeDate(text, wallClockAt(clock.now.getTime(), clock.timeZone));
  if (relative !== undefined) return findInstant(relative, clock.timeZone);
  const match = DATE_TIME.exec(text);
  if (match !== null) return toInstant(match, clock.timeZone);
  const other = NAMES_OFFSET.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(other) ? undefined : other;
}

function toInstant(match: RegExpExecArray, timeZone: string): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  const wallClock = date.getTime() + Number(match[7] ?? 0) * 1000;
  const offset = match[8];
  if (offset === undefined) return findInstant(wallClock, timeZone);
  return match[4] === undefined ? undefined : wallClock - parseOffset(offset);
}

// `Z`, `+02:00`, `-0730`
function parseOffset(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text.startsWith('-') ? -minutes : minutes) * 60_000;
}
