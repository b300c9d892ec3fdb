/** The differences of a plan that a drift report counts. */

import { findUnwritable } from '../posthog/planning/drift-groups.ts';
import type { Change, Plan } from '../posthog/plan.ts';
import { isOverdue } from '../posthog/rollouts/rollouts.ts';
import { isPending, type DriftStanding, type StandingFacts } from './report-status.ts';

export function standingOfDrift(
  { changes, warnings, unmanaged, rollouts = [] }: Pick<Plan, 'changes' | 'warnings' | 'unmanaged' | 'rollouts'>,
  counting: StandingFacts = {},
): DriftStanding {
  const isCounted = (change: Change): boolean => counting.pending === true || !isPending(change);
  return {
    drifted: changes.filter(isCounted),
    pending: changes.filter((change) => !isCounted(change)),
    unwritable: findUnwritable(warnings),
    unmanaged: counting.unmanaged === true ? unmanaged : [],
    overdue: rollouts.filter(isOverdue),
    unknown: rollouts.filter((one) => one.unknown_origin === true),
  };
}
