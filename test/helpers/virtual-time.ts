/** Time for a client and its service that passes only if every caller sleeps and no request is in flight. */

import type { Clock } from '../../src/posthog/client/pace.ts';
import type { ServiceEvent } from '../../src/posthog/client/events.ts';
import { turns } from './timers.ts';

export interface VirtualTime {
  readonly clock: Clock;
  readonly now: () => Date;
  /** For the client: counts the requests in flight. */
  readonly onEvent: (event: ServiceEvent) => void;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export function createVirtualTime(): VirtualTime {
  const sleepers = new Set<Sleeper>();
  let nowMs = Date.UTC(2026, 0, 1);
  let inFlight = 0;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (sleepers.size > 0) {
      // Everything that needs no time happens first.
      await turns(5);
      if (inFlight > 0) continue;
      const [next] = [...sleepers].sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      nowMs = Math.max(nowMs, next.at);
      sleepers.delete(next);
      next.wake();
    }
    isRunning = false;
  }

  return {
    now: () => new Date(nowMs),
    clock: {
      now: () => nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const sleeper = { at: nowMs + Math.max(0, ms), wake: resolve };
          sleepers.add(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers.delete(sleeper);
            reject(signal.reason as Error);
          });
          if (!isRunning) void run();
        }),
    },
    onEvent: ({ kind }) => {
      if (kind === 'request') inFlight += 1;
      else if (kind === 'response') inFlight -= 1;
    },
  };
}
