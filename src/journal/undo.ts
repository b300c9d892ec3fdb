/** What of a recorded run can be taken back, and what has to be read of the service to do so. */

import { createDirectory } from '../apply/flag-directory.ts';
import { earlierOutcome } from '../apply/resume.ts';
import { indexLive } from '../apply/staleness.ts';
import type { LiveState } from '../posthog/live.ts';
import { namedFlags } from '../posthog/flag/references.ts';
import type { AppliedChange } from '../posthog/invert-plan.ts';
import type { Change } from '../posthog/plan.ts';
import type { WantedState } from '../posthog/client/live-state.ts';
import type { Run } from './read.ts';

/**
 * The changes that the run itself made, in the plan's order: what the journal knows to be applied, and of what was sent
 * without an answer that which is live now. What was so already is not the run's to take back.
 */
export function appliedChanges(run: Run, live: LiveState): readonly AppliedChange[] {
  const { changes } = run.plan;
  const state = { live: indexLive(live, changes), directory: createDirectory(live.flags, changes) };
  return changes.flatMap((change) => {
    const outcome = earlierOutcome(change, run, state);
    if (outcome?.outcome !== 'applied' || outcome.already === true) return [];
    return [{ change, ...(outcome.id === undefined ? {} : { id: outcome.id }) }];
  });
}

/** Whether there may be something of the run to take back. */
export function mayBeUndone({ applied, sent }: Run): boolean {
  return sent.size > 0 || [...applied.values()].some((outcome) => !('already' in outcome));
}

/** Every flag that the run may have written, by id since some are deleted, and the role access lists that it touched. */
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

/** What a flag depended on before the run may be in the archive, where only those look that name it. */
function formerDependencies(change: Change): readonly string[] {
  if (change.resource !== 'flag' || change.action === 'create') return [];
  return namedFlags(change.base.former['filters']);
}
