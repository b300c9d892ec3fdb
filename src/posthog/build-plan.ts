/** The plan of a PostHog project: what makes live state match the desired one. */

import { defined } from '../base/optional.ts';
import type { Leaving } from '../engine/left.ts';
import { findEarlier, type Unmade } from '../engine/earlier.ts';
import { makePlan, type PlanOptions } from '../engine/make-plan.ts';
import type { DesiredResource } from '../engine/desired.ts';
import { matchResources } from '../engine/match.ts';
import type { Match } from '../engine/matched.ts';
import type { LiveResource } from '../engine/snapshot.ts';
import { DEFAULT_LIMITS } from '../engine/safety.ts';
import { allPermissions } from '../engine/permits.ts';
import { matchPermits } from '../engine/scope.ts';
import { renameInBase, type Base } from './base.ts';
import { nameOfCohort } from './cohort/changes.ts';
import { COHORT } from './cohort/kind.ts';
import { aliasesOf, matchCohorts, type CohortMatches } from './cohort/match.ts';
import type { CohortReference } from './cohort/references.ts';
import type { DesiredFlag, DesiredState } from './desired.ts';
import { isAsDeclared } from './flag/changes.ts';
import { withCohortIds } from './flag/references.ts';
import { KINDS } from './kinds.ts';
import { findUnmade } from './left-out.ts';
import type { LiveState } from './live.ts';
import type { PostHog } from './model.ts';
import { findOtherNames } from './other-names.ts';
import type { Plan } from './plan.ts';
import { refuseUnheld } from './role-access/unheld.ts';
import { nameCohorts, renameFlags, takeSnapshot } from './snapshot.ts';

export type { PlanOptions } from '../engine/make-plan.ts';

export interface BuildOptions extends Partial<PlanOptions> {
  readonly base?: Base;
  /** Leave what only the service changed, except of the flags and cohorts that `allow.override` names. */
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
  const cohorts = matchLiveCohorts(desired, live, base);
  const aliases = cohorts === undefined ? new Map<string, number>() : aliasesOf(cohorts);
  const read = nameCohorts(takeSnapshot(live), aliases);
  const former = base?.desired && withCohorts(base.desired.flags, cohorts?.formerReferences ?? aliases);
  const found = matchResources(withCohorts(desired.flags, aliases), read.flags, {
    ...defined({ namedElsewhere: desired.namedElsewhere, traces: live.traces, base: former }),
    resembles: (wanted, flag) => isAsDeclared(wanted, flag, read.flags),
  });
  const matches = { ...found, pairs: renameInBase(found.pairs) };
  refuseUnheld(desired, read.accessWire);
  const snapshot = renameFlags(read, matches.renamed);
  const further =
    cohorts === undefined
      ? []
      : [{ name: COHORT.name, matches: cohorts, live: [], warnings: cohorts.doubts, released: cohorts.released }];
  const formerNames = new Map([...formersOf(matches.pairs), ...formersOf(cohorts?.pairs ?? [], nameOfCohort)]);
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

/** How the base named the resources of the manifests, where that differs. */
function formersOf(
  pairs: readonly Pick<Match<DesiredResource, LiveResource>, 'desired' | 'base'>[],
  name: (key: string) => string = (key) => key,
): [string, string][] {
  return pairs.flatMap(({ desired, base }): [string, string][] =>
    base === undefined || base === null || base.key === desired.key ? [] : [[name(desired.key), name(base.key)]],
  );
}

/** `undefined` where none is or was declared, or none was read: unread state never counts as absent. */
function matchLiveCohorts(desired: DesiredState, live: LiveState, base: Base | undefined): CohortMatches | undefined {
  const former = base?.desired && (base.desired.cohorts ?? []);
  const isDeclared = desired.cohorts !== undefined || (former !== undefined && former.length > 0);
  return isDeclared && live.cohorts !== undefined ? matchCohorts(desired, live, former) : undefined;
}

/** The flags with the ids of live cohorts in place of aliases; for the base, those of then. */
function withCohorts(
  flags: readonly DesiredFlag[],
  aliases: ReadonlyMap<string, CohortReference>,
): readonly DesiredFlag[] {
  if (aliases.size === 0) return flags;
  return flags.map((flag) => {
    if (flag.kind === 'retired') return flag;
    const fields = withCohortIds(flag.fields, (alias) => aliases.get(alias));
    return fields === flag.fields ? flag : { ...flag, fields };
  });
}

function leaveDrift(options: PlanOptions): Leaving {
  const isOverridden = matchPermits(allPermissions(options).override ?? []);
  return { by: 'unit', isLeft: ({ divergence }, { name }) => divergence === 'drifted' && !isOverridden(name) };
}
