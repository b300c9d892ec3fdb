/** Durations as the service writes them: `14 00:00:00`, days before hours, minutes and seconds. */

import { plainText } from '../../../src/base/json-text.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { invalid } from '../handler/envelope.ts';

const FORM = /^(?:(\d{1,6}) )?(?:(?:(\d{1,6}):)?(\d{1,6}):)?(\d{1,9})$/;
const DAY_S = 24 * 60 * 60;

export const TWO_WEEKS = '14 00:00:00';

/** The form of the service for a duration of a request; a number is one of seconds. Throws a 400 for anything else. */
export function readDuration(value: JsonValue, name: string): string {
  const seconds = secondsOf(value);
  if (seconds === undefined) throw invalid('invalid_input', 'Duration has the wrong format.', name);
  const pad = (part: number): string => String(Math.floor(part)).padStart(2, '0');
  const days = Math.floor(seconds / DAY_S);
  const clock = `${pad((seconds % DAY_S) / 3600)}:${pad((seconds % 3600) / 60)}:${pad(seconds % 60)}`;
  return days === 0 ? clock : `${days} ${clock}`;
}

/** The length of a valid duration. */
export function durationMs(value: JsonValue): number {
  return (secondsOf(value) ?? 0) * 1000;
}

function secondsOf(value: JsonValue): number | undefined {
  const parts = FORM.exec(plainText(value));
  if (parts === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return days * DAY_S + hours * 3600 + minutes * 60 + seconds;
}
