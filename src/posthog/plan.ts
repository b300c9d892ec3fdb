/** The plan of a PostHog project: the engine's, with the changes, warnings and risks of each kind. */

import type * as engine from '../core/engine/plan.ts';
import type { OfStep, RuleHazard } from '../core/engine/safety.ts';
import type { KindName, KindTypes } from './kind-types.ts';

export type { FieldChange } from '../core/engine/change.ts';
export type { CreateFlag, DeleteFlag, FlagBase, FlagChange, RestoreFlag, UpdateFlag } from './flag/change.ts';
export type { AdjustLevel, GrantRole, RevokeRole, RoleAccessBase, RoleChange, RoleName } from './role-access/change.ts';

export type Change = KindTypes[KindName]['change'];
export type Action = Change['action'];
export type PlanWarning = engine.RuleWarning | KindTypes[KindName]['warning'];
export type RiskHazard = KindTypes[KindName]['risk'];
export type Hazard = (RuleHazard | RiskHazard) & OfStep;
export type PlanSummary = engine.PlanSummary<Change>;

export interface PlanTypes {
  readonly change: Change;
  readonly warning: PlanWarning;
  readonly risk: RiskHazard;
}

export type Plan = engine.Plan<PlanTypes>;

/** Whether the plan decides anything, now or about later steps. */
export function isDecision({
  changes,
  rollout_changes: later = [],
  rollouts = [],
}: Pick<Plan, 'changes' | 'rollout_changes' | 'rollouts'>): boolean {
  return changes.length + later.length > 0 || rollouts.some(({ continued }) => continued !== undefined);
}
