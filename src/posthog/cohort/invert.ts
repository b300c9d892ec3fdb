/** Reverts the change of a cohort, or says why not. */

import { defined } from '../../base/optional.ts';
import { memberOf, type JsonObject } from '../../base/json.ts';
import { refTo } from '../../engine/change.ts';
import type { RefusedInversion } from '../../engine/inversion.ts';
import type { Applied } from '../../engine/kind.ts';
import { sentCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import type { Cohort } from './cohort.ts';
import { deletion } from './changes.ts';
import { cohortBase, compareCohort, fieldsOf } from './comparison.ts';
import { withCohortIds } from './references.ts';
import type { CohortSnapshot } from './snapshot.ts';

/** The opposite of an applied change of a cohort, made against what is live now. */
export function invertCohortChange(
  { change, id: answered }: Applied<CohortChange>,
  cohorts: CohortSnapshot,
): CohortChange | RefusedInversion {
  const { ref, key } = change;
  const id = change.action === 'create' ? answered : change.id;
  const live = id === undefined ? undefined : cohorts.byId(id);
  if (live === undefined) return { ref, key, refusal: 'gone', moved: [] };
  const moved = compareCohort(effectOf(change, cohorts), live).map(({ path, before, after }) => ({
    path,
    ...defined({ before: after, after: before }),
  }));
  if (moved.length > 0) return { ref, key, refusal: 'moved', moved };
  if (change.action === 'create' || change.action === 'restore') return { ...deletion(key, live), reason: 'undone' };
  const wanted = formerFields(change);
  const differences = compareCohort(wanted, live);
  return {
    action: change.action === 'delete' ? 'restore' : 'update',
    ref: refTo('cohort', key),
    resource: 'cohort',
    key,
    id: live.id,
    fields: differences,
    body: sentCohort(wanted),
    base: cohortBase(live, fieldsOf(differences)),
    needs: [],
  };
}

/** The fields that live state shows once the change is made. A new cohort is not deleted. */
export function effectOf(change: CohortChange, { idOf }: Pick<CohortSnapshot, 'idOf'>): JsonObject {
  const body = withCohortIds(change.body, idOf);
  return change.action === 'create' ? { ...body, deleted: false } : body;
}

export function hasEffect(change: CohortChange, cohort: Cohort, cohorts: Pick<CohortSnapshot, 'idOf'>): boolean {
  return compareCohort(effectOf(change, cohorts), cohort).length === 0;
}

/** The fields that the change wrote, as they were before it. */
function formerFields({ body, base }: Exclude<CohortChange, { action: 'create' }>): JsonObject {
  return Object.fromEntries(
    Object.keys(body).map((field) => [field, memberOf(base.former, field) ?? memberOf(EMPTY, field) ?? null]),
  );
}

/** What empties a field that the cohort did not have. */
const EMPTY: JsonObject = { description: '', deleted: false };
