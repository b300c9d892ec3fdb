/** The consequences of cohort changes: the flags that they concern, conditions on no cohort, and refusals to expect. */

import type { Left } from '../../engine/matched.ts';
import { protectsUsed } from '../flag/certain-refusals.ts';
import { flagsAfterPlan } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortChange, CohortRisk, CohortWarning } from './change.ts';
import { nameOfCohort } from './find-changes.ts';
import type { CohortReference } from '../flag/model/cohort-filters.ts';
import type { CohortSnapshot } from './cohort.ts';
import { flagsUsing, namedByFlag, usesAfter, usesNow, type CohortUses } from './uses.ts';

export interface CohortAssessment {
  readonly risks: readonly CohortRisk[];
  readonly warnings: readonly CohortWarning[];
}

export function assessCohorts(
  changes: readonly Change[],
  { flags, cohorts }: ProjectSnapshot,
  left: readonly Left[],
): CohortAssessment {
  const own = changes.filter((change) => change.resource === 'cohort');
  const absent = riskLeft(changes, left, cohorts);
  const isRelevant = own.length > 0 || cohorts.all.some((cohort) => cohort.is_calculating === true);
  if (!isRelevant) return { risks: absent, warnings: [] };
  const now = usesNow(flags, cohorts);
  const { flags: after } = flagsAfterPlan(changes, flags);
  const isRefused: CohortsAfterPlan['isRefused'] = (users, others) =>
    protectsUsed(flags.all) && (others.length > 0 || users.some((key) => after.get(key)?.active === true));
  const calculated = new Set(own.filter(isDefined).map(({ id, key }) => id ?? key));
  const around: CohortsAfterPlan = { now, after: usesAfter(changes, now, cohorts), cohorts, isRefused };
  return {
    risks: [...own.flatMap((change) => riskUses(change, around)), ...absent],
    warnings: [
      ...own.flatMap((change) => [...nameFlags(change, around), ...warnOfEvents(change, around)]),
      ...changes.flatMap((change) => warnOfCalculation(change, calculated, cohorts)),
    ],
  };
}

interface CohortsAfterPlan {
  readonly now: CohortUses;
  readonly after: CohortUses;
  readonly cohorts: CohortSnapshot;
  /** Whether the service refuses to delete a cohort that these flags and cohorts use: inactive flags do not count. */
  readonly isRefused: (flags: readonly string[], cohorts: readonly string[]) => boolean;
}

function riskUses(change: CohortChange, { after, cohorts, isRefused }: CohortsAfterPlan): CohortRisk[] {
  if (change.action !== 'delete') return [];
  const flags = flagsUsing(change.id, after);
  const others = (after.users.get(change.id)?.cohorts ?? []).map((other) => labelOf(other, cohorts));
  if (flags.length === 0 && others.length === 0) return [];
  const key = nameOfCohort(change.key);
  return [
    {
      code: 'cohort_used',
      ref: change.ref,
      key,
      flags,
      cohorts: others.toSorted(),
      ...(isRefused(flags, others) ? {} : { permit: { kind: 'risky', value: key } as const }),
    },
  ];
}

/** A cohort that is left as it is and does not exist has no id for a request. */
function riskLeft(changes: readonly Change[], left: readonly Left[], cohorts: CohortSnapshot): CohortRisk[] {
  const gone = new Set(left.flatMap((one) => (one.resource === 'cohort' && one.action === 'create' ? one.key : [])));
  if (gone.size === 0) return [];
  return changes.flatMap((change): CohortRisk[] => {
    if (change.resource !== 'flag' || change.action === 'delete') return [];
    const named = new Set(namedByFlag(change.body['filters'], cohorts));
    return [...gone]
      .filter((alias) => named.has(alias))
      .map((alias) => {
        const key = nameOfCohort(alias);
        const permit = { kind: 'override', value: key } as const;
        return { code: 'dependency_left', ref: change.ref, key, dependent: change.key, why: 'deleted', permit };
      });
  });
}

/** A new cohort concerns only flags that the plan changes too. A name concerns no flag. */
function nameFlags(change: CohortChange, { now, after }: CohortsAfterPlan): CohortWarning[] {
  const { action } = change;
  if (action === 'create' || (action === 'update' && change.body['filters'] === undefined)) return [];
  const flags = [...new Set([...flagsUsing(change.id, now), ...flagsUsing(change.id, after)])].toSorted();
  return flags.length === 0 ? [] : [{ code: 'cohort_flags', key: nameOfCohort(change.key), action, flags }];
}

function warnOfEvents(change: CohortChange, { after }: CohortsAfterPlan): CohortWarning[] {
  const reference = change.id ?? change.key;
  if (change.action === 'delete' || !after.onEvents.has(reference)) return [];
  const flags = flagsUsing(reference, after);
  return flags.length === 0 ? [] : [{ code: 'cohort_behavioral', key: nameOfCohort(change.key), flags }];
}

/** The write of a definition starts the calculation of its cohort. */
function isDefined({ action, body }: CohortChange): boolean {
  return action !== 'delete' && (action !== 'update' || body['filters'] !== undefined);
}

function warnOfCalculation(
  change: Change,
  calculated: ReadonlySet<CohortReference>,
  cohorts: CohortSnapshot,
): CohortWarning[] {
  if (change.resource !== 'flag' || change.action === 'delete') return [];
  const isCalculating = (reference: CohortReference): boolean =>
    calculated.has(reference) || (typeof reference === 'number' && cohorts.byId(reference)?.is_calculating === true);
  return namedByFlag(change.body['filters'], cohorts)
    .filter(isCalculating)
    .map((reference) => ({ code: 'cohort_calculating', key: change.key, cohort: labelOf(reference, cohorts) }));
}

function labelOf(reference: CohortReference, { aliasOf, byId }: CohortSnapshot): string {
  if (typeof reference === 'string') return reference;
  return aliasOf(reference) ?? byId(reference)?.name ?? `id ${reference}`;
}
