/** A cohort before and after its change, in the form in which cohorts are compared. */

import { defined } from '../../base/optional.ts';
import { canonicalCohort } from '../../posthog/cohort/canonical.ts';
import type { CohortChange } from '../../posthog/cohort/change.ts';
import type { JudgedResource } from '../basis/judged.ts';

/** A plan changes a cohort by one request. */
export function cohortSidesOf([change]: readonly CohortChange[]): NonNullable<JudgedResource['cohort']> {
  if (change === undefined) return {};
  const before = change.action === 'create' ? undefined : change.base.cohort;
  const after = change.action === 'delete' ? undefined : canonicalCohort({ ...before, ...change.body });
  return defined({ before, after });
}
