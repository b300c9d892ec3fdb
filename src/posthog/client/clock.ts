/** The client's clock, passed in so that pace and retries can be tested without waiting. */

import { performance as eventLoop } from 'node:perf_hooks';
import { pause, startTimer, type Timer } from '../../base/timer.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Milliseconds for which this process has computed so far. Default: none. */
  readonly busyMs?: () => number;
  /** Aborts an attempt that gets no answer. Default: in real time. */
  readonly startTimer?: (ms: number, onTime: () => void) => Timer;
}

/** Monotonic: setting the machine's clock back does not lengthen a pause. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: pause,
  busyMs: () => eventLoop.eventLoopUtilization().active,
  startTimer,
};

/** The longest wait that continues after `stop`. */
const LONGEST_WAIT_ONCE_STOPPED_MS = 1000;

/**
 * Whether the wait was completed. `signal` ends it at once, `stop` only where much of it is left: a look-up after a write
 * is worth a moment, but not the pause of a spent budget.
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

/** Sleeps, and returns early when the signal aborts; the caller checks the signal. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
