/** The types of cohorts as a kind of resource. */

import type { CohortChange, CohortRisk, CohortWarning } from './change.ts';
import type { Cohort, DesiredCohort } from './cohort.ts';
import type { CohortProblems } from './problems.ts';
import type { CohortRun } from './run-state.ts';
import type { CohortSnapshot, LiveCohort } from './snapshot.ts';

export interface CohortTypes {
  readonly section: 'cohorts';
  readonly change: CohortChange;
  readonly warning: CohortWarning;
  readonly risk: CohortRisk;
  readonly problems: CohortProblems;
  readonly desired: DesiredCohort;
  readonly live: Cohort;
  readonly matched: LiveCohort;
  readonly snapshot: CohortSnapshot;
  readonly run: CohortRun;
}
