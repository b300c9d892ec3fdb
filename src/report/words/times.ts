/** The sentences about times, durations, the age of a snapshot, and the cost of an apply. */

import { escapeLine } from '../escape.ts';
import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { count } from './amounts.ts';
import type { Forecast } from '../../engine/forecast.ts';

/** `2026-01-31 12:00:00 UTC`; any other string is shown unchanged. */
export function timeText(time: string): string {
  return escapeLine(time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC'));
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An estimated duration in whole seconds: `9 s`, never less than one second. */
export function wholeSecondsText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** `Made against a snapshot of 2026-01-31 12:00:00 UTC, 3 hours old: …` */
export function againstText({ taken_at: takenAt, age_seconds: seconds }: Against): string {
  const age = `${isInFuture(seconds) ? 'which is ' : ''}${ageText(seconds)}`;
  return `Made against a snapshot of ${timeText(takenAt)}, ${age}: what changed in the project since then is missing here.`;
}

export function otherTimeText(at: string): string {
  return `As planned for ${timeText(at)}, if each step is made when it is due and nobody changes anything else: it is not applied.`;
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

/** `3 hours old`. */
export function ageText(seconds: number): string {
  if (isInFuture(seconds)) return 'in the future by the clock of this machine';
  return `${spanText(Math.max(0, seconds))} old`;
}

/** `3 hours`: in the largest unit of which there are at least two. */
export function spanText(seconds: number): string {
  const [name, unit] = UNITS.find((one) => seconds >= 2 * one[1]) ?? ['second', 1];
  return count(Math.floor(seconds / unit), name);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];

/** `Applying takes 37 requests, about 9 s, 0.8% of the hourly budget.` */
export function forecastText({ requests, seconds, hour_percent: share }: Forecast): string {
  const time = seconds < 1 ? [] : [`about ${wholeSecondsText(seconds * 1000)}`];
  const budget = share === undefined ? [] : [`${share < 0.1 ? 'less than 0.1' : share}% of the hourly budget`];
  return `Applying takes ${[count(requests, 'request'), ...time, ...budget].join(', ')}.`;
}
