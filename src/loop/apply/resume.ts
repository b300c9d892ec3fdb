/** Finds which changes of an interrupted run are done, and whether a write without an answer happened. */

import type { Change } from '../../posthog/plan.ts';
import type { RunState } from '../../posthog/run-state.ts';
import { kindFor } from '../../posthog/kinds.ts';
import type { Outcome } from './result.ts';

/** The outcomes that the record of an earlier run has, by ref. */
export interface EarlierRun {
  /** Changes with the outcome `applied`: they are not checked again. */
  readonly applied: ReadonlyMap<string, Outcome>;
  /** Changes that were sent at least once and whose outcome is unknown. */
  readonly sent: ReadonlySet<string>;
}

/** The outcome that the earlier run already reached, or `undefined` if the change is still to be made. */
export function earlierOutcome(change: Change, earlier: EarlierRun, state: RunState): Outcome | undefined {
  const known = earlier.applied.get(change.ref);
  if (known !== undefined) return known;
  if (!earlier.sent.has(change.ref)) return undefined;
  const id = kindFor(change).writer.findEffect(change, state);
  return id === undefined ? undefined : { outcome: 'applied', id };
}
