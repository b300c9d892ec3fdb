/** Whether and when a failed attempt is repeated. Pure: time and randomness are passed in. */

import { isRetried } from './failure-table.ts';
import type { Failure } from './failure.ts';

/**
 * When a request may be sent again.
 * - `freely`: it changes nothing.
 * - `unless_sent`: it writes; only when the service certainly did not execute it.
 * - `until_gone`: it removes; a second removal finds nothing and does no harm.
 */
export type Repeat = 'freely' | 'unless_sent' | 'until_gone';

export interface FailedAttempt {
  readonly failure: Failure;
  readonly repeat: Repeat;
  /** The request was sent, and the answer is no definite refusal. */
  readonly ambiguous: boolean;
  /** Failures of this call so far, including this one, without answers 429. */
  readonly failures: number;
  /** The number of answers 429 to this call, including this one. */
  readonly throttles: number;
  /** The time since the start of the call. */
  readonly elapsedMs: number;
  /** The wait in the answer (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
}

export interface RetryLimits {
  /** The most attempts that may fail for another reason than 429. */
  readonly attempts: number;
  /** The longest wait of the call after 429; infinite when a signal decides. */
  readonly throttledMs: number;
}

export type RetryDecision =
  | { readonly kind: 'give_up' }
  /** The call waits alone. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Every call of the client waits. */
  | { readonly kind: 'pause'; readonly ms: number };

export const DEFAULT_ATTEMPTS = 5;
export const LONGEST_THROTTLE_MS: number = 30 * 60_000;

const BASE_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** The longest wait that a 503 can ask for. */
const LONGEST_ASKED_MS = 60_000;

export function decideRetry(attempt: FailedAttempt, limits: RetryLimits, random: () => number): RetryDecision {
  if (attempt.failure.kind === 'rate_limited') return decidePause(attempt, limits, random);
  if (!isRetried(attempt.failure) || attempt.failures >= limits.attempts) return { kind: 'give_up' };
  if (attempt.ambiguous && attempt.repeat === 'unless_sent') return { kind: 'give_up' };
  const asked = Math.min(attempt.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return { kind: 'wait', ms: Math.max(asked, backoffMs(attempt.failures, random)) };
}

/** The service did not execute a request that it answered with 429, so any request is repeated. */
function decidePause(attempt: FailedAttempt, limits: RetryLimits, random: () => number): RetryDecision {
  const asked = attempt.retryAfterMs ?? 0;
  const ms = asked > 0 ? asked : backoffMs(attempt.throttles, random);
  return attempt.elapsedMs + ms > limits.throttledMs ? { kind: 'give_up' } : { kind: 'pause', ms };
}

/** Doubles with each failure up to a limit; half of it is random. */
function backoffMs(failures: number, random: () => number): number {
  const longest = Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1));
  return longest * (0.5 + random() / 2);
}
