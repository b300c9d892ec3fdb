/**
 * Finds the live cohort of each declared one, as flags are found (`engine/match.ts`): by the id that the configuration gives its
 * alias, or else by a unique name, by the name that the base declared, or by a trace of the cohort that had the alias or the name.
 */

import { FlagwrightError } from '../../base/errors.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { summarizeWith } from '../../base/wording.ts';
import { findHolder, type Identity } from '../../core/engine/desired.ts';
import { matchResources, ONLY_PAIRS, type FoundMatches, type Matches } from '../../core/engine/match.ts';
import type { Ambiguous } from '../../core/engine/matched.ts';
import { indexResources, type Snapshot } from '../../core/engine/snapshot.ts';
import type { DesiredState } from '../desired.ts';
import type { Sought } from '../family.ts';
import { withCohortIds, type CohortReference } from '../flag/model/cohort-filters.ts';
import type { LiveState } from '../live.ts';
import type { CohortWarning } from './change.ts';
import { compareCohort, findNamesakes, nameOf, type Cohort, type DesiredCohort, type LiveCohort } from './cohort.ts';
import { nameOfCohort } from './find-changes.ts';
import { type CohortProblems, COHORT_WORDS } from './problems.ts';

export interface CohortMatches extends Matches<DesiredCohort, LiveCohort> {
  /** Uncertain matches of cohort names. */
  readonly doubts: readonly CohortWarning[];
  /** Live cohorts that only the base declared. */
  readonly released: readonly LiveCohort[];
  /** Declared cohorts whose name several live ones have; none is in a pair. */
  readonly shared: readonly Ambiguous<DesiredCohort>[];
  /** The meaning of each alias in the base: the id of the cohort, or its current alias. Absent without a base. */
  readonly formerReferences?: ReadonlyMap<string, CohortReference>;
}

type DeclaredCohortNames = Pick<DesiredState, 'cohorts' | 'namedElsewhere'>;
type LiveCohorts = Pick<LiveState, 'cohorts' | 'traces'>;

/** Names need not be unique, and the one of a deleted cohort is free. The service does not know aliases. */
const BY_NAME: Identity<DesiredCohort> = {
  namesOf: ({ id, names }) => (id === undefined ? names.map((name) => name.trim()) : []),
  idOf: ({ id }) => id,
  tracedAs: ({ id, key }) => (id === undefined ? [key] : []),
  deletedKeepName: false,
  mayShareNames: true,
};

/**
 * `live`: every listed cohort, those with a configured id, and those of traces. `former`: what the base declared; absent without
 * a base.
 * @throws {FlagwrightError} `manifest_invalid` for an id that the project lacks.
 */
export function matchCohorts(
  { cohorts: desired = [], namedElsewhere }: DeclaredCohortNames,
  { cohorts: live = [], traces }: LiveCohorts,
  former?: readonly DesiredCohort[],
): CohortMatches {
  const snapshot = snapshotByName(live);
  refuse(
    desired.flatMap(({ key: alias, id, kind, places: { place } }): CohortMatchProblem[] => {
      if (id === undefined || kind === 'retired' || snapshot.byId(id) !== undefined) return [];
      return [{ code: 'cohort-missing', severity: 'error', place, args: { alias, id } }];
    }),
  );
  const found = matchResources(desired, snapshot, {
    identity: BY_NAME,
    // Equal content alone proves nothing.
    resembles: (wanted, { cohort }, idOf) => {
      if (wanted.kind === 'retired') return false;
      return compareCohort(withCohortIds({ ...wanted.fields, name: cohort.name ?? null }, idOf), cohort).length === 0;
    },
    ...defined({ traces: traces?.cohorts, base: former }),
  });
  const { declaredLive } = found;
  const references = former && findFormerReferences(found);
  // A plan knows a matched cohort by its alias, and other cohorts in the base by what they are now.
  const pairs = found.pairs.map(({ live: held, base, ...pair }) => {
    const known =
      base?.kind === 'declared' && references !== undefined
        ? { ...base, fields: withCohortIds(base.fields, (alias) => references.get(alias)) }
        : base;
    return { ...pair, ...defined({ live: held && { ...held, key: pair.desired.key }, base: known }) };
  });
  const taken = new Set(pairs.flatMap((pair) => pair.live?.id ?? []));
  const continued = new Set([...(namedElsewhere?.cohorts ?? []), ...pairs.flatMap(({ base }) => base?.key ?? [])]);
  return {
    ...ONLY_PAIRS,
    pairs,
    ...defined({ base: found.base, formerReferences: references }),
    doubts: findDoubts(found),
    released: [...declaredLive].flatMap(([key, one]) =>
      taken.has(one.id) || continued.has(key) ? [] : [{ ...one, key }],
    ),
    shared: found.shared,
  };
}

