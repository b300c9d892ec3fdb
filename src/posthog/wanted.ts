/** What must be read of the service, and how plans name it. */

import type { DesiredCohort, DesiredFlag } from './desired.ts';

/** Flags by key, where the service knows them by that key now. */
export interface WantedState {
  readonly keys: readonly string[];
  readonly roleAccessOf: readonly string[];
  /** The same by id, where keys may have changed since. */
  readonly roleAccessOfIds?: readonly number[];
  /** Whether to read what the organisation says about access, where flags have levels of access. */
  readonly organization?: boolean;
  /** Flags that are read one by one where the list leaves them out, as it does with deleted ones. */
  readonly ids?: readonly number[];
  /** Whether to list the cohorts. */
  readonly cohorts?: boolean;
  /** Cohorts that are read one by one where the list leaves them out, as it does with deleted ones. */
  readonly cohortIds?: readonly number[];
  /** The declared cohorts: where the list has none of a cohort's names, the one that had them is looked for. */
  readonly declaredCohorts?: readonly DesiredCohort[];
  /** The declared flags: where the list has none of a flag's keys, the flag that had them is looked for. */
  readonly declared?: readonly DesiredFlag[];
}

/** What changes are about: flags that a plan found already. */
export type KnownState = Required<Omit<WantedState, 'declared' | 'declaredCohorts'>>;

/** How plans name flags that the service has under other keys, or does not have yet. */
export interface PlanKeys {
  /** The key of now for a key that the plan gives. */
  readonly liveKey: (key: string) => string;
  readonly created: ReadonlySet<string>;
}
