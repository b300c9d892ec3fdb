/** Reverts the change of a cohort, or says why not. */

import { memberOf, type JsonObject } from '../../base/json.ts';
import { nameChange, findToInvert } from '../../engine/body-kind.ts';
import type { Applied, RefusedInversion } from '../../engine/kind.ts';
import { fieldsIn } from '../../engine/field-kind.ts';
import { sentCohort, cohortBase, compareCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import { namesakesOf, namingOf, type Cohort, type CohortSnapshot } from './cohort.ts';
import { deletion } from './find-changes.ts';
import { withCohortIds } from '../flag/model/cohort-filters.ts';

/** The opposite of an applied change of a cohort, made against what is live now. */
export function invertCohortChange(
  applied: Applied<CohortChange>,
  cohorts: CohortSnapshot,
): CohortChange | RefusedInversion {
  const { change } = applied;
  const { key } = change;
  const found = findToInvert(applied, cohorts.byId, (live) => compareCohort(effectOf(change, cohorts), live));
  if ('refusal' in found) return found;
  const { live } = found;
  if (change.action === 'create' || change.action === 'restore') return { ...deletion(key, live), reason: 'undone' };
  const wanted = formerFields(change);
  const differences = compareCohort(wanted, live);
  const action = change.action === 'delete' ? 'restore' : 'update';
  const body = sentCohort(wanted);
  return {
    action,
    ...nameChange('cohort', key),
    id: live.id,
    fields: differences,
    body,
    base: cohortBase(live, fieldsIn(differences), namesakesOf(namingOf({ action, body }, live), cohorts.all)),
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

/** Values that empty a field which the cohort did not have. */
const EMPTY: JsonObject = { description: '', deleted: false };