/**
 * Matches like `matchCohorts`, for callers that need the cohort of every alias.
 * @throws {FlagwrightError} `manifest_invalid` also for a name that several cohorts have.
 */
export function matchAllCohorts(declared: DeclaredCohortNames, live: LiveCohorts): CohortMatches {
  const matches = matchCohorts(declared, live);
  refuse(
    matches.shared.map(({ desired: { key: alias, places }, name, ids }) => ({
      code: 'cohort-ambiguous',
      severity: 'error',
      place: places.place,
      args: { alias, name, ids: ids.map(Number) },
    })),
  );
  return matches;
}

/** The ids of the matched cohorts by alias. */
export function aliasesOf({ pairs }: Pick<CohortMatches, 'pairs'>): ReadonlyMap<string, number> {
  return new Map(pairs.flatMap(({ desired: { key }, live }) => (live === undefined ? [] : [[key, live.id]])));
}

/** Finds the live cohorts that a declared one may mean by its id or its names. */
export function createFinder(live: readonly Cohort[]): (wanted: DesiredCohort) => readonly Cohort[] {
  const snapshot = snapshotByName(live);
  return (wanted) => {
    const holder = findHolder(wanted, snapshot, BY_NAME);
    if (holder === undefined) return [];
    if (wanted.id !== undefined) return [holder.cohort];
    return findNamesakes(live, holder.key);
  };
}

/** Cohorts by name: a deleted one gave its name away. */
function snapshotByName(live: readonly Cohort[]): Snapshot<LiveCohort> {
  const all = live.map((cohort): LiveCohort => ({
    id: cohort.id,
    key: nameOf(cohort),
    cohort,
    ...defined({ deleted: cohort.deleted }),
  }));
  const { byKey } = indexResources(all.filter(({ deleted }) => deleted !== true));
  return { ...indexResources(all), byKey };
}

type MatchedCohorts = FoundMatches<DesiredCohort, LiveCohort>;

function findFormerReferences({ pairs, declaredLive }: MatchedCohorts): ReadonlyMap<string, CohortReference> {
  const continued = pairs.flatMap(({ desired, live, base }): [string, CohortReference][] =>
    base === null || base === undefined ? [] : [[base.key, live?.id ?? desired.key]],
  );
  const own = [...declaredLive].map(([alias, { id }]): [string, CohortReference] => [alias, id]);
  return new Map([...continued, ...own]);
}

const DOUBTS: Readonly<Record<string, CohortWarning['code']>> = {
  renamed_back: 'cohort_renamed',
  renamed_away: 'cohort_renamed_away',
  renamed_deleted: 'cohort_renamed_deleted',
  previous_key_live: 'cohort_previous_live',
  deleted_unknown: 'cohort_former_unknown',
  retired_unknown: 'cohort_retired_unknown',
};

/** Any new cohort may have an unknown past; it matters where the base says that there was one. */
function findDoubts({ warnings, pairs }: MatchedCohorts): CohortWarning[] {
  const old = new Set(pairs.flatMap(({ desired, base }) => (base?.kind === 'declared' ? desired.key : [])));
  return warnings.flatMap((warning) => {
    const code = memberOf(DOUBTS, warning.code);
    if (code === undefined || (warning.code === 'deleted_unknown' && !old.has(warning.key))) return [];
    return { ...warning, code, key: nameOfCohort(warning.key) } as CohortWarning;
  });
}

type CohortMatchProblem = DiagnosticOf<Pick<CohortProblems, 'cohort-ambiguous' | 'cohort-missing'>>;

function refuse(diagnostics: readonly CohortMatchProblem[]): void {
  if (diagnostics.length === 0) return;
  throw new FlagwrightError('manifest_invalid', summarizeWith(COHORT_WORDS, diagnostics), { diagnostics });
}

/** The deleted cohorts that the base declared and that are not live under any of their names: other users may have renamed them. */
export function findRetiredCohorts(
  { cohorts = [] }: DesiredState,
  { cohorts: former = [] }: DesiredState,
  { cohorts: live }: LiveState,
): readonly Sought[] {
  if (live === undefined) return [];
  const find = createFinder(live);
  const declared = new Map(former.map((one) => [one.key, one]));
  return cohorts.flatMap((one): Sought[] => {
    const before = declared.get(one.key);
    if (one.kind !== 'retired' || one.id !== undefined || before?.kind !== 'declared') return [];
    return [one, before].some((cohort) => find(cohort).length > 0)
      ? []
      : [{ key: one.key, names: [...one.names, ...before.names] }];
  });
}
