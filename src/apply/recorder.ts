/** Who keeps a record of an apply: told of every write before it is sent, and of every outcome. */

import type { Change } from '../plan/plan.ts';
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

/** Whatever a recorder throws becomes a `NotRecordedError`. */
export function namingFailures(recorder: ApplyRecorder): ApplyRecorder {
  return {
    sending: async (change) => {
      try {
        await recorder.sending(change);
      } catch (cause) {
        throw new NotRecordedError('The write could not be recorded.', { cause });
      }
    },
    settled: (change, result) => recorder.settled(change, result),
  };
}

/** Keeps nothing. */
export const NO_RECORDER: ApplyRecorder = {
  sending: () => Promise.resolve(),
  settled: () => undefined,
};
