/** Cohorts as a kind of resource, with the consequences of their changes: the flags that they concern, and refusals to expect. */

import { defined } from '../../base/optional.ts';
import type { Needs } from '../../engine/kind.ts';
import type { Left } from '../../engine/matched.ts';
import { protectsUsed } from '../flag/certain-refusals.ts';
import { cohortsIn, leavesOf, type CohortReference } from '../flag/model/cohort-filters.ts';
import { flagsAfterPlan } from '../flag/snapshot.ts';
import type { KindOf, Reads } from '../kind.ts';
import type { Change, FlagChange } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { canonicalCohort } from './canonical.ts';
import type { CohortChange, CohortRisk, CohortWarning } from './change.ts';
import type { Cohort, DesiredCohort, CohortSnapshot, LiveCohort } from './cohort.ts';
import type { ExportedCohort } from './export.ts';
import { COHORTS } from './family.ts';
import { changeCohort, leaveCohort, nameOfCohort, invertCohortChange } from './find-changes.ts';
import type { CohortProblems } from './problems.ts';
import type { CohortRun } from './run-state.ts';
import { namedByCohort, namedByFlag, flagsUsing, usesAfter, usesNow, type CohortUses } from './uses.ts';
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

interface CohortAssessment {
  readonly risks: readonly CohortRisk[];
  readonly warnings: readonly CohortWarning[];
}

function assessCohorts(
  changes: readonly Change[],
  { flags, cohorts }: ProjectSnapshot,
  left: readonly Left[],
): CohortAssessment {
  const own = changes.filter((change) => change.resource === 'cohort');
  const absent = riskLeft(changes, left, cohorts);
  const isRelevant = own.length > 0 || cohorts.all.some((cohort) => cohort.is_calculating === true);
  if (!isRelevant) return { risks: absent, warnings: [] };
  const now = usesNow(flags, cohorts);
  const { flags: after } = flagsAfterPlan(changes, flags);
  const isRefused: CohortsAfterPlan['isRefused'] = (users, others) =>
    protectsUsed(flags.all) && (others.length > 0 || users.some((key) => after.get(key)?.active === true));
  const calculated = new Set(own.filter(isDefined).map(({ id, key }) => id ?? key));
  const around: CohortsAfterPlan = { now, after: usesAfter(changes, now, cohorts), cohorts, isRefused };
  return {
    risks: [...own.flatMap((change) => riskUses(change, around)), ...absent],
    warnings: [
      ...own.flatMap((change) => [...nameFlags(change, around), ...warnOfEvents(change, around)]),
      ...changes.flatMap((change) => warnOfCalculation(change, calculated, cohorts)),
    ],
  };
}

interface CohortsAfterPlan {
  readonly now: CohortUses;
  readonly after: CohortUses;
  readonly cohorts: CohortSnapshot;
  /** Whether the service refuses to delete a cohort that these flags and cohorts use: inactive flags do not count. */
  readonly isRefused: (flags: readonly string[], cohorts: readonly string[]) => boolean;
}

function riskUses(change: CohortChange, { after, cohorts, isRefused }: CohortsAfterPlan): CohortRisk[] {
  if (change.action !== 'delete') return [];
  const flags = flagsUsing(change.id, after);
  const others = (after.users.get(change.id)?.cohorts ?? []).map((other) => labelOf(other, cohorts));
  if (flags.length === 0 && others.length === 0) return [];
  const key = nameOfCohort(change.key);
  return [
    {
      code: 'cohort_used',
      ref: change.ref,
      key,
      flags,
      cohorts: others.toSorted(),
      ...(isRefused(flags, others) ? {} : { permit: { kind: 'risky', value: key } as const }),
    },
  ];
}

/** A cohort that is left as it is and does not exist has no id for a request. */
function riskLeft(changes: readonly Change[], left: readonly Left[], cohorts: CohortSnapshot): CohortRisk[] {
  const gone = new Set(left.flatMap((one) => (one.resource === 'cohort' && one.action === 'create' ? one.key : [])));
  if (gone.size === 0) return [];
  return changes.flatMap((change): CohortRisk[] => {
    if (change.resource !== 'flag' || change.action === 'delete') return [];
    const named = new Set(namedByFlag(change.body['filters'], cohorts));
    return [...gone]
      .filter((alias) => named.has(alias))
      .map((alias) => {
        const key = nameOfCohort(alias);
        const permit = { kind: 'override', value: key } as const;
        return { code: 'dependency_left', ref: change.ref, key, dependent: change.key, why: 'deleted', permit };
      });
  });
}

/** A new cohort concerns only flags that the plan changes too. A name concerns no flag. */
function nameFlags(change: CohortChange, { now, after }: CohortsAfterPlan): CohortWarning[] {
  const { action } = change;
  if (action === 'create' || (action === 'update' && change.body['filters'] === undefined)) return [];
  const flags = [...new Set([...flagsUsing(change.id, now), ...flagsUsing(change.id, after)])].toSorted();
  return flags.length === 0 ? [] : [{ code: 'cohort_flags', key: nameOfCohort(change.key), action, flags }];
}

function warnOfEvents(change: CohortChange, { after }: CohortsAfterPlan): CohortWarning[] {
  const reference = change.id ?? change.key;
  if (change.action === 'delete' || !after.onEvents.has(reference)) return [];
  const flags = flagsUsing(reference, after);
  return flags.length === 0 ? [] : [{ code: 'cohort_behavioral', key: nameOfCohort(change.key), flags }];
}

/** The write of a definition starts the calculation of its cohort. */
function isDefined({ action, body }: CohortChange): boolean {
  return action !== 'delete' && (action !== 'update' || body['filters'] !== undefined);
}

function warnOfCalculation(
  change: Change,
  calculated: ReadonlySet<CohortReference>,
  cohorts: CohortSnapshot,
): CohortWarning[] {
  if (change.resource !== 'flag' || change.action === 'delete') return [];
  const isCalculating = (reference: CohortReference): boolean =>
    calculated.has(reference) || (typeof reference === 'number' && cohorts.byId(reference)?.is_calculating === true);
  return namedByFlag(change.body['filters'], cohorts)
    .filter(isCalculating)
    .map((reference) => ({ code: 'cohort_calculating', key: change.key, cohort: labelOf(reference, cohorts) }));
}

function labelOf(reference: CohortReference, { aliasOf, byId }: CohortSnapshot): string {
  if (typeof reference === 'string') return reference;
  return aliasOf(reference) ?? byId(reference)?.name ?? `id ${reference}`;
}
