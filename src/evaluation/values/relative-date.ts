/** Reads `-7d` and `7d`, a time before now on the project's wall clock. */

type Unit = 'h' | 'd' | 'w' | 'm' | 'y';

const RELATIVE = /^-?(\d+)([hdwmy])$/;
const LIMIT = 10_000;
const HOUR = 3_600_000;
const FIXED: Readonly<Record<'h' | 'd' | 'w', number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/**
 * The wall clock at that time before `now`, itself a wall clock; `undefined` for a string that is not a relative date.
 */
export function parseRelativeDate(text: string, now: number): number | undefined {
  const match = RELATIVE.exec(text);
  if (match === null) return undefined;
  const [amount, unit] = [Number(match[1]), match[2] as Unit];
  if (amount >= LIMIT) return undefined;
  return unit === 'm' || unit === 'y' ? subtractMonths(now, amount, unit) : now - amount * FIXED[unit];
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
