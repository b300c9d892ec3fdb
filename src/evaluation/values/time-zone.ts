/**
 * Converts between wall clocks and instants. An instant is milliseconds since 1970 in UTC, with fractions; a wall clock
 * is the instant that has the same digits in UTC.
 */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall clock of the zone at an instant. */
export function wallClockAt(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone);
}

/** The instant of a wall clock in the zone: the first where it occurs twice, `undefined` where it never occurs. */
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
