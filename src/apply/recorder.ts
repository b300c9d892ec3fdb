/** Who keeps a record of an apply: told of every write before it is sent, and of every outcome. */

import type { Change } from '../posthog/plan.ts';
import type { Outcome } from './result.ts';

export interface ApplyRecorder {
  /** Resolves once the record is safe. A rejection keeps the write from being sent. */
  sending(change: Change): Promise<void>;
  /** Never fails: what is done is done, and the next `sending` tells that the record can no longer be kept. */
  settled(change: Change, result: Outcome): void;
}

/** A write was not sent, since nobody could have told later that it was. */
export class NotRecordedError extends Error {
  override readonly name = 'NotRecordedError';
}

/** A recorder whose failures are told from all others, and which knows what was sent. */
export interface WatchedRecorder extends ApplyRecorder {
  readonly sent: ReadonlySet<string>;
}

/** Whatever the recorder throws becomes a `NotRecordedError`. */
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

/** Keeps nothing. */
export const NO_RECORDER: ApplyRecorder = {
  sending: () => Promise.resolve(),
  settled: () => undefined,
};
