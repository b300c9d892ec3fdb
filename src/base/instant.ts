/** Reads a time that has the offset of its time zone: `2026-12-01T09:00+01:00`. */

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
