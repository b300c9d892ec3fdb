/**
 * The time of a rig, independent of the machine's speed: a pause of the client takes no time, and an attempt times out
 * exactly when the service is known to delay it for too long.
 */

import type { Clock } from '../../src/posthog/client/pace.ts';
import type { ServiceEvent } from '../../src/posthog/client/events.ts';
import type { EmbeddedOptions, RequestRecord } from '../../service/src/index.ts';
import { createEvent } from '../helpers/event.ts';
import { turns } from '../helpers/timers.ts';

export interface RigTime {
  readonly clock: Clock;
  readonly now: () => Date;
  /** For the service: its waits. */
  readonly sleep: NonNullable<EmbeddedOptions['sleep']>;
  /** For the client: names the attempt that starts. */
  readonly onEvent: (event: ServiceEvent) => void;
  /** Of the service: an attempt that it leaves without an answer times out. */
  readonly onRequest: (record: RequestRecord) => void;
  /** Lets the service finish the requests that the client gave up, and waits for that. */
  readonly settle: () => Promise<void>;
}

interface Attempt {
  readonly name: string;
  readonly timeoutMs: number;
  readonly onTime: () => void;
  waitedMs: number;
}

type Line = Pick<RequestRecord, 'method' | 'path'>;

export function createRigTime(): RigTime {
  let skippedMs = 0;
  const now = (): number => performance.timeOrigin + performance.now() + skippedMs;
  const attempts = new Set<Attempt>();
  let latest = '';
  const settled = createEvent();
  let hasGivenUp = false;
  const nameOf = ({ method, path }: Line): string => `${method} ${path.split('?')[0]}`;
  const attemptOf = (line: Line): Attempt | undefined => [...attempts].find(({ name }) => name === nameOf(line));

  const runOut = (attempt: Attempt): void => {
    if (!attempts.delete(attempt)) return;
    hasGivenUp = true;
    attempt.onTime();
  };

  return {
    now: () => new Date(now()),
    clock: {
      now,
      sleep: async (ms, signal) => {
        skippedMs += Math.max(0, ms);
        await turns(1);
        signal?.throwIfAborted();
      },
      startTimer: (timeoutMs, onTime) => {
        const attempt = { name: latest, timeoutMs, onTime, waitedMs: 0 };
        attempts.add(attempt);
        return { cancel: () => void attempts.delete(attempt) };
      },
    },
    sleep: async (ms, line) => {
      const attempt = attemptOf(line);
      await turns(1);
      if (attempt === undefined) return;
      attempt.waitedMs += ms;
      if (attempt.waitedMs < attempt.timeoutMs) return;
      runOut(attempt);
      if (ms >= attempt.timeoutMs) await settled.happened;
    },
    onEvent: (event) => {
      if (event.kind === 'request') latest = nameOf(event);
    },
    onRequest: (record) => {
      const attempt = record.status === 0 ? attemptOf(record) : undefined;
      // A connection that was reset ends its attempt by itself.
      if (attempt !== undefined) void turns().then(() => runOut(attempt));
    },
    settle: async () => {
      settled.happen();
      if (hasGivenUp) await turns(100);
      hasGivenUp = false;
    },
  };
}
