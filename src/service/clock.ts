/** Time as the client sees it: a value that is passed in, so that pace and retries can be tested without waiting. */

import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait that a timer of Node can hold; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Counts from the start of the process, so that setting the machine's clock back lengthens no pause. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) =>
    delay(Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), undefined, signal === undefined ? {} : { signal }),
};

/** Sleeps, and returns early when the signal aborts: the caller asks the signal what that means. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
