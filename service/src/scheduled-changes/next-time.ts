/** The next time of a scheduled change that repeats: an interval of the calendar in UTC, or a cron expression in a time zone. */

import { findInstant, wallClockAt } from '../../../src/evaluation/values/dates.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

const INTERVALS: ReadonlyMap<string, { readonly days?: number; readonly months?: number }> = new Map([
  ['daily', { days: 1 }],
  ['weekly', { days: 7 }],
  ['monthly', { months: 1 }],
  ['yearly', { months: 12 }],
]);

export const INTERVAL_NAMES: readonly string[] = [...INTERVALS.keys()];

/** The last day of a shorter month takes the place of a missing one, and stays. */
export function nextOfInterval(after: Date, interval: string): Date {
  const { days = 0, months = 0 } = INTERVALS.get(interval) ?? { days: 1 };
  const moved = new Date(after);
  moved.setUTCMonth(after.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(after.getUTCDate(), last) + days);
  return moved;
}

/** The least number of days among which every date of the calendar occurs: 29 February once in eight years around 2100. */
const LONGEST_SEARCH_DAYS = 8 * 366;

/** `undefined` for an expression that is invalid or never matches. A time that a zone skips comes an hour later. */
export function nextOfCron(expression: string, after: Date, zone = 'UTC'): Date | undefined {
  const cron = parseCron(expression);
  if (cron === undefined) return undefined;
  const timeZone = isZone(zone) ? zone : 'UTC';
  const first = Math.floor(wallClockAt(after.getTime(), timeZone) / DAY_MS);
  for (let day = first; day < first + LONGEST_SEARCH_DAYS; day += 1) {
    const found = matchesDay(cron, new Date(day * DAY_MS)) ? timesOf(cron, day * DAY_MS, timeZone) : [];
    const next = found.find((instant) => instant > after.getTime());
    if (next !== undefined) return new Date(next);
  }
  return undefined;
}

/** `wallClock`: the start of the day. */
function timesOf({ hours, minutes }: Cron, wallClock: number, timeZone: string): number[] {
  return hours
    .flatMap((hour) => minutes.map((minute) => wallClock + hour * HOUR_MS + minute * MINUTE_MS))
    .map((time) => findInstant(time, timeZone) ?? findInstant(time + HOUR_MS, timeZone) ?? time);
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** Both fields of days are limited: a day of either matches. */
  readonly isEitherDay: boolean;
}

function matchesDay({ days, months, weekdays, isEitherDay }: Cron, day: Date): boolean {
  if (!months.includes(day.getUTCMonth() + 1)) return false;
  const matches = [days.includes(day.getUTCDate()), weekdays.includes(day.getUTCDay())];
  return isEitherDay ? matches.includes(true) : !matches.includes(false);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface CronField {
  readonly from: number;
  readonly to: number;
  /** Names of the numbers from `from`. */
  readonly names?: readonly string[];
}

const FIELDS: readonly CronField[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: MONTHS },
  { from: 0, to: 7, names: WEEKDAYS },
];

function parseCron(expression: string): Cron | undefined {
  const texts = expression.trim().split(/\s+/);
  const parsed = FIELDS.map((field, index) => parseField(texts[index] ?? '', field));
  const [minutes, hours, days, months, weekdays] = parsed;
  if (texts.length !== FIELDS.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const isEitherDay = !texts[2]?.startsWith('*') && !texts[4]?.startsWith('*');
  // Sunday is both 0 and 7.
  return { minutes, hours, days, months, weekdays: weekdays.map((day) => day % 7), isEitherDay };
}

/** Sorted; `undefined` if it is invalid. */
function parseField(text: string, field: CronField): readonly number[] | undefined {
  const parts = text.split(',').map((part) => parsePart(part, field));
  if (parts.includes(undefined)) return undefined;
  return [...new Set(parts.flatMap((part) => part ?? []))].toSorted((a, b) => a - b);
}

/** `*`, `5`, `1-5`, each with or without a step, `/2`. */
function parsePart(text: string, { from, to, names = [] }: CronField): readonly number[] | undefined {
  const [, range = '', step = '1'] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(text.toLowerCase()) ?? [];
  const [first = '', last = first, ...more] = range === '*' ? [String(from), String(to)] : range.split('-');
  const numberOf = (word: string): number =>
    names.includes(word) ? from + names.indexOf(word) : /^\d{1,2}$/.test(word) ? Number(word) : NaN;
  const start = numberOf(first);
  const isOpen = last === first && text.includes('/') && !range.includes('-');
  const end = isOpen ? to : numberOf(last);
  if (more.length > 0 || !(start >= from && end <= to && start <= end) || Number(step) === 0) return undefined;
  return Array.from({ length: end - start + 1 }, (_, index) => start + index).filter(
    (number) => (number - start) % Number(step) === 0,
  );
}
