/** Days and moments as people read them: with the weekday, in UTC. Pure, and without imports: the script of the catalog uses it too. */

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

/** `2026-12-01`, of a time or a day in ISO 8601; `undefined` of any other text. */
export const dayOf: (time: string) => string | undefined = remembered((time) => {
  const at = /^\d{4}-\d\d-\d\d(?:T|$)/.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? undefined : isoDay(at);
});

/** `Tue 1 Dec 2026`. What is no time is returned as it is. */
export const dayText: (time: string) => string = remembered((time) => {
  const day = dayOf(time);
  return day === undefined ? time : withYear(day);
});

function withYear(day: string): string {
  return `${shortDayText(day)} ${day.slice(0, 4)}`;
}

/** `Tue 1 Dec`. */
export function shortDayText(day: string): string {
  const date = new Date(day);
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** `Tue 1 Dec 2026 09:00 UTC`; of a day without a time, the day. */
export const momentText: (time: string) => string = remembered((time) => {
  const day = dayOf(time);
  if (day === undefined) return time;
  return time.includes('T') ? `${withYear(day)} ${timeOfDay(time)}` : withYear(day);
});

/** `09:00 UTC`; empty for a day without a time. */
export function clockText(time: string): string {
  return dayOf(time) === undefined || !time.includes('T') ? '' : timeOfDay(time);
}

function timeOfDay(time: string): string {
  return `${new Date(time).toISOString().slice(11, 16)} UTC`;
}

export function daysAfter(day: string, days: number): string {
  return isoDay(Date.parse(day) + days * DAY_MS);
}

/** Of the week of a day. */
export function mondayOf(day: string): string {
  return daysAfter(day, -((new Date(day).getUTCDay() + 6) % 7));
}

/** How many days the second is after the first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** What changed so long before is not shown as recent. */
export const LATELY_DAYS = 14;

/** Keeps a few answers: one commit has changed many flags, all at its time. */
function remembered<Answer>(make: (time: string) => Answer): (time: string) => Answer {
  const known = new Map<string, Answer>();
  return (time) => {
    if (known.has(time)) return known.get(time) as Answer;
    if (known.size === MOST_KNOWN) known.clear();
    const answer = make(time);
    known.set(time, answer);
    return answer;
  };
}

const MOST_KNOWN = 64;
