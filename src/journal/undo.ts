/** What of a recorded run can be taken back, and what has to be read of the service to do so. */

import type { AppliedChange } from '../plan/invert-plan.ts';
import type { WantedState } from '../service/live-state.ts';
import type { Run } from './read.ts';

/** The changes that the run itself made, in the plan's order. */
export function appliedChanges({ plan, applied }: Run): readonly AppliedChange[] {
  return plan.changes.flatMap((change) => {
    const result = applied.get(change.ref);
    if (result?.outcome !== 'applied' || result.already === true) return [];
    return [{ change, ...(result.id === undefined ? {} : { id: result.id }) }];
  });
}

/** Every flag of those changes, by id since some are deleted, and the role access lists that they touched. */
export function wantedForUndo(applied: readonly AppliedChange[]): WantedState {
  return {
    keys: applied.map(({ change }) => change.key),
    roleAccessOf: applied.flatMap(({ change }) => (change.resource === 'role_access' ? [change.key] : [])),
    ids: applied.flatMap(({ change, id }) => {
      if (change.resource !== 'flag') return [];
      return change.action === 'create' ? (id ?? []) : change.id;
    }),
  };
}
