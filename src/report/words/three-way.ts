/** The words for what moved away from the base, and for what a run leaves as it is. */

import type { Divergence } from '../../engine/base.ts';
import type { Left } from '../../engine/left.ts';
import type { Change, Plan } from '../../posthog/plan.ts';

/** A note beside a value, by its class; empty where the report is about just that. */
export type DivergenceNotes = Readonly<Record<Divergence, string>>;

export const PLAN_NOTES: DivergenceNotes = {
  pending: '',
  drifted: 'reverts a live edit',
  conflict: 'conflict: also changed in the service',
};

export const DRIFT_NOTES: DivergenceNotes = {
  pending: 'not applied yet',
  drifted: '',
  conflict: 'conflict: also changed in the manifests',
};

/** Where the note of the change says it for all of its values. */
export const NO_NOTES: DivergenceNotes = { pending: '', drifted: '', conflict: '' };

/** The note for a change as a whole; a change with several values has one beside each of them. */
export function noteOfChange(change: Change, notes: DivergenceNotes): string {
  const [divergence] = isWhole(change) ? divergencesOf(change) : [];
  return divergence === undefined ? '' : notes[divergence];
}

/** `2 pending, 1 drifted, 1 conflict, 3 converged`; `undefined` where nothing moved. */
export function classCounts({ changes, converged = 0 }: Pick<Plan, 'changes' | 'converged'>): string | undefined {
  const classes = changes.flatMap((change) =>
    isWhole(change) ? divergencesOf(change).slice(0, 1) : divergencesOf(change),
  );
  const count = (one: Divergence): number => classes.filter((found) => found === one).length;
  const counts = [
    [count('pending'), 'pending'],
    [count('drifted'), 'drifted'],
    [count('conflict'), count('conflict') === 1 ? 'conflict' : 'conflicts'],
    [converged, 'converged'],
  ] as const;
  const shown = counts.filter(([amount]) => amount > 0).map(([amount, word]) => `${amount} ${word}`);
  return shown.length === 0 ? undefined : shown.join(', ');
}

function divergencesOf(change: Change): readonly Divergence[] {
  const parts = 'fields' in change && change.fields.length > 0 ? change.fields : [change];
  return parts.flatMap(({ divergence }) => divergence ?? []);
}

/** A flag that is created, restored or deleted, or one level of access. */
function isWhole(change: Change): boolean {
  return change.action !== 'update' && change.action !== 'restore';
}

/** Why nothing of a flag is written; `undefined` where some of its values are left. */
export function leftWhole({ action }: Left): string | undefined {
  return Object.hasOwn(LEFT_WHOLE, action) ? LEFT_WHOLE[action] : undefined;
}

const LEFT_WHOLE: Readonly<Record<string, string>> = {
  create: 'does not exist in the project',
  restore: 'is soft-deleted in the project',
  delete: 'exists in the project, and the manifests delete it',
};
