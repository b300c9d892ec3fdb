/** A time of the service or of a journal, for people. */

import { escapeLine } from '../escape.ts';

/** `2026-01-31 12:00:00 UTC`; any other string is shown unchanged. */
export function timeText(time: string): string {
  return escapeLine(time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC'));
}
