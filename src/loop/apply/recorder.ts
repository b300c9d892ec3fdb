/** What an apply reports while it runs: a record of every write before it is sent and of every outcome, and its progress. */

import type { Change } from '../../posthog/plan.ts';
import type { Outcome } from './result.ts';

export interface ApplyRecorder {
  /** Resolves once the record is durable. After a rejection the write is not sent. */
  sending(change: Change): Promise<void>;
  /** Never fails: the write has happened, and the next `sending` reports that the record cannot be kept. */
  settled(change: Change, result: Outcome): void;
}

/** A write was not sent, because it could not be recorded first. */
export class NotRecordedError extends Error {
  override readonly name = 'NotRecordedError';
}

/** A recorder whose failures have a type of their own, and which knows what was sent. */
interface WatchedRecorder extends ApplyRecorder {
  readonly sent: ReadonlySet<string>;
}

/** Every error of the recorder becomes a `NotRecordedError`. */
export function watched(recorder: ApplyRecorder): WatchedRecorder {
  const sent = new Set<string>();
  return {
    sent,
    sending: async (change) => {
      try {
        await recorder.sending(change);
      } catch (cause) {
        throw new NotRecordedError('The write could not be recorded.', { cause });
      }
      sent.add(change.ref);
    },
    settled: (change, result) => recorder.settled(change, result),
  };
}

/** Records nothing. */
export const NO_RECORDER: ApplyRecorder = {
  sending: () => Promise.resolve(),
  settled: () => undefined,
};

/** What an apply reports while it runs: facts for a progress line, never a sentence. */
export type ApplyProgress =
  | { readonly kind: 'reading' }
  | ({ readonly kind: 'started'; readonly change: Change } & WorkLeft)
  | ({
      readonly kind: 'finished';
      readonly change: Change;
      readonly result: Outcome;
      readonly done: number;
    } & WorkLeft)
  | { readonly kind: 'verifying' };

interface WorkLeft {
  readonly total: number;
  /** The least time in milliseconds that the request budget allows for the changes that remain. */
  readonly leastMs: number;
}
