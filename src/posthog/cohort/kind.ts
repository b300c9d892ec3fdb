/** Cohorts as a kind of resource, with the consequences of their changes: the flags that they concern, and refusals to expect. */

import { defined } from '../../base/optional.ts';
import type { Needs } from '../../core/engine/kind.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import { protectsUsed } from '../flag/assess.ts';
import { cohortsIn, leavesOf, type CohortReference } from '../flag/model/cohort-filters.ts';
import { flagsAfterPlan } from '../flag/snapshot.ts';
import type { KindOf } from '../kind.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortChange, CohortRisk, CohortWarning } from './change.ts';
import { canonicalCohort, type Cohort, type DesiredCohort, type CohortSnapshot, type LiveCohort } from './cohort.ts';
import type { ExportedCohort } from './export.ts';
import { COHORTS } from './family.ts';
import { changeCohort, leaveCohort, nameOfCohort, invertCohortChange } from './find-changes.ts';
import type { CohortProblems } from './problems.ts';
import { namedByCohort, namedByFlag, flagsUsing, usesAfter, usesNow, waysOfUse } from './uses.ts';
import { cohortWriter, type CohortRun } from './write.ts';

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

export const COHORT: KindOf<'cohort'> = {
  name: 'cohort',
  family: COHORTS,
  scopes: { object: 'cohort', why: 'cohorts' },
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
  findUnwritableParts: (warning) => {
    if (warning.code === 'cohort_static') return [{ key: warning.key, isOutOfPlan: true }];
    if (warning.code !== 'cohort_name_shared') return [];
    return [warning.key, ...warning.held].map((key) => ({ key, isOutOfPlan: true }));
  },

  definition: (change) => {
    const before = change.action === 'create' ? undefined : change.base.cohort;
    const after = change.action === 'delete' ? undefined : canonicalCohort({ ...before, ...change.body });
    return defined({ before, after });
  },

  // The list leaves out deleted cohorts, which are read by id.
  reads: {
    toPlan: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
    toApply: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
    toUndo: ({ id }, answered) => ({ cohorts: { ids: [id ?? answered].filter((one) => typeof one === 'number') } }),
  },
  writer: cohortWriter,
};

/**
 * The dependencies between cohorts and other changes. A flag or cohort gets a condition on a cohort only once that one is as the plan wants
 * it; a cohort is deleted, or made to depend on events, only once it is no longer used.
 */
function findCohortNeeds(changes: readonly Change[], { cohorts }: ProjectSnapshot): Needs {
  const own = changes.filter((change) => change.resource === 'cohort');
  if (own.length === 0) return new Map();
  const needs = new Map<string, readonly string[]>();
  const add = (ref: string, more: readonly string[]): void => {
    if (more.length > 0) needs.set(ref, [...(needs.get(ref) ?? []), ...more]);
  };
  const users = changes.flatMap((change) => {
    const uses = usesOf(change, cohorts);
    return uses === undefined ? [] : [{ ref: change.ref, ...uses }];
  });
  const written = new Map(own.flatMap(({ action, id, key, ref }) => (action === 'delete' ? [] : [[id ?? key, ref]])));
  for (const { ref, adopts } of users)
    add(
      ref,
      adopts.flatMap((one) => written.get(one) ?? []),
    );
  for (const { action, body, id, key, ref } of own) {
    const isFree = action !== 'delete' && leavesOf(body['filters']).every(({ type }) => type !== 'behavioral');
    if (!isFree)
      add(
        ref,
        users.flatMap((user) => (user.releases.includes(id ?? key) ? user.ref : [])),
      );
  }
  return needs;
}

/** `adopts`: the cohorts on which there are conditions after the change. `releases`: those without any such conditions. */
function usesOf(
  change: Change,
  cohorts: CohortSnapshot,
): { readonly adopts: readonly CohortReference[]; readonly releases: readonly CohortReference[] } | undefined {
  if (change.resource !== 'flag' && change.resource !== 'cohort') return undefined;
  const named = change.resource === 'flag' ? namedByFlag : namedByCohort;
  const live = change.action === 'create' ? {} : change.resource === 'flag' ? change.base.flag : change.base.cohort;
  const before = named(live['filters'], cohorts);
  const filters = change.action === 'delete' ? undefined : change.body['filters'];
  const adopts = named(filters, cohorts);
  // A flag that is disabled no longer keeps a cohort from being deleted.
  if (change.resource === 'flag' && change.body['active'] === false) return { adopts, releases: before };
  const isRewritten = change.action === 'delete' || filters !== undefined;
  return { adopts, releases: isRewritten ? before.filter((one) => !adopts.includes(one)) : [] };
}

