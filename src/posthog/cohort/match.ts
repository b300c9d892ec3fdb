/** Finds the live cohort of each declared one: by the id that the configuration gives its alias, or else by a unique name. */

import { FlagwrightError } from '../../base/errors.ts';
import { summarizeWith } from '../../base/wording.ts';
import { defined } from '../../base/optional.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { Matches } from '../../engine/match.ts';
import type { Match } from '../../engine/matched.ts';
import type { DesiredCohort } from '../desired.ts';
import type { Cohort } from './cohort.ts';
import type { CohortProblems } from './problems.ts';
import type { LiveCohort } from './snapshot.ts';
import { COHORT_WORDS } from './words.ts';

export type CohortMatches = Matches<DesiredCohort, LiveCohort>;

/**
 * `live`: every listed cohort, and those with a configured id. `base`: what the base declared; absent without a base.
 * @throws {FlagwrightError} `manifest_invalid` for a name that several cohorts have, and for an id that the project lacks.
 */
export function matchCohorts(
  desired: readonly DesiredCohort[],
  live: readonly Cohort[],
  base?: readonly DesiredCohort[],
): CohortMatches {
  const byId = new Map(live.map((cohort) => [cohort.id, cohort]));
  const former = base && new Map(base.map((cohort) => [cohort.key, cohort]));
  const found = desired.map((wanted) => ({ wanted, candidates: findCandidates(wanted, live, byId) }));
  refuse(found.flatMap(({ wanted, candidates }) => findProblem(wanted, candidates)));
  return {
    pairs: found.map(({ wanted, candidates: [cohort] }): Match<DesiredCohort, LiveCohort> => {
      const { key } = wanted;
      return {
        desired: wanted,
        ...defined({ live: cohort && toLive(cohort, key), base: former && (former.get(key) ?? null) }),
      };
    }),
    unmanaged: [],
    namedElsewhere: [],
    warnings: [],
    renamed: new Map(),
  };
}

/** The ids of the matched cohorts by alias. */
export function aliasesOf({ pairs }: CohortMatches): ReadonlyMap<string, number> {
  return new Map(pairs.flatMap(({ desired: { key }, live }) => (live === undefined ? [] : [[key, live.id]])));
}

function toLive(cohort: Cohort, key: string): LiveCohort {
  return { id: cohort.id, key, cohort, ...defined({ deleted: cohort.deleted }) };
}

/** The current name precedes former ones. A deleted cohort gave its name away. */
function findCandidates(
  { id, names }: DesiredCohort,
  live: readonly Cohort[],
  byId: ReadonlyMap<number, Cohort>,
): readonly Cohort[] {
  if (id !== undefined) return [byId.get(id)].filter((cohort) => cohort !== undefined);
  for (const wanted of names) {
    const named = live.filter(({ name, deleted }) => name?.trim() === wanted.trim() && deleted !== true);
    if (named.length > 0) return named;
  }
  return [];
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
