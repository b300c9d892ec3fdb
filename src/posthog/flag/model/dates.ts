/**
 * The dates that the service's evaluation reads (docs/evaluation.md, "Dates"), and those that its check of a write accepts: two readers with
 * different ideas.
 */

import { memberOf } from '../../../base/json.ts';

/** `yy`: a year of two digits is in 1970 to 2069. `b`: the name of a month. `p`: am or pm. `z`: an offset or a zone. */
const PARTS: Readonly<Record<string, string>> = {
  Y: String.raw`(?<y>\d{4})`,
  y: String.raw`(?<y>\d{2,4})`,
  yy: String.raw`(?<yy>\d{2,4})`,
  M: String.raw`(?<m>\d{2})`,
  m: String.raw`(?<m>\d{1,2})`,
  D: String.raw`(?<d>\d{2})`,
  d: String.raw`(?<d>\d{1,2})`,
  b: String.raw`(?<b>[A-Za-z]{3,9})`,
  time: String.raw`(?<H>\d{1,2}):(?<I>\d{2})(?::(?<S>\d{2}))?`,
  fine: String.raw`(?<H>\d{1,2}):(?<I>\d{2})(?::(?<S>\d{2})(?<f>\.\d{1,9})?)?`,
  half: String.raw`(?:\s*(?<p>am|pm|AM|PM))?`,
  zone: String.raw`(?<z>[+,\-./:a-zA-Z0-9]{3,6})`,
};

type DateReader = 'project' | 'utc';

/** Tried one after the other; `_` is white space. What the first rows read has the time zone of the project where it names none, all else has UTC. */
const FORMATS: readonly (readonly [pattern: RegExp, reader: DateReader])[] = [
  row('{Y}-{M}-{D}[Tt ](?<H>\\d{2}):(?<I>\\d{2}):(?<S>\\d{2})(?<f>\\.\\d+)?(?<z>[Zz]|[+-]\\d{2}:\\d{2})', 'project'),
  row('(?:_)?(?<y>\\d{1,4})-{m}-{d}(?<midnight>)', 'project'),
  row('(?:_)?(?<y>\\d{1,4})-{m}-{d}(?:T|_)(?<H>\\d{1,2}):(?<I>\\d{1,2})(?::(?<S>\\d{1,2})(?<f>\\.\\d+)?)?', 'project'),
  row('(?<seconds>\\d{10}|\\d{13}|\\d{19})'),
  row('(?:(?<w>[A-Za-z]{3}),_)?{d}_(?<b>[A-Za-z]{3})_{Y}_{time}_(?<z>[A-Za-z]+|[+-]\\d{4})'),
  row('{Y}-{M}-{D}_{fine}(?<z>[+-]\\d{2}(?::?\\d{2})?)'),
  row('{Y}-{M}-{D}_{time}{half}'),
  row('{Y}-{M}-{D}_{fine}(?:_)?{zone}'),
  row('{Y}-{M}-{D}(?:_)?{zone}'),
  row('{time}{half}(?:_{zone})?'),
  row('{Y}-{b}-{D}'),
  row('(?<b>[A-Za-z]{3})_{d}(?:_)?at_(?<H>\\d{1,2}):(?<I>\\d{2})(?:_)?(?<p>am|pm|AM|PM)'),
  row('(?<b>[A-Za-z]{3})_{d}_(?<H>\\d{1,2}):(?<I>\\d{2}):(?<S>\\d{2})'),
  row('{b}\\.?_{d},_{y},?_{time}{half}'),
  row('{b}_{d},?_{Y}(?:_)?,?(?:at)?_{time}{half}_{zone}'),
  row('{b}\\.?_{d},_{yy}'),
  row('{d}_{b}_{y},?_{fine}'),
  row('{d}_{b}_{yy}'),
  row('{m}/{d}/{yy}_{fine}{half}'),
  row('{m}/{d}/{yy}'),
  row('{Y}/{m}/{d}_{fine}{half}'),
  row('{Y}/{m}/{d}'),
  row('{m}\\.{d}\\.{yy}'),
  row('{Y}\\.{m}(?:\\.{d})?'),
  row('(?<yy>\\d{2}){M}{D}_(?<H>\\d{2}):(?<I>\\d{2}):(?<S>\\d{2})'),
  row('{Y}年{M}月{D}日(?:(?<H>\\d{2})时(?<I>\\d{2})分(?<S>\\d{2})秒)?'),
];

function row(format: string, reader: DateReader = 'utc'): readonly [RegExp, DateReader] {
  const source = format
    .replaceAll(/\{([A-Za-z]+)\}/g, (_, name: string) => memberOf(PARTS, name) ?? '')
    .replaceAll('_', String.raw`\s+`);
  return [new RegExp(`^${source}$`), reader];
}

