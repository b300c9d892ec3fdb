/** Who keeps a record of an apply: told of every write before it is sent, and of every outcome. */

import type { Change } from '../plan/plan.ts';
import type { Outcome } from './result.ts';

export interface ApplyRecorder {
  /** Resolves once the record is safe. A rejection keeps the write from being sent. */
  sending(change: Change): Promise<void>;
  /** Never fails: what is done is done, and the next `sending` tells that the record can no longer be kept. */
  settled(change: Change, result: Outcome): void;
}

/** Keeps nothing. */
export const NO_RECORDER: ApplyRecorder = {
  sending: () => Promise.resolve(),
  settled: () => undefined,
};
