/** Whether a failed attempt is repeated, and after how long. Pure: time and chance are passed in. */

import { isRetried } from './failure-table.ts';
import type { Failure } from './failure.ts';

/**
 * When a request may be sent again.
 * - `freely`: it changes nothing.
 * - `unless_sent`: it writes; only when the service certainly did not carry it out.
 * - `until_gone`: it removes; a second removal finds nothing and does no harm.
 */
export type Repeat = 'freely' | 'unless_sent' | 'until_gone';

export interface FailedAttempt {
  readonly failure: Failure;
  readonly repeat: Repeat;
  /** The request was sent and no definite refusal came back. */
  readonly ambiguous: boolean;
  /** Failures of this call so far, this one included, without those by 429. */
  readonly failures: number;
  /** Answers 429 to this call so far, this one included. */
  readonly throttles: number;
  /** Since the call began. */
  readonly elapsedMs: number;
  /** What the answer asks for (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
}

export interface RetryLimits {
  /** Attempts that may fail for another reason than 429. */
  readonly attempts: number;
  /** How long 429 is waited out; infinite when a signal decides. */
  readonly throttledMs: number;
}

export type RetryDecision =
  | { readonly kind: 'give_up' }
  /** Only this call waits. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Every call of the client waits. */
  | { readonly kind: 'pause'; readonly ms: number };

export const DEFAULT_ATTEMPTS = 5;
export const LONGEST_THROTTLE_MS: number = 30 * 60_000;

const BASE_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** A 503 may name a moment; a later one than this is not worth a held-up run. */
const LONGEST_ASKED_MS = 60_000;

export function decideRetry(attempt: FailedAttempt, limits: RetryLimits, random: () => number): RetryDecision {
  if (attempt.failure.kind === 'rate_limited') return decidePause(attempt, limits, random);
  if (!isRetried(attempt.failure) || attempt.failures >= limits.attempts) return { kind: 'give_up' };
  if (attempt.ambiguous && attempt.repeat === 'unless_sent') return { kind: 'give_up' };
  const asked = Math.min(attempt.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return { kind: 'wait', ms: Math.max(asked, backoffMs(attempt.failures, random)) };
}

/** A request answered with 429 was not carried out, so it is repeated whatever it does. */
function decidePause(attempt: FailedAttempt, limits: RetryLimits, random: () => number): RetryDecision {
  const asked = attempt.retryAfterMs ?? 0;
  const ms = asked > 0 ? asked : backoffMs(attempt.throttles, random);
  return attempt.elapsedMs + ms > limits.throttledMs ? { kind: 'give_up' } : { kind: 'pause', ms };
}

/** Doubles with each failure up to a bound; one half of it is left to chance. */
function backoffMs(failures: number, random: () => number): number {
  const longest = Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1));
  return longest * (0.5 + random() / 2);
}
