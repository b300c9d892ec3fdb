/** The local time of an IANA time zone at a moment. */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type Weekday = (typeof WEEKDAYS)[number];

export interface LocalTime {
  readonly weekday: Weekday;
  /** `2026-12-20`. */
  readonly date: string;
  /** `16:00`. */
  readonly time: string;
}

/** `now`: milliseconds since 1970. `zone`: one that `isTimeZone` knows. */
export function localTime(now: number, zone: string): LocalTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const weekday = WEEKDAYS.find((day) => part('weekday').toLowerCase().startsWith(day)) ?? 'mon';
  return {
    weekday,
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  };
}

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made = FORMATS.get(timeZone);
  if (made !== undefined) return made;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  });
  FORMATS.set(timeZone, format);
  return format;
}
