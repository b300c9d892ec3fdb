/** One cohort's change: create, update, restore or delete, or none. */

import { memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import { refTo, type FieldChange } from '../../engine/change.ts';
import { baseOf, classify } from '../../engine/classify.ts';
import { diff, type Difference } from '../../engine/diff.ts';
import type { Match } from '../../engine/matched.ts';
import type { DeclaredCohort, DesiredCohort, RetiredCohort } from '../desired.ts';
import { canonicalCohort, sentCohort } from './canonical.ts';
import type { ChangeCohort, CohortBase, CohortChange, CohortWarning, CreateCohort, DeleteCohort } from './change.ts';
import type { Cohort } from './cohort.ts';
import { withCohortIds } from './references.ts';
import type { CohortSnapshot, LiveCohort } from './snapshot.ts';

export interface CohortOutcome {
  readonly changes: readonly CohortChange[];
  readonly warnings: readonly CohortWarning[];
}

/** `live` is absent where the project has no such cohort. */
export function changeCohort(
  { desired, live, base }: Match<DesiredCohort, LiveCohort>,
  cohorts: CohortSnapshot,
): CohortOutcome {
  const { key } = desired;
  const isGone = live === undefined || live.deleted === true;
  if (desired.kind === 'retired' && isGone) return NOTHING;
  if (live?.cohort.is_static === true) {
    return { changes: [], warnings: [{ code: 'cohort_static', key: nameOfCohort(key), id: live.id }] };
  }
  if (desired.kind === 'retired')
    return { changes: live === undefined ? [] : [retire(desired, live, base)], warnings: [] };
  if (live === undefined) return { changes: [create(desired, cohorts, base)], warnings: [] };
  const change = update({ desired, live, ...defined({ base }) }, cohorts);
  return { changes: change === undefined ? [] : [change], warnings: [] };
}

const NOTHING: CohortOutcome = { changes: [], warnings: [] };

/** How options and reports name a cohort. */
export function nameOfCohort(alias: string): string {
  return refTo('cohort', alias);
}

type BaseCohort = Match<DesiredCohort, LiveCohort>['base'];

function create({ key, fields, places }: DeclaredCohort, cohorts: CohortSnapshot, base: BaseCohort): CreateCohort {
  const divergence = divergenceOf(base, 'declared');
  return {
    action: 'create',
    ref: refTo('cohort', key),
    resource: 'cohort',
    key,
    fields: Object.entries(fields).flatMap(([field, after]) =>
      after === undefined
        ? []
        : [{ path: `/${field}`, after, source: placeAt(places, `/${field}`), ...defined({ divergence }) }],
    ),
    body: sentCohort(withCohortIds(fields, cohorts.idOf)),
    needs: [],
    source: places.place,
  };
}

/** Where the base already asked for it, the service moved away. */
function divergenceOf(base: BaseCohort, asked: DesiredCohort['kind']): Divergence | undefined {
  if (base === undefined) return undefined;
  return base?.kind === asked ? 'drifted' : 'pending';
}

interface UpdatedMatch {
  readonly desired: DeclaredCohort;
  readonly live: LiveCohort;
  readonly base?: BaseCohort;
}

function update({ desired, live, base }: UpdatedMatch, cohorts: CohortSnapshot): ChangeCohort | undefined {
  const { key, fields, places } = desired;
  const { id, cohort, deleted } = live;
  const wanted: JsonObject = { ...(deleted === true && { deleted: false }), ...withCohortIds(fields, cohorts.idOf) };
  const differences = compareCohort(wanted, cohort);
  const [first] = differences;
  if (first === undefined) return undefined;
  const written = fieldsOf(differences);
  const classOf = base === undefined ? () => ({}) : classifierOf(base, { wanted, cohort }, cohorts);
  return {
    action: deleted === true ? 'restore' : 'update',
    ref: refTo('cohort', key),
    resource: 'cohort',
    key,
    id,
    fields: differences.map((difference) => ({
      ...difference,
      source: placeAt(places, difference.path),
      ...classOf(difference),
    })),
    body: sentCohort(pick(wanted, written)),
    base: cohortBase(cohort, written),
    needs: [],
    source: placeAt(places, first.path),
  };
}

/** The parts of a definition mean something only together. */
const UNITS: ReadonlySet<string> = new Set(['/filters']);

/** The class of each difference against what the base declared; all are pending where it did not declare the cohort. */
function classifierOf(
  base: DesiredCohort | null,
  { wanted, cohort }: { readonly wanted: JsonObject; readonly cohort: Cohort },
  { idOf }: CohortSnapshot,
): (difference: Difference) => Pick<FieldChange, 'divergence' | 'base'> {
  if (base?.kind !== 'declared') return () => ({ divergence: 'pending' });
  const states = {
    base: { deleted: false, ...canonicalCohort(withCohortIds(base.fields, idOf)) },
    live: comparableCohort(cohort),
    wanted: canonicalCohort(wanted),
  };
  return (difference) => {
    const { divergence } = classify(difference.path, states, UNITS);
    return divergence === 'conflict'
      ? { divergence, ...defined({ base: baseOf(difference, states) }) }
      : { divergence };
  };
}

function retire({ key, places }: RetiredCohort, { id, cohort }: LiveCohort, base: BaseCohort): DeleteCohort {
  const divergence = divergenceOf(base, 'retired');
  return {
    ...deletion(key, cohort),
    fields: [{ path: '/deleted', before: false, after: true, ...defined({ divergence }) }],
    id,
    reason: 'retired',
    source: placeAt(places, '/deleted'),
  };
}

/** The soft delete of a live cohort, without why and where. */
export function deletion(key: string, cohort: Cohort): Omit<DeleteCohort, 'reason' | 'source'> {
  return {
    action: 'delete',
    ref: refTo('cohort', key),
    resource: 'cohort',
    key,
    id: cohort.id,
    fields: [{ path: '/deleted', before: false, after: true }],
    body: { deleted: true },
    base: cohortBase(cohort, ['deleted']),
    needs: [],
  };
}

/** Where a live cohort differs from the fields that are wanted of it; no other field is compared. */
export function compareCohort(wanted: JsonObject, cohort: Cohort): Difference[] {
  const [after, before] = [canonicalCohort(wanted), comparableCohort(cohort)];
  return Object.keys(wanted).flatMap((field) => diff(memberOf(before, field), memberOf(after, field), [field]));
}

/** The fields that a plan may write. Others are computed, or grow with the service. */
const COMPARED = ['name', 'description', 'filters', 'is_static', 'deleted'];

/** Every field of a live cohort that is ever compared, in canonical form. */
export function comparableCohort(cohort: Cohort): JsonObject {
  return canonicalCohort({ is_static: false, deleted: false, ...pick(cohort, COMPARED) });
}

export function cohortBase(cohort: Cohort, written: readonly string[]): CohortBase {
  const read = { deleted: false, ...pick(cohort, COMPARED) };
  return { cohort: comparableCohort(cohort), former: sentCohort(pick(read, written)) };
}

export function fieldsOf(differences: readonly Difference[]): string[] {
  return [...new Set(differences.map(({ path }) => fromPointer(path)[0] ?? ''))];
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return defined(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(object, name) ? object[name] : undefined])),
  );
}
