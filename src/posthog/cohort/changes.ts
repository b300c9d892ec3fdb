/** One cohort's change: create, update, restore or delete, or none. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { nameChange, createdFields, softDelete } from '../../engine/body-kind.ts';
import { refTo } from '../../engine/change.ts';
import type { Match } from '../../engine/matched.ts';
import type { DeclaredCohort, DesiredCohort, RetiredCohort } from './desired.ts';
import { sentCohort } from './canonical.ts';
import type { ChangeCohort, CohortChange, CohortWarning, CreateCohort, DeleteCohort } from './change.ts';
import type { Cohort } from './cohort.ts';
import { cohortBase, compareCohort, fieldsOf, pick } from './comparison.ts';
import { withCohortIds } from './references.ts';
import type { CohortSnapshot, LiveCohort } from './snapshot.ts';
import { classifyCohortDelete, classifyMissingCohort, compareWithFormer, type FormerCohort } from './three-way.ts';

export interface CohortOutcome {
  readonly changes: readonly CohortChange[];
  readonly warnings: readonly CohortWarning[];
  /** How many values the manifests and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
}

/** `live` is absent where the project has no such cohort. */
export function changeCohort(match: Match<DesiredCohort, LiveCohort>, cohorts: CohortSnapshot): CohortOutcome {
  const { desired, live } = match;
  const { key } = desired;
  const isGone = live === undefined || live.deleted === true;
  if (desired.kind === 'retired' && isGone) return NOTHING;
  if (live?.cohort.is_static === true) {
    return { changes: [], warnings: [{ code: 'cohort_static', key: nameOfCohort(key), id: live.id }] };
  }
  if (desired.kind === 'retired')
    return live === undefined ? NOTHING : { ...NOTHING, changes: [retire(desired, live, match)] };
  if (live === undefined) return { ...NOTHING, changes: [create(desired, match, cohorts)] };
  return update(desired, { ...match, live }, cohorts);
}

const NOTHING: CohortOutcome = { changes: [], warnings: [] };

/** How options and reports name a cohort. */
export function nameOfCohort(alias: string): string {
  return refTo('cohort', alias);
}

function create(desired: DeclaredCohort, former: FormerCohort, cohorts: CohortSnapshot): CreateCohort {
  const { key, fields, places } = desired;
  return {
    action: 'create',
    ...nameChange('cohort', key),
    fields: createdFields(fields, places, classifyMissingCohort(desired, former, cohorts)),
    body: sentCohort(withCohortIds(fields, cohorts.idOf)),
    needs: [],
    source: places.place,
  };
}

function update(
  desired: DeclaredCohort,
  { live, ...former }: FormerCohort & { readonly live: LiveCohort },
  cohorts: CohortSnapshot,
): CohortOutcome {
  const { key, fields, places } = desired;
  const { id, cohort, deleted } = live;
  const wanted: JsonObject = { ...(deleted === true && { deleted: false }), ...withCohortIds(fields, cohorts.idOf) };
  const { differences, converged } = compareWithFormer(compareCohort(wanted, cohort), { wanted, cohort }, former);
  const counted = { ...NOTHING, ...defined({ converged }) };
  const [first] = differences;
  if (first === undefined) return counted;
  const written = fieldsOf(differences);
  const change: ChangeCohort = {
    action: deleted === true ? 'restore' : 'update',
    ...nameChange('cohort', key),
    id,
    fields: differences.map((difference) => ({ ...difference, source: placeAt(places, difference.path) })),
    body: sentCohort(pick(wanted, written)),
    base: cohortBase(cohort, written),
    needs: [],
    source: placeAt(places, first.path),
  };
  return { ...counted, changes: [change] };
}

function retire({ key, places }: RetiredCohort, live: LiveCohort, former: FormerCohort): DeleteCohort {
  const divergence = classifyCohortDelete(former, live.cohort);
  return {
    ...deletion(key, live.cohort, divergence),
    reason: 'retired',
    source: placeAt(places, '/deleted'),
  };
}

/** The soft delete of a live cohort, without why and where. */
export function deletion(
  key: string,
  cohort: Cohort,
  divergence?: Divergence,
): Omit<DeleteCohort, 'reason' | 'source'> {
  return softDelete('cohort', key, { id: cohort.id, base: cohortBase(cohort, ['deleted']), divergence });
}
