/** What manifests delete although it is not live under its name, and what the base declared: people may have renamed it. */

import type { Base } from './base.ts';
import { createFinder } from './cohort/match.ts';
import type { DesiredCohort, DesiredState } from './desired.ts';
import type { LiveState } from './live.ts';

/** A cohort that is looked for, with all names that it may have had. */
export type SoughtCohort = Pick<DesiredCohort, 'key' | 'names'>;

export interface MissingRetired {
  /** Keys of flags. */
  readonly flags: readonly string[];
  readonly cohorts: readonly SoughtCohort[];
}

/** Without a base nothing tells whether there was one. */
export function findMissingRetired(desired: DesiredState, base: Base | undefined, live: LiveState): MissingRetired {
  const former = base?.desired;
  if (former === undefined) return { flags: [], cohorts: [] };
  const keys = new Set(live.flags.map(({ key }) => key));
  const declared = new Set(former.flags.flatMap(({ kind, key }) => (kind === 'declared' ? key : [])));
  const flags = desired.flags.filter(({ kind, key }) => kind === 'retired' && declared.has(key) && !keys.has(key));
  return { flags: flags.map(({ key }) => key), cohorts: findMissingCohorts(desired, former, live) };
}

/** A cohort with an id in the configuration is found by it. */
function findMissingCohorts(
  { cohorts = [] }: DesiredState,
  { cohorts: former = [] }: DesiredState,
  { cohorts: live }: LiveState,
): SoughtCohort[] {
  if (live === undefined) return [];
  const find = createFinder(live);
  const declared = new Map(former.map((one) => [one.key, one]));
  return cohorts.flatMap((one): SoughtCohort[] => {
    const before = declared.get(one.key);
    if (one.kind !== 'retired' || one.id !== undefined || before?.kind !== 'declared') return [];
    return [one, before].some((cohort) => find(cohort).length > 0)
      ? []
      : [{ key: one.key, names: [...one.names, ...before.names] }];
  });
}