export interface ReadDate {
  /** Absent: today, or this year or day. */
  readonly year?: number;
  /** Counted from 1. */
  readonly month?: number;
  readonly day?: number;
  /** Milliseconds since midnight. Absent: the time of day at the moment of the evaluation. */
  readonly time?: number;
  /** Minutes east of UTC. */
  readonly offset?: number;
  readonly reader: DateReader;
}

/** The parts of a date as evaluation reads it, or its milliseconds since 1970; `undefined` for what it cannot read. */
export function readDate(text: string): ReadDate | number | undefined {
  for (const [pattern, reader] of FORMATS) {
    const groups = pattern.exec(text)?.groups;
    const read = groups && readParts(groups, reader);
    if (read !== undefined) return read;
  }
  return undefined;
}

type DateGroups = Readonly<Record<string, string | undefined>>;

function readParts(
  { y, yy, m, b, d, H, I, S, f, p, z, w, seconds, midnight }: DateGroups,
  reader: DateReader,
): ReadDate | number | undefined {
  if (seconds !== undefined) return Number(seconds) / 10 ** (seconds.length - 13);
  const month = b === undefined ? numberOf(m) : indexIn(MONTHS, b.toLowerCase());
  const year = numberOf(y) ?? (yy?.length === 2 ? Number(yy) + (Number(yy) < 70 ? 2000 : 1900) : numberOf(yy));
  const hour = p === undefined ? numberOf(H) : hourOf(Number(H), p);
  const offset = z === undefined ? undefined : offsetOf(z);
  const isWrong =
    (b !== undefined && month === undefined) ||
    (month !== undefined && !exists(year ?? 2000, month, numberOf(d) ?? 1)) ||
    (H !== undefined && !(hour !== undefined && hour < 24 && Number(I) < 60 && Number(S ?? 0) < 61)) ||
    (z !== undefined && offset === undefined) ||
    (w !== undefined && weekdayOf(w) !== dateOf(year ?? 0, month ?? 0, Number(d)).getUTCDay());
  if (isWrong) return undefined;
  const clock =
    hour === undefined ? undefined : (hour * 60 + Number(I)) * 60_000 + (Number(S ?? 0) + Number(f ?? 0)) * 1000;
  const parts = { year, month, day: numberOf(d), time: midnight === undefined ? clock : 0, offset };
  return { ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)), reader };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function hourOf(hour: number, half: string): number | undefined {
  return hour >= 1 && hour <= 12 ? (hour % 12) + (/^p/i.test(half) ? 12 : 0) : undefined;
}

function dateOf(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

function exists(year: number, month: number, day: number): boolean {
  const date = dateOf(year, month, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekdayOf(name: string): number {
  return (indexIn(WEEKDAYS, name.toLowerCase()) ?? 0) - 1;
}

/** Counted from 1; the first three letters, or all. */
function indexIn(names: readonly string[], name: string): number | undefined {
  const index = names.findIndex((one) => one === name || one.slice(0, 3) === name);
  return index === -1 ? undefined : index + 1;
}

/** Hours west of UTC; any other name is UTC. */
const ZONES: Readonly<Record<string, number>> = { edt: 4, est: 5, cdt: 5, cst: 6, mdt: 6, mst: 7, pdt: 7, pst: 8 };

function offsetOf(zone: string): number | undefined {
  const [name] = /^[A-Za-z]+/.exec(zone) ?? [];
  if (name !== undefined && !zone.includes(':')) return -60 * (memberOf(ZONES, name.toLowerCase()) ?? 0);
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?([0-5]\d)?$/.exec(zone) ?? [];
  return sign === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The words that the check of a write knows beside the names of months, days and time zones. */
const WORDS = new Set(
  'sept tues wednes thur thurs h hour hours m minute minutes s second seconds a am p pm at on and ad t of st nd rd th z utc gmt'.split(
    ' ',
  ),
);

/**
 * Whether the check of a write probably accepts the text as a date: it takes numbers, names and separators in nearly any order, so only what
 * is surely none is not accepted.
 */
export function isAcceptedDate(text: string): boolean {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  const isKnown = (word: string): boolean =>
    WORDS.has(word.toLowerCase()) || isDayOrMonth(word) || (/^[A-Z]{2,5}$/.test(word) && /\d:\d/.test(text));
  const [, year, month = '', day = '1'] = /^(\d{4})-(\d{2})(?:-(\d{2}))?(?!\d)/.exec(text) ?? [];
  return (
    !/[^\sA-Za-z0-9.,;\-/':+]/.test(text) &&
    words.every(isKnown) &&
    (/\d/.test(text) || words.some(isDayOrMonth)) &&
    ![...text.matchAll(/(\d+):(\d+)/g)].some(([, hour, minute]) => Number(hour) > 23 || Number(minute) > 59) &&
    (year === undefined || exists(Number(year), Number(month), Number(day)))
  );
}

function isDayOrMonth(word: string): boolean {
  const name = word.toLowerCase();
  return indexIn(MONTHS, name) !== undefined || indexIn(WEEKDAYS, name) !== undefined;
}
