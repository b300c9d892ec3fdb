/** Cohorts as a kind of resource. */

import { defined } from '../../base/optional.ts';
import type { Needs } from '../../engine/kind.ts';
import { cohortsIn, leavesOf, type CohortReference } from '../flag/model/cohort-filters.ts';
import type { KindOf, Reads } from '../kind.ts';
import type { Change, FlagChange } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { assessCohorts } from './assess.ts';
import { canonicalCohort } from './canonical.ts';
import type { CohortChange, CohortRisk, CohortWarning } from './change.ts';
import type { ExportedCohort } from './export.ts';
import { changeCohort, leaveCohort, nameOfCohort } from './find-changes.ts';
import type { Cohort, DesiredCohort, CohortSnapshot, LiveCohort } from './cohort.ts';
import { COHORTS } from './family.ts';
import { invertCohortChange } from './invert.ts';
import type { CohortProblems } from './problems.ts';
import type { CohortRun } from './run-state.ts';
import { namedByCohort, namedByFlag } from './uses.ts';
import { cohortWriter } from './write.ts';

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
  readonly exported: ExportedCohort;
}

/** The list leaves out deleted cohorts, which are read by id. */
const READS: Reads<CohortChange, DesiredCohort> = {
  toPlan: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toApply: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toUndo: ({ id }, answered) => ({ cohorts: { ids: [id ?? answered].filter((one) => typeof one === 'number') } }),
};

export const COHORT: KindOf<'cohort'> = {
  name: 'cohort',
  family: COHORTS,
  isPresent: ({ desired, live, former }) => [desired, live, former].some((state) => (state?.cohorts ?? []).length > 0),
  keyless: true,
  actions: ['create', 'update', 'delete', 'restore'],

  compare: (match, { cohorts }) => changeCohort(match, cohorts),
  dependencies: (desired, snapshot) => {
    if (desired.kind === 'retired') return [];
    const used = cohortsIn(leavesOf(desired.fields['filters']));
    const aliases = used.flatMap((one) => (typeof one === 'string' ? one : (snapshot?.cohorts.aliasOf(one) ?? [])));
    return aliases.map(nameOfCohort);
  },
  findNeeds: findCohortNeeds,

  parts: ({ fields }) => fields,
  leave: (given, { cohorts }) => leaveCohort(given, cohorts),
  effects: ({ action }) => (action === 'delete' ? ['delete'] : action === 'update' ? ['update'] : []),
  liveKey: ({ key }) => nameOfCohort(key),
  assess: assessCohorts,

  invert: (applied, { cohorts }) => invertCohortChange(applied, cohorts),
  rename: (change) => change,

  isLeftWhole: true,
  // The service has a list of persons for a static cohort, and the manifests declare a definition.
  findLeftOutParts: (warning) => {
    if (warning.code === 'cohort_static') return [{ key: warning.key, isOutOfPlan: true }];
    if (warning.code !== 'cohort_name_shared') return [];
    return [warning.key, ...warning.held].map((key) => ({ key, isOutOfPlan: true }));
  },

  definition: (change) => {
    const before = change.action === 'create' ? undefined : change.base.cohort;
    const after = change.action === 'delete' ? undefined : canonicalCohort({ ...before, ...change.body });
    return defined({ before, after });
  },

  reads: READS,
  writer: cohortWriter,
};

/**
 * The dependencies between cohorts and other changes. A flag or cohort gets a condition on a cohort only once that one is as the plan wants
 * it; a cohort is deleted, or made to depend on events, only once it is no longer used.
 */
function findCohortNeeds(changes: readonly Change[], { cohorts }: ProjectSnapshot): Needs {
  const own = changes.filter((change) => change.resource === 'cohort');
  if (own.length === 0) return new Map();
  const users = changes.flatMap((change) => toUser(change, cohorts));
  const written = new Map(
    own.filter(({ action }) => action !== 'delete').map((change) => [referenceTo(change), change.ref]),
  );
  const needs = users.map(({ ref, adopts }): [string, string[]] => [
    ref,
    adopts.flatMap((one) => written.get(one) ?? []),
  ]);
  const waits = own
    .filter(waitsForReleases)
    .map((change): [string, string[]] => [
      change.ref,
      users.filter(({ releases }) => releases.includes(referenceTo(change))).map(({ ref }) => ref),
    ]);
  return joined([...needs, ...waits]);
}

/** A change that writes conditions on cohorts. */
interface User {
  readonly ref: string;
  /** The cohorts on which there are conditions after the change. */
  readonly adopts: readonly CohortReference[];
  /** The cohorts without any such conditions. */
  readonly releases: readonly CohortReference[];
}

function toUser(change: Change, cohorts: CohortSnapshot): User[] {
  if (change.resource === 'flag') {
    const before = change.action === 'create' ? [] : namedByFlag(change.base.flag['filters'], cohorts);
    return [userOf(change, before, namedByFlag(filtersAfter(change), cohorts))];
  }
  if (change.resource !== 'cohort') return [];
  const before = change.action === 'create' ? [] : namedByCohort(change.base.cohort['filters'], cohorts);
  const after = change.action === 'delete' ? [] : namedByCohort(change.body['filters'], cohorts);
  return [userOf(change, before, after)];
}

function userOf(
  change: FlagChange | CohortChange,
  before: readonly CohortReference[],
  after: readonly CohortReference[],
): User {
  const isRewritten = change.action === 'delete' || change.body['filters'] !== undefined;
  // A flag that is disabled no longer keeps a cohort from being deleted.
  const isOff = change.resource === 'flag' && change.body['active'] === false;
  const gone = isOff ? before : before.filter((one) => !after.includes(one));
  return { ref: change.ref, adopts: after, releases: isRewritten || isOff ? gone : [] };
}

function filtersAfter(change: FlagChange): FlagChange['body'][string] {
  return change.action === 'delete' ? undefined : change.body['filters'];
}

function waitsForReleases(change: CohortChange): boolean {
  return change.action === 'delete' || leavesOf(change.body['filters']).some(({ type }) => type === 'behavioral');
}

function referenceTo({ id, key }: CohortChange): CohortReference {
  return id ?? key;
}

function joined(pairs: readonly (readonly [string, readonly string[]])[]): Needs {
  const needs = new Map<string, readonly string[]>();
  for (const [ref, more] of pairs) if (more.length > 0) needs.set(ref, [...(needs.get(ref) ?? []), ...more]);
  return needs;
}
