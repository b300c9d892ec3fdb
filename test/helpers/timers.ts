/** Timers under the control of a test. Sockets work as usual. */

import { onTestFinished, vi } from 'vitest';

export interface HeldTimers {
  /** Fires the timers that are due within `ms` milliseconds. */
  readonly pass: (ms: number) => void;
}

/** Holds every timer that starts from now until the end of the test. */
export function holdTimers(): HeldTimers {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.advanceTimersByTime(ms) };
}

/** Runs some turns of the event loop, for work that waits for no timer. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
