/** Time that passes when a test says so. Sockets go on as usual. */

import { onTestFinished, vi } from 'vitest';

export interface HeldTimers {
  /** Fires the timers of the next `ms` milliseconds. */
  readonly pass: (ms: number) => void;
}

/** Holds every timer that starts from now on, until the test is finished. */
export function holdTimers(): HeldTimers {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.advanceTimersByTime(ms) };
}

/** Lets everything go on that waits for no timer: some turns of the event loop. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
