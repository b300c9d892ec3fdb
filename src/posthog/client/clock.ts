/** Time as the client sees it: a value that is passed in, so that pace and retries can be tested without waiting. */

import { pause, startTimer, type Timer } from '../../base/timer.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends an attempt that gets no answer. Default: in real time. */
  readonly startTimer?: (ms: number, onTime: () => void) => Timer;
}

/** Counts from the start of the process, so that setting the machine's clock back lengthens no pause. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: pause,
  startTimer,
};

/** What a request waits for that can still be sent once a run is being stopped. */
const LONGEST_WAIT_ONCE_STOPPED_MS = 1000;

/**
 * Whether the wait was sat out. `signal` ends it at once, `stop` only where much of it is left: a look-up that tells what
 * became of a write is worth a moment, and never the pause of a spent budget.
 */
export async function waitOut(clock: Clock, ms: number, { signal, stop }: Patience): Promise<boolean> {
  const until = clock.now() + ms;
  if (!stop?.aborted) await sleepUnlessAborted(clock, ms, eitherOf(signal, stop));
  if (stop?.aborted) {
    const left = until - clock.now();
    if (left > LONGEST_WAIT_ONCE_STOPPED_MS) return false;
    if (left > 0) await sleepUnlessAborted(clock, left, signal);
  }
  return !signal?.aborted;
}

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly stop?: AbortSignal | undefined;
}

function eitherOf(signal: AbortSignal | undefined, stop: AbortSignal | undefined): AbortSignal | undefined {
  return signal === undefined || stop === undefined ? (signal ?? stop) : AbortSignal.any([signal, stop]);
}

/** Sleeps, and returns early when the signal aborts: the caller asks the signal what that means. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
