/** The plan of a PostHog project: what makes live state match the desired one. */

import { defined } from '../base/optional.ts';
import type { Leaving } from '../engine/matched.ts';
import { findEarlier, type Unmade } from '../engine/earlier.ts';
import { makePlan, type PlanOptions } from '../engine/make-plan.ts';
import { DEFAULT_LIMITS } from '../engine/safety.ts';
import { allPermissions } from '../engine/permits.ts';
import { matchKeyPatterns } from '../engine/scope.ts';
import type { Base } from './base.ts';
import type { DesiredState } from './desired.ts';
import { KINDS } from './kinds.ts';
import { findUnmade } from './left-out.ts';
import type { LiveState } from './live.ts';
import { matchFamilies } from './match-families.ts';
import type { PostHog } from './model.ts';
import { findOtherNames } from './other-names.ts';
import type { Plan } from './plan.ts';

export type { PlanOptions } from '../engine/make-plan.ts';

export interface BuildOptions extends Partial<PlanOptions> {
  readonly base?: Base;
  /** Leave what only the service changed, except of the resources that `allow.override` names. */
  readonly keepDrift?: boolean;
}

/** Usual limits, every flag in scope, nothing protected, nothing permitted; the project has no name. */
export const DEFAULT_OPTIONS: PlanOptions = {
  project: { name: 'default', host: 'unknown', project_id: 'unknown' },
  scope: { include: ['*'], exclude: [] },
  limits: DEFAULT_LIMITS,
  protected: [],
  allow: { protected: [] },
  prune: false,
};

/**
 * Pure: equal states give equal plans, whatever their order. Preview, drift, apply and export all call it.
 * @throws {FlagwrightError} `manifest_invalid` for levels of access that the project's service cannot hold.
 */
export function buildPlan(
  desired: DesiredState,
  live: LiveState,
  { base, keepDrift, ...options }: BuildOptions = {},
): Plan {
  const { matches, further, snapshot, formerNames } = matchFamilies(desired, live, base?.desired);
  const withFormer = (one: Unmade): Unmade => ({ ...one, ...defined({ former: formerNames.get(one.key) }) });
  return makePlan<PostHog>(
    matches,
    {
      kinds: KINDS,
      snapshot,
      live: live.flags,
      further,
      findEarlier: (given) => findEarlier(findUnmade(given).map(withFormer), base?.facts),
    },
    {
      ...DEFAULT_OPTIONS,
      ...options,
      ...(keepDrift === true ? { leaving: leaveDrift({ ...DEFAULT_OPTIONS, ...options }) } : {}),
      ...defined({ baseFacts: base?.facts }),
      otherNames: findOtherNames(desired, base?.desired),
    },
  );
}

function leaveDrift(options: PlanOptions): Leaving {
  const isOverridden = matchKeyPatterns(allPermissions(options).override ?? []);
  return { by: 'unit', isLeft: ({ divergence }, { name }) => divergence === 'drifted' && !isOverridden(name) };
}
