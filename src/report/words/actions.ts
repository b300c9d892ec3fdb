/** The number of changes of each action in a plan, in words. */

import type { Action, PlanSummary } from '../../posthog/plan.ts';

/** `1 to create, 2 to grant`, in the order of a plan's table; empty when there is nothing to do. */
export function actionCounts(summary: PlanSummary, word: (action: Action, amount: number) => string): string {
  const actions: readonly Action[] = ['create', 'update', 'restore', 'delete', 'grant', 'adjust', 'revoke'];
  return (
    actions
      // A plan of an older release has no count of what it did not know.
      .filter((action) => (summary[action] ?? 0) > 0)
      .map((action) => word(action, summary[action]))
      .join(', ')
  );
}
