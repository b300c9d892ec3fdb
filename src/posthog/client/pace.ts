/** The one limiter of all requests: a budget per sliding window, and a pause that all callers share. */

import { performance as eventLoop } from 'node:perf_hooks';
import { pause, startTimer, type Timer } from '../../base/timer.ts';

export interface Pace {
  /**
   * Resolves to true when a request may be sent, and counts it; to false when the caller's patience ends first, or while the pace is closed.
   * `onBudget` is called when it waits for the budget for a second or more.
   */
  take(patience?: Patience, onBudget?: (waitMs: number) => void): Promise<boolean>;
  /** Holds every request back for `ms` milliseconds from now. A shorter pause does not end a longer one. */
  pause(ms: number): void;
  /** Refuses every request, also those that wait, until this time. */
  close(until: number): void;
  /** The time until which it is closed; `undefined` while it is open. */
  closedUntil(): number | undefined;
  /** The least time in milliseconds until this many more requests can have been sent; 0 without a delay. */
  leastMs(requests: number): number;
  /** Milliseconds of pauses so far, including the rest of a pause under way. */
  pausedMs(): number;
}

/** Allows at most `requests` in any `durationMs` milliseconds. */
export interface Window {
  readonly requests: number;
  readonly durationMs: number;
}

export interface PaceOptions {
  readonly windows: readonly Window[];
  readonly clock: Clock;
  readonly random: () => number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Other programs may use the same budget: a run uses this part and leaves the rest to them. */
const SHARE_USED = 0.8;

/** The hour holds ten times the minute, 480 and 4,800 (docs/service.md, "Rate limits"). */
const MINUTES_ALLOWED_PER_HOUR = 10;

/** Callers resume up to this long after the pause ends, a tenth of it at most, and not all at once. */
const LONGEST_WAKE_JITTER_MS = 1000;

/** Shorter waits for the budget are not reported. */
const LEAST_REPORTED_MS = 1000;

/** The hourly allowance. */
export function requestsPerHour(requestsPerMinute: number): number {
  return requestsPerMinute * MINUTES_ALLOWED_PER_HOUR;
}

export function budgetWindows(requestsPerMinute: number): Window[] {
  const window = (requests: number, durationMs: number): Window => ({
    requests: Math.max(1, Math.floor(requests * SHARE_USED)),
    durationMs,
  });
  return [window(requestsPerMinute, MINUTE_MS), window(requestsPerHour(requestsPerMinute), HOUR_MS)];
}

export function createPace(options: PaceOptions): Pace {
  const { windows, clock, random } = options;
  const log = createSendLog(windows);
  let pausedUntil = -Infinity;
  let wakeJitterMs = 0;
  let pausedMs = 0;
  let closed = -Infinity;

  return {
    async take(patience = {}, onBudget) {
      while (!patience.signal?.aborted) {
        const now = clock.now();
        if (now < closed) return false;
        if (now < pausedUntil) {
          if (!(await waitOut(clock, pausedUntil - now + random() * wakeJitterMs, patience))) return false;
          continue;
        }
        const waitMs = log.freeAt(now, 0) - now;
        if (waitMs <= 0) {
          log.record(now);
          return true;
        }
        if (waitMs >= LEAST_REPORTED_MS) onBudget?.(waitMs);
        if (!(await waitOut(clock, waitMs, patience))) return false;
      }
      return false;
    },
    pause(ms) {
      const now = clock.now();
      const until = now + ms;
      if (until <= pausedUntil) return;
      pausedMs += until - Math.max(now, pausedUntil);
      pausedUntil = until;
      wakeJitterMs = Math.min(LONGEST_WAKE_JITTER_MS, ms / 10);
    },
    close(until) {
      closed = Math.max(closed, until);
    },
    closedUntil: () => (clock.now() < closed ? closed : undefined),
    leastMs(requests) {
      if (requests <= 0) return 0;
      const now = clock.now();
      return Math.max(pausedUntil, log.freeAt(now, requests - 1)) - now;
    },
    pausedMs: () => pausedMs,
  };
}

/**
 * Remembers when the last requests were sent, as many as the largest window holds. `freeAt`: the first moment, `now` or later, at which each
 * window has room for one more after `ahead` others.
 */
function createSendLog(windows: readonly Window[]): {
  readonly freeAt: (now: number, ahead: number) => number;
  readonly record: (now: number) => void;
} {
  const size = Math.max(0, ...windows.map((window) => window.requests));
  const times: number[] = [];
  let sent = 0;
  return {
    freeAt(now, ahead) {
      return Math.max(now, ...windows.map((window) => freeIn(window, now, ahead)));
    },
    record(now) {
      if (size === 0) return;
      times[sent % size] = now;
      sent += 1;
    },
  };

  /** A request is sent `durationMs` after the one whose slot it takes, which in turn follows its own predecessor. */
  function freeIn({ requests, durationMs }: Window, now: number, ahead: number): number {
    const index = sent - requests + (ahead % requests);
    const before = index < 0 ? undefined : times[index % size];
    const first = before === undefined ? now : Math.max(now, before + durationMs);
    return first + Math.floor(ahead / requests) * durationMs;
  }
}

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
  const either = signal !== undefined && stop !== undefined ? AbortSignal.any([signal, stop]) : (signal ?? stop);
  if (!stop?.aborted) await sleepUnlessAborted(clock, ms, either);
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

/** Sleeps, and returns early when the signal aborts; the caller checks the signal. */
export async function sleepUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
