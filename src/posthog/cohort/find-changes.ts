/** One cohort's change: create, update, restore or delete, or none. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { nameChange, createdFields, softDelete } from '../../engine/body-kind.ts';
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
import type { Leave } from '../../engine/kind.ts';
import type { Match } from '../../engine/matched.ts';
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
import { withoutDifferences } from '../flag/model/live-values.ts';
import { canonicalCohort, sentCohort, COHORT_FIELDS, cohortBase, comparableCohort } from './canonical.ts';
import type { ChangeCohort, CohortChange, CohortWarning, CreateCohort, DeleteCohort } from './change.ts';
import { withCohortIds } from '../flag/model/cohort-filters.ts';

export type CohortOutcome = FieldOutcome<CohortChange, CohortWarning>;

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
export function deletion(
  key: string,
  cohort: Cohort,
  divergence?: Divergence,
): Omit<DeleteCohort, 'reason' | 'source'> {
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
