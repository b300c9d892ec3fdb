/** The cohorts that manifests delete although none is live under their names, and that the base declared. */

import type { DesiredState } from '../desired.ts';
import type { Sought } from '../family.ts';
import type { LiveState } from '../live.ts';
import { createFinder } from './match.ts';

/** A cohort with an id in the configuration is found by it. */
export function findRetiredCohorts(
  { cohorts = [] }: DesiredState,
  { cohorts: former = [] }: DesiredState,
  { cohorts: live }: LiveState,
): readonly Sought[] {
  if (live === undefined) return [];
  const find = createFinder(live);
  const declared = new Map(former.map((one) => [one.key, one]));
  return cohorts.flatMap((one): Sought[] => {
    const before = declared.get(one.key);
    if (one.kind !== 'retired' || one.id !== undefined || before?.kind !== 'declared') return [];
    return [one, before].some((cohort) => find(cohort).length > 0)
      ? []
      : [{ key: one.key, names: [...one.names, ...before.names] }];
  });
}
