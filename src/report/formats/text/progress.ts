/** The progress of a run on one line: changes done and failed, and the time left. */

import type { Change } from '../../../posthog/plan.ts';
import type { Outcome } from '../../../loop/apply/result.ts';
import { changeHead } from '../../model/change.ts';
import { count, wholeSecondsText } from '../../words/amounts.ts';
import type { Palette } from '../../view.ts';
import { phraseText } from './page.ts';

export interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly elapsedMs: number;
  /** The time that requests still wait because the service asked for it; 0 when they do not wait. */
  readonly pausedMs: number;
  /** The reason that the run waits, in words. */
  readonly waitingFor?: string | undefined;
  /** The shortest time in which the request budget allows the rest. */
  readonly leastMs: number;
}

/** `12 of 40 changes · 1 failed · about 8 s left`; the estimate is in whole seconds. */
export function progressText(progress: ProgressState): string {
  const { done, total, failed, elapsedMs, pausedMs, waitingFor, leastMs } = progress;
  const parts = [`${done} of ${count(total, 'change')}`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (waitingFor !== undefined) parts.push(waitingFor);
  // The rate so far, but not less than the request budget allows; unknown while neither is known.
  const atThisRate = done === 0 ? 0 : (elapsedMs / done) * (total - done) + pausedMs;
  const left = done >= total ? 0 : Math.max(atThisRate, leastMs);
  if (left !== 0) parts.push(`about ${wholeSecondsText(left)} left`);
  return parts.join(' · ');
}

/** One finished change for logs: `applied  + create  new-checkout`. */
export function finishedText(change: Change, result: Outcome, palette: Palette): string {
  return `${result.outcome.padEnd(8)} ${phraseText(changeHead(change), { palette })}`;
}
