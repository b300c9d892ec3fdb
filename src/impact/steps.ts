/** Finds how many people the later steps of rollouts affect. Each step is planned on the flags as the plan and earlier steps leave them. */

import { defined } from '../base/optional.ts';
import type { StepAhead } from '../posthog/planning/steps-ahead.ts';
import { findImpact, type Circumstances, type PlannedImpact } from './find-impact.ts';
import type { StepImpact } from './impact.ts';

/** The step, without flags that the plan leaves at another value than the one with which it begins. */
export function stepOnLive({ plan, live, left = [] }: StepAhead): PlannedImpact {
  return { changes: plan.changes.filter(({ key }) => !left.includes(key)), warnings: [], live: live.flags };
}

export function findStepImpact(steps: readonly StepAhead[], circumstances: Circumstances): readonly StepImpact[] {
  return steps.map((step) => ({
    at: step.at,
    ...defined({ jump_since: step.jump_since }),
    flags: [
      ...findImpact(stepOnLive(step), circumstances).flags,
      ...(step.left ?? []).map((key) => ({ key, by: 'change', estimate: { kind: 'unknown', why: 'left' } }) as const),
    ],
  }));
}
