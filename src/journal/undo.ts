/** Which changes of a recorded run can be undone, and what undoing them needs to read. */

import { earlierOutcome } from '../apply/resume.ts';
import type { LiveState } from '../posthog/live.ts';
import { openRun } from '../posthog/run-state.ts';
import { namedFlags } from '../posthog/flag/references.ts';
import type { AppliedChange } from '../posthog/invert-plan.ts';
import type { Change } from '../posthog/plan.ts';
import type { WantedState } from '../posthog/client/live-state.ts';
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
    return [{ change, ...(outcome.id === undefined ? {} : { id: outcome.id }) }];
  });
}

/** Whether the run may have made a change that can be undone. */
export function mayBeUndone({ applied, sent }: Run): boolean {
  return sent.size > 0 || [...applied.values()].some((outcome) => !('already' in outcome));
}

/** Every flag that the run may have written, by id since some are deleted, and the role access lists that it changed. */
export function wantedForUndo({ plan, applied, sent }: Run): WantedState {
  const written = plan.changes.filter(({ ref }) => applied.has(ref) || sent.has(ref));
  return {
    keys: written.flatMap((change) => [change.key, ...formerDependencies(change)]),
    roleAccessOf: written.flatMap((change) => (change.resource === 'role_access' ? [change.key] : [])),
    roleAccessOfIds: written.flatMap((change) => (change.resource === 'role_access' ? (change.id ?? []) : [])),
    ids: written.flatMap((change) => {
      if (change.resource !== 'flag') return [];
      const outcome = applied.get(change.ref);
      return change.action === 'create' ? (outcome?.outcome === 'applied' ? (outcome.id ?? []) : []) : change.id;
    }),
  };
}

/** The flags that a flag depended on before the run. They may be archived, and are then read only when named here. */
function formerDependencies(change: Change): readonly string[] {
  if (change.resource !== 'flag' || change.action === 'create') return [];
  return namedFlags(change.base.former['filters']);
}
