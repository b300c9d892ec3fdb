/** One line about a run under way: how many are done, how many failed, how long it may take. */

import type { Change } from '../plan/plan.ts';
import type { Outcome } from '../apply/result.ts';
import { changeHead } from './change-text.ts';
import { durationText } from './duration-text.ts';
import { PLAIN, type Palette } from './style.ts';
import { count } from './count.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly elapsedMs: number;
  /** How long every request still has to wait for the service's sake; 0 when none does. */
  readonly pausedMs: number;
}

/** `12 of 40 changes · 1 failed · about 8 s left`; the estimate is in whole seconds. */
export function progressText(progress: Progress): string {
  const parts = [`${progress.done} of ${count(progress.total, 'change')}`];
  if (progress.failed > 0) parts.push(`${progress.failed} failed`);
  if (progress.pausedMs > 0) parts.push(`waiting ${secondsText(progress.pausedMs)} for the service`);
  const left = timeLeft(progress);
  if (left !== undefined) parts.push(`about ${secondsText(left)} left`);
  return parts.join(' · ');
}

function secondsText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** From the rate so far; unknown until something is done and when all is done. */
function timeLeft({ done, total, elapsedMs, pausedMs }: Progress): number | undefined {
  if (done === 0 || done >= total) return undefined;
  return (elapsedMs / done) * (total - done) + pausedMs;
}

/** One change that was just finished, for logs: `applied  + create  new-checkout`. */
export function finishedText(change: Change, result: Outcome, palette: Palette = PLAIN): string {
  return `${result.outcome.padEnd(8)} ${changeHead(change, palette)}`;
}
