/** Finds writes that the service refuses because of other flags and cohorts. */

import { reach } from '../../../src/base/graph.ts';
import { cohortIds, listLeaves } from '../filters/cohort-tree.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { allProperties } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';

interface StoredCohortChange {
  readonly projectId: string;
  readonly after: StoredCohort;
}

/** A flag cannot depend on events, neither directly nor through another cohort. */
export function checkBehaviour({ store }: ServiceContext, { projectId, after }: StoredCohortChange): void {
  if (activeFlagsUsing({ store, projectId }, after.id).length === 0) return;
  if (dependsOnEvents(after)) {
    throw behavioural('Behavioral filters cannot be added to cohorts used in feature flags.');
  }
  const childrenOf = (id: number): number[] => namedBy(store.cohorts.find(projectId, id));
  for (const id of reach(namedBy(after), childrenOf)) {
    const cohort = store.cohorts.find(projectId, id);
    if (cohort !== undefined && dependsOnEvents(cohort)) {
      throw behavioural(`The cohort ${cohort.name ?? id}, which this one names, depends on events.`);
    }
  }
}

/** Every cohort on the way exists, and none leads back. */
export function checkLoops({ store }: ServiceContext, { projectId, after }: StoredCohortChange): void {
  const childrenOf = (id: number): number[] => {
    if (id === after.id) throw invalidInput('Cohorts cannot reference other cohorts in a loop.');
    const cohort = store.cohorts.find(projectId, id);
    if (cohort === undefined) throw invalidInput('Invalid Cohort ID in filter');
    return namedBy(cohort);
  };
  reach(namedBy(after), childrenOf);
}

export function checkDeletion({ store }: ServiceContext, { projectId, after }: StoredCohortChange): void {
  const place = { store, projectId };
  const flags = activeFlagsUsing(place, after.id).map(({ name, key }) => name || key);
  if (flags.length > 0) {
    throw invalidInput(`This cohort is used in ${flags.length} active feature flag(s): ${flags.join(', ')}.`);
  }
  const cohorts = cohortsUsing(place, after.id).map(({ name }) => name ?? 'Unnamed');
  if (cohorts.length > 0) {
    throw invalidInput(`This cohort is used as criteria in ${cohorts.length} other cohort(s): ${cohorts.join(', ')}.`);
  }
}

function dependsOnEvents({ properties }: StoredCohort): boolean {
  return listLeaves(properties ?? {}).some(({ type }) => type === 'behavioral');
}

function behavioural(detail: string): Error {
  return invalid('behavioral_cohort_found', detail, 'filters');
}

interface CohortScope {
  readonly store: Store;
  readonly projectId: string;
}

/** Active flags whose conditions name the cohort, itself or through another dynamic one. */
function activeFlagsUsing({ store, projectId }: CohortScope, id: number): StoredFlag[] {
  const flags = store.flags.withCohorts(projectId).filter(({ active }) => active);
  const childrenOf = (cohort: number): number[] =>
    cohort === id ? [] : namedBy(store.cohorts.find(projectId, cohort));
  return flags.filter(({ filters }) => reach(cohortIds(allProperties(filters)), childrenOf).has(id));
}

function cohortsUsing({ store, projectId }: CohortScope, id: number): StoredCohort[] {
  return store.cohorts.list(projectId).filter((cohort) => cohort.id !== id && namedBy(cohort).includes(id));
}

/** The ids of the cohorts that the definition names; a static cohort has none. */
function namedBy(cohort: StoredCohort | undefined): number[] {
  return cohortIds(listLeaves(cohort?.properties ?? {}));
}
