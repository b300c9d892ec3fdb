/** Moments as the service reads and writes them: a time without an offset is UTC, in any local time zone. */

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** One form of all spellings of a moment, to the microsecond; `undefined` for any other string. */
export function instantText(text: string): string | undefined {
  const parts = DATE_TIME.exec(text.trim());
  if (parts === null) return undefined;
  const [, day = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = parts;
  const moment = Date.parse(`${day}T${minute}:${second}${zoneOf(zone)}`);
  if (Number.isNaN(moment) || !existsDay(day)) return undefined;
  const microseconds = fraction.replace(/0+$/, '');
  return new Date(moment).toISOString().replace('.000Z', microseconds === '' ? 'Z' : `.${microseconds}Z`);
}

/** `Z`, `+05`, `+0530` and `+05:30` as JavaScript reads them. */
export function zoneOf(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** JavaScript reads 31 February as 2 March. */
function existsDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));
}