function assessCohorts(
  changes: readonly Change[],
  { flags, cohorts }: ProjectSnapshot,
  left: readonly LeftChange[],
): { readonly risks: readonly CohortRisk[]; readonly warnings: readonly CohortWarning[] } {
  const own = changes.filter((change) => change.resource === 'cohort');
  const absent = riskLeft(changes, left, cohorts);
  const isRelevant = own.length > 0 || cohorts.all.some((cohort) => cohort.is_calculating === true);
  if (!isRelevant) return { risks: absent, warnings: [] };
  const now = usesNow(flags, cohorts);
  const after = usesAfter(changes, now, cohorts);
  const { flags: flagsAfter } = flagsAfterPlan(changes, flags);
  const risks = own.flatMap((change): CohortRisk[] => {
    if (change.action !== 'delete') return [];
    const using = flagsUsing(change.id, after);
    const others = (after.users.get(change.id)?.cohorts ?? []).map((other) => labelOf(other, cohorts)).toSorted();
    if (using.length === 0 && others.length === 0) return [];
    const key = nameOfCohort(change.key);
    // The service refuses to delete a cohort that another cohort or an active flag uses.
    const isKept = others.length > 0 || using.some((one) => flagsAfter.get(one)?.active === true);
    const permit = protectsUsed(flags.all) && isKept ? {} : { permit: { kind: 'risky', value: key } as const };
    return [{ code: 'cohort_used', ref: change.ref, key, flags: using, cohorts: others, ...permit }];
  });
  const ofCohorts = own.flatMap((change): CohortWarning[] => {
    const { action, body, id: reference = change.key } = change;
    const key = nameOfCohort(change.key);
    const using = flagsUsing(reference, after);
    // A new cohort concerns only flags that the plan changes too. A name concerns no flag.
    const concernsFlags = action !== 'create' && (action !== 'update' || body['filters'] !== undefined);
    const concerned = concernsFlags ? [...new Set([...flagsUsing(reference, now), ...using])].toSorted() : [];
    const isOnEvents = action !== 'delete' && after.onEvents.has(reference) && using.length > 0;
    const uses = waysOfUse(reference, [now, after], cohorts);
    return [
      ...(concerned.length === 0 ? [] : [{ code: 'cohort_flags', key, action, flags: concerned, uses } as const]),
      ...(isOnEvents ? [{ code: 'cohort_behavioral', key, flags: using } as const] : []),
    ];
  });
  // The write of a definition starts the calculation of its cohort.
  const isDefined = ({ action, body }: CohortChange): boolean =>
    action !== 'delete' && (action !== 'update' || body['filters'] !== undefined);
  const calculated = new Set(own.filter(isDefined).map(({ id, key }) => id ?? key));
  const isCalculating = (reference: CohortReference): boolean =>
    calculated.has(reference) || (typeof reference === 'number' && cohorts.byId(reference)?.is_calculating === true);
  const ofFlags = changes.flatMap((change): CohortWarning[] => {
    if (change.resource !== 'flag' || change.action === 'delete') return [];
    const calculating = namedByFlag(change.body['filters'], cohorts).filter(isCalculating);
    return calculating.map((reference) => ({
      code: 'cohort_calculating',
      key: change.key,
      cohort: labelOf(reference, cohorts),
    }));
  });
  return { risks: [...risks, ...absent], warnings: [...ofCohorts, ...ofFlags] };
}

/** A cohort that is left as it is and does not exist has no id for a request. */
function riskLeft(changes: readonly Change[], left: readonly LeftChange[], cohorts: CohortSnapshot): CohortRisk[] {
  const gone = new Set(left.flatMap((one) => (one.resource === 'cohort' && one.action === 'create' ? one.key : [])));
  if (gone.size === 0) return [];
  return changes.flatMap((change): CohortRisk[] => {
    if (change.resource !== 'flag' || change.action === 'delete') return [];
    const named = new Set(namedByFlag(change.body['filters'], cohorts));
    return [...gone].flatMap((alias) => {
      const key = nameOfCohort(alias);
      const permit = { kind: 'override', value: key } as const;
      const risk = {
        code: 'dependency_left',
        ref: change.ref,
        key,
        dependent: change.key,
        why: 'deleted',
        permit,
      } as const;
      return named.has(alias) ? risk : [];
    });
  });
}

function labelOf(reference: CohortReference, { aliasOf, byId }: CohortSnapshot): string {
  if (typeof reference === 'string') return reference;
  return aliasOf(reference) ?? byId(reference)?.name ?? `id ${reference}`;
}
