/** Which changes of a recorded run can be undone, and what undoing them needs to read. */

import { defined } from '../base/optional.ts';
import { earlierOutcome } from '../apply/resume.ts';
import type { LiveState } from '../posthog/live.ts';
import { openRun } from '../posthog/run-state.ts';
import type { AppliedChange } from '../posthog/invert-plan.ts';
import type { KnownState } from '../posthog/wanted.ts';
import { wantedToUndo } from '../posthog/wanted-state.ts';
import type { Run } from './read.ts';

/**
 * The changes that the run itself made, in the plan's order: those that the journal records as applied, and those that
 * were sent without an answer and are live now. A change that was already in effect is not the run's to undo.
 */
export function appliedChanges(run: Run, live: LiveState): readonly AppliedChange[] {
  const { changes } = run.plan;
  const state = openRun(live, changes, { resumed: true });
  return changes.flatMap((change) => {
    const outcome = earlierOutcome(change, run, state);
    if (outcome?.outcome !== 'applied' || outcome.already === true) return [];
    return [{ change, ...defined({ id: outcome.id }) }];
  });
}

/** Whether the run may have made a change that can be undone. */
export function mayBeUndone({ applied, sent }: Run): boolean {
  return sent.size > 0 || [...applied.values()].some((outcome) => !('already' in outcome));
}

/** Every flag that the run may have written, by id since some are deleted, and the role access lists that it changed. */
export function wantedForUndo({ plan, applied, sent }: Run): KnownState {
  const written = plan.changes.filter(({ ref }) => applied.has(ref) || sent.has(ref));
  return wantedToUndo(
    written.map((change) => {
      const outcome = applied.get(change.ref);
      return { change, id: outcome?.outcome === 'applied' ? outcome.id : undefined };
    }),
  );
}
