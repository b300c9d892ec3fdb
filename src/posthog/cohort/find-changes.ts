/** One cohort's change: create, update, restore or delete, or none; and the change that reverts it. */

import { isJsonObject, type JsonObject, memberOf } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { nameChange, createdFields, softDelete, findToInvert } from '../../engine/body-kind.ts';
import { refTo } from '../../engine/change.ts';
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
} from '../../engine/field-kind.ts';
import type { Leave, Applied, RefusedInversion } from '../../engine/kind.ts';
import type { Match } from '../../engine/matched.ts';
import { withCohortIds } from '../flag/model/cohort-filters.ts';
import { withoutDifferences } from '../flag/model/live-values.ts';
import {
  canonicalCohort,
  sentCohort,
  COHORT_FIELDS,
  cohortBase,
  comparableCohort,
  compareCohort,
} from './canonical.ts';
import type { ChangeCohort, CohortChange, CohortWarning, CreateCohort, DeleteCohort } from './change.ts';
import {
  type Cohort,
  type CohortSnapshot,
  type DeclaredCohort,
  type DesiredCohort,
  type LiveCohort,
  namesakesOf,
  namingOf,
  type RetiredCohort,
} from './cohort.ts';

type CohortOutcome = FieldOutcome<CohortChange, CohortWarning>;

/** The base's declaration of a cohort, with other cohorts under their current names. */
type FormerCohort = Pick<Match<DesiredCohort, LiveCohort>, 'base' | 'isOther'>;

/** `live` is absent if the project has no such cohort. */
export function changeCohort(match: Match<DesiredCohort, LiveCohort>, cohorts: CohortSnapshot): CohortOutcome {
  const { desired, live } = match;
  const { key } = desired;
  const isGone = live === undefined || live.deleted === true;
  if (desired.kind === 'retired' && isGone) return NO_OUTCOME;
  if (live?.cohort.is_static === true) {
    return { changes: [], warnings: [{ code: 'cohort_static', key: nameOfCohort(key), id: live.id }] };
  }
  if (desired.kind === 'retired')
    return live === undefined ? NO_OUTCOME : { ...NO_OUTCOME, changes: [retire(desired, live, match)] };
  if (live === undefined) return { ...NO_OUTCOME, changes: [create(desired, match, cohorts)] };
  return update(desired, { ...match, live }, cohorts);
}

/** The name of a cohort in options and reports. */
export function nameOfCohort(alias: string): string {
  return refTo('cohort', alias);
}

function create(desired: DeclaredCohort, former: FormerCohort, cohorts: CohortSnapshot): CreateCohort {
  const { key, fields, places } = desired;
  const named = withCohortIds(fields, cohorts.idOf);
  return {
    action: 'create',
    ...nameChange('cohort', key),
    fields: createdFields(fields, places, classifyMissingFields(named, former, COHORT_FIELDS)),
    body: sentCohort(named),
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
  const compared = compareWithFormer({ wanted, live: cohort, former }, COHORT_FIELDS);
  const action = deleted === true ? 'restore' : 'update';
  return changeDifferences(compared, places, ({ fields: differing, written, source }): ChangeCohort => {
    const body = sentCohort(pickFields(wanted, written));
    return {
      action,
      ...nameChange('cohort', key),
      id,
      fields: differing,
      body,
      base: cohortBase(cohort, written, namesakesOf(namingOf({ action, body }, cohort), cohorts.all)),
      needs: [],
      source,
    };
  });
}

function retire({ key, places }: RetiredCohort, live: LiveCohort, former: FormerCohort): DeleteCohort {
  const divergence = classifyEnd(live.cohort, former, COHORT_FIELDS);
  return {
    ...deletion(key, live.cohort, divergence),
    reason: 'retired',
    source: placeAt(places, '/deleted'),
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

/** The differences that the change still has to make; none once it is in effect. */
export function findMissing(
  change: CohortChange,
  cohort: Cohort,
  cohorts: Pick<CohortSnapshot, 'idOf'>,
): ReturnType<typeof compareCohort> {
  return compareCohort(effectOf(change, cohorts), cohort);
}

/** The fields that the change wrote, as they were before it. */
function formerFields({ body, base }: Exclude<CohortChange, { action: 'create' }>): JsonObject {
  return Object.fromEntries(
    Object.keys(body).map((field) => [field, memberOf(base.former, field) ?? memberOf(EMPTY, field) ?? null]),
  );
}

/** Values that empty a field which the cohort did not have. */
const EMPTY: JsonObject = { description: '', deleted: false };
