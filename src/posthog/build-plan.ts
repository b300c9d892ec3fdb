/** The plan of a PostHog project: what makes live state match the desired one. */

import { defined } from '../base/optional.ts';
import type { Leaving } from '../engine/left.ts';
import { makePlan, type PlanOptions } from '../engine/make-plan.ts';
import { matchResources } from '../engine/match.ts';
import { DEFAULT_LIMITS } from '../engine/safety.ts';
import { matchPermits } from '../engine/scope.ts';
import { renameInBase, type Base } from './base.ts';
import type { DesiredState } from './desired.ts';
import { isAsDeclared } from './flag/changes.ts';
import { KINDS } from './kinds.ts';
import type { LiveState } from './live.ts';
import type { PostHog } from './model.ts';
import type { Plan } from './plan.ts';
import { refuseUnheld } from './role-access/unheld.ts';
import { renameFlags, takeSnapshot } from './snapshot.ts';

export type { PlanOptions } from '../engine/make-plan.ts';
export type { Base } from './base.ts';

export interface BuildOptions extends Partial<PlanOptions> {
  readonly base?: Base;
  /** Leave what only the service changed, except for the flags whose keys `allow.override` has. */
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
  const read = takeSnapshot(live);
  const found = matchResources(desired.flags, read.flags, {
    ...defined({ namedElsewhere: desired.namedElsewhere, traces: live.traces, base: base?.desired?.flags }),
    resembles: (wanted, flag) => isAsDeclared(wanted, flag, read.flags),
  });
  const matches = { ...found, pairs: renameInBase(found.pairs) };
  refuseUnheld(desired, read.accessWire);
  const snapshot = renameFlags(read, matches.renamed);
  return makePlan<PostHog>(
    matches,
    { kinds: KINDS, snapshot, live: live.flags },
    {
      ...DEFAULT_OPTIONS,
      ...options,
      ...(keepDrift === true ? { leaving: leaveDrift(options) } : {}),
      ...defined({ baseFacts: base?.facts }),
    },
  );
}

function leaveDrift({ allow }: Partial<PlanOptions>): Leaving {
  const isOverridden = matchPermits(allow?.override ?? []);
  return { by: 'unit', isLeft: ({ divergence }, { change }) => divergence === 'drifted' && !isOverridden(change.key) };
}
