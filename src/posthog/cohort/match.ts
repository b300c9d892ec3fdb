/**
 * Finds the live cohort of each declared one: by the id that the configuration gives its alias, or else by a unique name, by a
 * name that the base declared, or by a trace of the cohort that had the alias or the name.
 */

import { FlagwrightError } from '../../base/errors.ts';
import { summarizeWith } from '../../base/wording.ts';
import { defined } from '../../base/optional.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { Matches } from '../../engine/match.ts';
import type { Match } from '../../engine/matched.ts';
import type { DesiredCohort, DesiredState } from '../desired.ts';
import type { LiveState } from '../live.ts';
import type { CohortWarning } from './change.ts';
import { nameOfCohort } from './changes.ts';
import type { Cohort } from './cohort.ts';
import { followTraces } from './lineage.ts';
import type { CohortProblems } from './problems.ts';
import type { LiveCohort } from './snapshot.ts';
import { COHORT_WORDS } from './words.ts';

export interface CohortMatches extends Matches<DesiredCohort, LiveCohort> {
  /** What traces say of cohorts that were renamed in the service. */
  readonly doubts: readonly CohortWarning[];
  /** Live cohorts that only the base declared. */
  readonly released: readonly LiveCohort[];
}

type Declared = Pick<DesiredState, 'cohorts' | 'cohortsElsewhere'>;
type Live = Pick<LiveState, 'cohorts' | 'cohortTraces'>;

/**
 * `live`: every listed cohort, those with a configured id, and those of traces. `former`: what the base declared; absent without
 * a base.
 * @throws {FlagwrightError} `manifest_invalid` for a name that several cohorts have, and for an id that the project lacks.
 */
export function matchCohorts(
  { cohorts: desired = [], cohortsElsewhere = [] }: Declared,
  { cohorts: live = [], cohortTraces = [] }: Live,
  former?: readonly DesiredCohort[],
): CohortMatches {
  const byId = new Map(live.map((cohort) => [cohort.id, cohort]));
  const base = former && new Map(former.map((cohort) => [cohort.key, cohort]));
  const named = desired.map((wanted) => ({ wanted, candidates: findCandidates(wanted, live, byId) }));
  refuse(named.flatMap(({ wanted, candidates }) => findProblem(wanted, candidates)));
  const taken = new Set(named.flatMap(({ candidates }) => candidates.map(({ id }) => id)));
  const found = named.map(({ wanted, candidates: [cohort] }) => {
    const known = cohort ?? findFormer(wanted, base?.get(wanted.key), { live, taken });
    if (known !== undefined) taken.add(known.id);
    return { wanted, ...defined({ cohort: known }) };
  });
  const { pairs, doubts } = followTraces(found, { traces: cohortTraces, byId, taken });
  const aliases = new Set([...desired.map(({ key }) => key), ...cohortsElsewhere]);
  return {
    pairs: pairs.map(({ wanted, cohort }): Match<DesiredCohort, LiveCohort> => {
      const { key } = wanted;
      return {
        desired: wanted,
        ...defined({ live: cohort && toLive(cohort, key), base: base && (base.get(key) ?? null) }),
      };
    }),
    unmanaged: [],
    namedElsewhere: [],
    warnings: [],
    renamed: new Map(),
    ...defined({ base }),
    doubts: doubts.filter(({ code, key }) => code !== 'cohort_former_unknown' || wasDeclared(key, former)),
    released: (former ?? []).flatMap((one) => {
      if (one.kind === 'retired' || aliases.has(one.key)) return [];
      const [cohort, ...others] = findCandidates(one, live, byId).filter(({ id }) => !taken.has(id));
      return cohort === undefined || others.length > 0 || cohort.deleted === true ? [] : [toLive(cohort, one.key)];
    }),
  };
}

/** The ids of the matched cohorts by alias. */
export function aliasesOf({ pairs }: CohortMatches): ReadonlyMap<string, number> {
  return new Map(pairs.flatMap(({ desired: { key }, live }) => (live === undefined ? [] : [[key, live.id]])));
}

/** The live cohorts with the first of the names that any of them has. A deleted cohort gave its name away. */
export function findByName(names: readonly string[], live: readonly Cohort[]): readonly Cohort[] {
  for (const wanted of names) {
    const named = live.filter(({ name, deleted }) => name?.trim() === wanted.trim() && deleted !== true);
    if (named.length > 0) return named;
  }
  return [];
}

function toLive(cohort: Cohort, key: string): LiveCohort {
  return { id: cohort.id, key, cohort, ...defined({ deleted: cohort.deleted }) };
}

/** Those with the configured id, or else with the name; the current name precedes former ones. */
export function findCandidates(
  { id, names }: DesiredCohort,
  live: readonly Cohort[],
  byId: ReadonlyMap<number, Cohort>,
): readonly Cohort[] {
  return id === undefined ? findByName(names, live) : [byId.get(id)].filter((cohort) => cohort !== undefined);
}

/** The manifests may have renamed the cohort since the base. */
function findFormer(
  { id }: DesiredCohort,
  base: DesiredCohort | undefined,
  { live, taken }: { readonly live: readonly Cohort[]; readonly taken: ReadonlySet<number> },
): Cohort | undefined {
  if (id !== undefined || base?.kind !== 'declared') return undefined;
  const [cohort, ...others] = findByName(base.names, live);
  return cohort === undefined || others.length > 0 || taken.has(cohort.id) ? undefined : cohort;
}

/** Any new cohort may have an unknown past; it matters where the base says that there was one. */
function wasDeclared(name: string, former: readonly DesiredCohort[] | undefined): boolean {
  return former?.some(({ kind, key }) => kind === 'declared' && nameOfCohort(key) === name) === true;
}

type Problem = DiagnosticOf<Pick<CohortProblems, 'cohort-ambiguous' | 'cohort-missing'>>;

function findProblem(wanted: DesiredCohort, candidates: readonly Cohort[]): Problem[] {
  const { key: alias, id, kind, places } = wanted;
  const { place } = places;
  const ids = candidates.map((cohort) => cohort.id).toSorted((a, b) => a - b);
  if (ids.length > 1) {
    const name = candidates[0]?.name ?? '';
    return [{ code: 'cohort-ambiguous', severity: 'error', place, args: { alias, name, ids } }];
  }
  const isMissing = id !== undefined && ids.length === 0 && kind === 'declared';
  return isMissing ? [{ code: 'cohort-missing', severity: 'error', place, args: { alias, id } }] : [];
}

function refuse(diagnostics: readonly Problem[]): void {
  if (diagnostics.length === 0) return;
  throw new FlagwrightError('manifest_invalid', summarizeWith(COHORT_WORDS, diagnostics), { diagnostics });
}
