/** One line about a run under way: how many are done, how many failed, how long it may take. */

import type { Change } from '../../../posthog/plan.ts';
import type { Outcome } from '../../../apply/result.ts';
import { changeHead } from './change.ts';
import { wholeSecondsText } from '../../words/duration.ts';
import { PLAIN, type Palette } from '../../view.ts';
import { count } from '../../words/count.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly elapsedMs: number;
  /** How long every request still has to wait for the service's sake; 0 when none does. */
  readonly pausedMs: number;
  /** The least time that the request budget lets the rest take. */
  readonly leastMs: number;
}

/** `12 of 40 changes · 1 failed · about 8 s left`; the estimate is in whole seconds. */
export function progressText(progress: Progress): string {
  const parts = [`${progress.done} of ${count(progress.total, 'change')}`];
  if (progress.failed > 0) parts.push(`${progress.failed} failed`);
  if (progress.pausedMs > 0) parts.push(`waiting ${wholeSecondsText(progress.pausedMs)} for the service`);
  const left = timeLeft(progress);
  if (left !== undefined) parts.push(`about ${wholeSecondsText(left)} left`);
  return parts.join(' · ');
}

/** From the rate so far, but never less than the request budget asks for; unknown while neither tells anything. */
function timeLeft({ done, total, elapsedMs, pausedMs, leastMs }: Progress): number | undefined {
  if (done >= total) return undefined;
  const atThisRate = done === 0 ? 0 : (elapsedMs / done) * (total - done) + pausedMs;
  const left = Math.max(atThisRate, leastMs);
  return left === 0 ? undefined : left;
}

/** One change that was just finished, for logs: `applied  + create  new-checkout`. */
export function finishedText(change: Change, result: Outcome, palette: Palette = PLAIN): string {
  return `${result.outcome.padEnd(8)} ${changeHead(change, palette)}`;
}
