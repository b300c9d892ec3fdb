/** The words for the snapshot that a plan was made against. */

import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { count } from './count.ts';
import { timeText } from './time.ts';

/** `Made against a snapshot of 2026-01-31 12:00:00 UTC, 3 hours old: …` */
export function againstText({ taken_at: takenAt, age_seconds: seconds }: Against): string {
  const age = `${isInFuture(seconds) ? 'which is ' : ''}${ageText(seconds)}`;
  return `Made against a snapshot of ${timeText(takenAt)}, ${age}: what changed in the project since then is missing here.`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Clocks differ by less. */
const TOLERATED = 5 * MINUTE;

/** Whether a snapshot is of a later time than now. */
export function isInFuture(seconds: number): boolean {
  return seconds < -TOLERATED;
}

/** `3 hours old`: in the largest unit of which there are at least two. */
export function ageText(seconds: number): string {
  if (isInFuture(seconds)) return 'in the future by the clock of this machine';
  const [name, unit] = UNITS.find((one) => seconds >= 2 * one[1]) ?? ['second', 1];
  return `${count(Math.max(0, Math.floor(seconds / unit)), name)} old`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];
