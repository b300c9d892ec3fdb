/** Declared cohorts as if they were live. */

import { defined } from '../../base/optional.ts';
import type { AsLive } from '../as-live.ts';
import { knownFields } from '../known-fields.ts';
import type { Cohort } from './cohort.ts';
import type { DeclaredCohort, DesiredCohort } from './desired.ts';
import { withCohortIds } from '../filter-tree.ts';

type CohortIds = ReadonlyMap<string, number>;

export const COHORTS_AS_LIVE: AsLive<'cohorts'> = {
  idsOf,
  known: (desired, former, ids) => desired.flatMap((cohort) => knownCohort(cohort, former, ids)),
  toLive: (cohort, { cohorts = new Map() }) => toLiveCohort(cohort, cohorts),
};

/** A cohort without a configured id gets one that nothing else has. */
function idsOf(cohorts: readonly DeclaredCohort[], wanted: readonly DesiredCohort[]): CohortIds {
  const taken = [...cohorts, ...wanted].flatMap(({ id }) => id ?? []);
  const free = taken.reduce((most, id) => Math.max(most, id), 1_000_000) + 1;
  return new Map(cohorts.map(({ key, id }, index) => [key, id ?? free + index]));
}

/** A cohort that the configuration named by id without a declaration is known only to the service in its former state. */
function knownCohort(cohort: DesiredCohort, former: readonly DeclaredCohort[], ids: CohortIds): DesiredCohort[] {
  const before = former.find(({ key }) => key === cohort.key);
  if (before === undefined) return cohort.id === undefined ? [cohort] : [];
  const id = ids.get(before.key);
  if (cohort.kind === 'retired') return [{ ...cohort, ...defined({ id }) }];
  return [{ ...cohort, ...defined({ id }), fields: knownFields(cohort.fields, before.fields) }];
}

function toLiveCohort({ key, names: [name], fields }: DeclaredCohort, ids: CohortIds): Cohort {
  const known = withCohortIds(fields, (alias) => ids.get(alias));
  return { is_static: false, deleted: false, name, ...known, id: ids.get(key) ?? 0 };
}
