/** Reads instants from strings and numbers (docs/evaluation.md, "Dates"). */

import type { JsonValue } from '../../base/json.ts';
import { readDate, type ReadDate } from '../../posthog/flag/model/dates.ts';
import { parseNumber } from './scalars.ts';

export { isAcceptedDate } from '../../posthog/flag/model/dates.ts';

export interface DateContext {
  readonly now: Date;
  /** The time zone of times without an offset. */
  readonly timeZone: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

const LAST_INSTANT = 8.64e15;

type Unit = 'h' | 'd' | 'w' | 'm' | 'y';

const RELATIVE = /^-?(\d+)([hdwmy])$/;
const MOST_UNITS = 10_000;
const HOUR = 3_600_000;
const UNIT_LENGTHS: Readonly<Record<'h' | 'd' | 'w', number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/**
 * The instant in a property, in milliseconds since 1970: a date string, or seconds since 1970 as a number or string.
 */
export function readMoment(value: JsonValue, clock: DateContext): number | undefined {
  const seconds = parseNumber(value);
  if (seconds !== undefined) return Math.abs(seconds * 1000) <= LAST_INSTANT ? seconds * 1000 : undefined;
  return typeof value === 'string' ? parseDate(value, clock) : undefined;
}

/** The date in a condition, relative or absolute. */
export function parseDate(text: string, clock: DateContext): number | undefined {
  const relative = parseRelativeDate(text, wallClockAt(clock.now.getTime(), clock.timeZone));
  if (relative !== undefined) return findInstant(relative, clock.timeZone);
  const read = readDate(text);
  return typeof read === 'object' ? toInstant(read, clock) : read;
}

/** What a date does not say is that of `now`: the day, or the time of day where only the lenient reader knows the format. */
function toInstant(
  { year, month, day, time, offset, reader }: ReadDate,
  { now, timeZone }: DateContext,
): number | undefined {
  const ahead = (offset ?? 0) * 60_000;
  const today = new Date(now.getTime() + ahead);
  const date = new Date(0);
  date.setUTCFullYear(
    year ?? today.getUTCFullYear(),
    (month ?? today.getUTCMonth() + 1) - 1,
    day ?? today.getUTCDate(),
  );
  const wallClock = date.getTime() + (time ?? today.getTime() % 86_400_000);
  return offset === undefined && reader === 'project' ? findInstant(wallClock, timeZone) : wallClock - ahead;
}

/**
 * Reads `-7d` and `7d`: the wall clock at that time before `now`, itself a wall clock; `undefined` for a string that is not a relative
 * date.
 */
function parseRelativeDate(text: string, now: number): number | undefined {
  const match = RELATIVE.exec(text);
  if (match === null) return undefined;
  const [amount, unit] = [Number(match[1]), match[2] as Unit];
  if (amount >= MOST_UNITS) return undefined;
  return unit === 'm' || unit === 'y' ? subtractMonths(now, amount, unit) : now - amount * UNIT_LENGTHS[unit];
}

// One month at a time, clamping the day at each step: March 31 minus two months is January 28, not 31.
function subtractMonths(now: number, steps: number, unit: 'm' | 'y'): number {
  const date = new Date(now);
  const time = now - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  let [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  for (let step = 0; step < steps; step += 1) {
    if (unit === 'y' || month === 0) year -= 1;
    if (unit === 'm') month = (month + 11) % 12;
    day = Math.min(day, daysIn(year, month));
  }
  return startOfDay(year, month, day) + time;
}

function daysIn(year: number, month: number): number {
  return new Date(startOfDay(year, month + 1, 0)).getUTCDate();
}

// `Date.UTC` maps the years 0 to 99 to 1900 to 1999; `setUTCFullYear` does not.
function startOfDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** The wall clock of the zone at an instant. A wall clock is the instant that has the same digits in UTC. */
export function wallClockAt(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone);
}

/** The instant of a wall clock in the zone: the first where it occurs twice, `undefined` if it never occurs. */
export function findInstant(wallClock: number, timeZone: string): number | undefined {
  const day = 86_400_000;
  const offsets = [offsetAt(wallClock - day, timeZone), offsetAt(wallClock + day, timeZone)];
  const instants = offsets.map((offset) => wallClock - offset).toSorted((a, b) => a - b);
  return instants.find((instant) => wallClockAt(instant, timeZone) === wallClock);
}

// `GMT`, `GMT+02:00`, `GMT-07:52:58`
function offsetAt(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const parts = formatFor(timeZone).formatToParts(instant);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(name) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}
