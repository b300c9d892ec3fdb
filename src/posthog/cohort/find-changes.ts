/** One cohort's change: create, update, restore or delete, or none; and the change that reverts it. */

import { isJsonObject, type JsonObject, memberOf, objectFrom } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../core/engine/base.ts';
import { nameChange, createdFields, softDelete, findToInvert } from '../../core/engine/body-kind.ts';
import { refTo } from '../../core/engine/change.ts';
import type { Difference } from '../../core/engine/diff.ts';
import {
  changeDifferences,
  classifyEnd,
  classifyMissingFields,
  compareWithFormer,
  fieldsIn,
  mixFields,
  NO_OUTCOME,
  pickFields,
  type FieldOutcome,
} from '../../core/engine/field-kind.ts';
import type { Leave, Applied, RefusedInversion } from '../../core/engine/kind.ts';
import type { Match } from '../../core/engine/matched.ts';
import { withCohortIds } from '../flag/model/cohort-filters.ts';
import { withoutDifferences } from '../flag/model/live-values.ts';
import type { ChangeCohort, CohortChange, CohortWarning, DeleteCohort } from './change.ts';
import {
  canonicalCohort,
  cohortBase,
  COHORT_COMPARISON,
  comparableCohort,
  compareCohort,
  namesakesOf,
  namingOf,
  noneOf,
  sentCohort,
  type Cohort,
  type CohortSnapshot,
  type DeclaredCohort,
  type DesiredCohort,
  type LiveCohort,
} from './cohort.ts';

/** `live` is absent if the project has no such cohort. */
export function changeCohort(
  match: Match<DesiredCohort, LiveCohort>,
  cohorts: CohortSnapshot,
): FieldOutcome<CohortChange, CohortWarning> {
  const { desired, live } = match;
  const { key, places } = desired;
  if (desired.kind === 'retired' && (live === undefined || live.deleted === true)) return NO_OUTCOME;
  if (live?.cohort.is_static === true) {
    return { changes: [], warnings: [{ code: 'cohort_static', key: nameOfCohort(key), id: live.id }] };
  }
  if (desired.kind === 'retired') {
    if (live === undefined) return NO_OUTCOME;
    const end = deletion(key, live.cohort, classifyEnd(live.cohort, match, COHORT_COMPARISON));
    return { ...NO_OUTCOME, changes: [{ ...end, reason: 'retired', source: placeAt(places, '/deleted') }] };
  }
  const named = withCohortIds(desired.fields, cohorts.idOf);
  if (live === undefined) {
    const change: CohortChange = {
      action: 'create',
      ...nameChange('cohort', key),
      fields: createdFields(desired.fields, places, classifyMissingFields(named, match, COHORT_COMPARISON)),
      body: sentCohort(named),
      needs: [],
      source: places.place,
    };
    return { ...NO_OUTCOME, changes: [change] };
  }
  const wanted: JsonObject = { ...(live.deleted === true && { deleted: false }), ...named };
  const compared = compareWithFormer({ wanted, live: live.cohort, former: match }, COHORT_COMPARISON);
  return changeDifferences(compared, places, ({ fields, written, source }) => {
    const action = live.deleted === true ? 'restore' : 'update';
    const body = sentCohort(pickFields(wanted, written));
    return { ...changeOf({ action, key, fields, body }, { cohort: live.cohort, written, cohorts }), source };
  });
}

/** The name of a cohort in options and reports. */
export function nameOfCohort(alias: string): string {
  return refTo('cohort', alias);
}

/** A change of a live cohort. */
function changeOf(
  { action, key, fields, body }: Pick<ChangeCohort, 'action' | 'key' | 'fields' | 'body'>,
  { cohort, written, cohorts }: { cohort: Cohort; written: readonly string[]; cohorts: CohortSnapshot },
): ChangeCohort {
  const namesakes = namesakesOf(namingOf({ action, body }, cohort), cohorts.all);
  return {
    action,
    ...nameChange('cohort', key),
    id: cohort.id,
    fields,
    body,
    base: cohortBase(cohort, written, namesakes),
    needs: [],
  };
}

/** The soft delete of a live cohort, without why and where. */
function deletion(key: string, cohort: Cohort, divergence?: Divergence): Omit<DeleteCohort, 'reason' | 'source'> {
  return softDelete('cohort', key, { id: cohort.id, base: cohortBase(cohort, ['deleted']), divergence });
}

/**
 * The declared cohort with live values in place of some differences, so that a comparison does not find them. A definition is left as
 * a whole with what drifted, since its parts mean something only together. `undefined` if nothing of the cohort is written.
 */
export function leaveCohort(
  { change, parts, match: { desired, live }, by }: Leave<CohortChange, DesiredCohort, LiveCohort>,
  { idOf }: CohortSnapshot,
): DeclaredCohort | undefined {
  const isWhole = change.action === 'create' || parts.some(({ path }) => path === '/deleted');
  if (isWhole || desired.kind === 'retired' || live === undefined) return undefined;
  const held = comparableCohort(live.cohort);
  const wanted = canonicalCohort(withCohortIds(desired.fields, idOf));
  const { filters, ...others } = by === 'unit' ? held : withoutDifferences(wanted, held, parts);
  const mixed = { ...others, ...(isJsonObject(filters) && { filters }) };
  return { ...desired, fields: sentCohort(mixFields(desired.fields, mixed, fieldsIn(parts))) };
}

/** The opposite of an applied change of a cohort, made against what is live now. */
export function invertCohortChange(
  applied: Applied<CohortChange>,
  cohorts: CohortSnapshot,
): CohortChange | RefusedInversion {
  const { change } = applied;
  const { key } = change;
  const found = findToInvert(applied, cohorts.byId, (live) => findMissing(change, live, cohorts));
  if ('refusal' in found) return found;
  const { live } = found;
  if (change.action === 'create' || change.action === 'restore') return { ...deletion(key, live), reason: 'undone' };
  // The fields that the change wrote, as they were before it. A field that the cohort did not have is emptied.
  const { former } = change.base;
  const wanted = objectFrom(Object.keys(change.body).map((field) => [field, memberOf(former, field) ?? noneOf(field)]));
  const fields = compareCohort(wanted, live);
  const action = change.action === 'delete' ? 'restore' : 'update';
  const written = fieldsIn(fields);
  return changeOf({ action, key, fields, body: sentCohort(wanted) }, { cohort: live, written, cohorts });
}

/** The differences that the change still has to make; none once it is in effect. */
export function findMissing(
  change: CohortChange,
  cohort: Cohort,
  { idOf }: Pick<CohortSnapshot, 'idOf'>,
): Difference[] {
  const body = withCohortIds(change.body, idOf);
  // A new cohort is not deleted.
  return compareCohort(change.action === 'create' ? { ...body, deleted: false } : body, cohort);
}
