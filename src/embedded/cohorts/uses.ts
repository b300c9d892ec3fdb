/** What uses a cohort: active flags, and other cohorts. */

import { reach } from '../../base/graph.ts';
import { cohortIds, listLeaves } from '../filters/cohort-tree.ts';
import { allProperties } from '../filters/conditions.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';

interface ProjectPlace {
  readonly store: Store;
  readonly projectId: string;
}

/** Active flags whose conditions name the cohort, itself or through another dynamic one. */
export function activeFlagsUsing({ store, projectId }: ProjectPlace, id: number): StoredFlag[] {
  const flags = store.flags.withCohorts(projectId).filter(({ active }) => active);
  const childrenOf = (cohort: number): number[] =>
    cohort === id ? [] : namedBy(store.cohorts.find(projectId, cohort));
  return flags.filter(({ filters }) => reach(cohortIds(allProperties(filters)), childrenOf).has(id));
}

export function cohortsUsing({ store, projectId }: ProjectPlace, id: number): StoredCohort[] {
  return store.cohorts.list(projectId).filter((cohort) => cohort.id !== id && namedBy(cohort).includes(id));
}

/** The ids of the cohorts that the definition names; a static cohort has none. */
export function namedBy(cohort: StoredCohort | undefined): number[] {
  return cohortIds(listLeaves(cohort?.properties ?? {}));
}
