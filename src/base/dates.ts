/** Days of the calendar in the files of permits and of known drift. */

/** `2026-02-30` has the form of a date and is none. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
