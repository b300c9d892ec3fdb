/** A run's knowledge of the cohorts that it writes: as they were read, and what its own writes changed. */

import type { CohortChange } from './change.ts';
import { namesakesOf, type Cohort } from './cohort.ts';

export interface CohortRun {
  /** The id of a cohort that the plan names by alias, once it exists. */
  readonly idOf: (alias: string) => number | undefined;
  /** The cohort as it was read, or as the service answered to a write of this run. */
  readonly find: (id: number) => Cohort | undefined;
  readonly see: (id: number, cohort: Cohort | undefined) => void;
  readonly keep: (alias: string, cohort: Cohort) => void;
  /** Keeps which cohorts have the name of one that the plan creates: a single one is the created cohort; several prove nothing. */
  readonly meet: (alias: string, namesakes: readonly Cohort[]) => void;
  /** Whether any has. */
  readonly isTaken: (alias: string) => boolean;
  /** Keeps that another cohort got the name which the plan gives to an existing one. */
  readonly loseName: (alias: string) => void;
  readonly hasLostName: (alias: string) => boolean;
}

/** A cohort that the plan creates exists already where one has its name: an earlier run, or another user, made it. */
export function openCohorts(live: readonly Cohort[], changes: readonly CohortChange[]): CohortRun {
  const seen = new Map<number, Cohort | undefined>(live.map((cohort) => [cohort.id, cohort]));
  const ids = new Map<string, number>();
  const shared = new Set<string>();
  const lost = new Set<string>();
  const keep = (alias: string, cohort: Cohort): void => {
    seen.set(cohort.id, cohort);
    ids.set(alias, cohort.id);
  };
  const meet = (alias: string, [first, ...others]: readonly Cohort[]): void => {
    if (others.length > 0) shared.add(alias);
    else if (first !== undefined) keep(alias, first);
  };
  for (const change of changes) {
    if (change.action === 'create') meet(change.key, namesakesOf(change.body, live));
    else ids.set(change.key, change.id);
  }
  return {
    idOf: (alias) => ids.get(alias),
    find: (id) => seen.get(id),
    see: (id, cohort) => void seen.set(id, cohort),
    keep,
    meet,
    isTaken: (alias) => ids.has(alias) || shared.has(alias),
    loseName: (alias) => void lost.add(alias),
    hasLostName: (alias) => lost.has(alias),
  };
}
