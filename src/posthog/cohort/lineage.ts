/**
 * Follows traces to cohorts that were renamed or deleted in the service. What a run recorded under the alias is the cohort; what
 * only the log names is it if it is in use and as declared, but for its name. Equal content alone says nothing.
 */

import { defined } from '../../base/optional.ts';
import type { FormerHolder, Trace } from '../../engine/trace.ts';
import type { DesiredCohort } from '../desired.ts';
import type { CohortWarning } from './change.ts';
import { compareCohort, nameOfCohort } from './changes.ts';
import type { Cohort } from './cohort.ts';
import { withCohortIds } from './references.ts';

export interface FoundCohort {
  readonly wanted: DesiredCohort;
  readonly cohort?: Cohort;
}

export interface Following {
  readonly traces: readonly Trace[];
  readonly byId: ReadonlyMap<number, Cohort>;
  /** Ids of the cohorts that are matched already. */
  readonly taken: ReadonlySet<number>;
}

/** The same cohorts, with a live one where a trace leads to it. Each is matched at most once. */
export function followTraces(
  found: readonly FoundCohort[],
  { traces, byId, taken: matched }: Following,
): { readonly pairs: readonly FoundCohort[]; readonly doubts: readonly CohortWarning[] } {
  const byAlias = new Map(traces.map((trace) => [trace.key, trace]));
  const aliases = new Map(
    found.flatMap(({ wanted, cohort }) => (cohort === undefined ? [] : [[wanted.key, cohort.id]])),
  );
  const taken = new Set(matched);
  const doubts: CohortWarning[] = [];
  const pairs = found.map((one): FoundCohort => {
    const { wanted } = one;
    const trace = byAlias.get(wanted.key);
    if (one.cohort !== undefined || wanted.kind === 'retired' || trace === undefined) return one;
    const key = nameOfCohort(wanted.key);
    if (trace.kind === 'unknown') {
      doubts.push({ code: 'cohort_former_unknown', key, why: trace.why });
      return one;
    }
    const cohort = byId.get(trace.id);
    if (cohort === undefined || (cohort.deleted === true && trace.evidence === 'logged')) return one;
    const facts = { key, id: cohort.id, current: cohort.name ?? '', ...defined({ since: trace.since }) };
    const isAsDeclared = (): boolean =>
      compareCohort(
        withCohortIds({ ...wanted.fields, name: cohort.name ?? null }, (alias) => aliases.get(alias)),
        cohort,
      ).length === 0;
    const why = findObstacle(trace, taken.has(cohort.id), isAsDeclared);
    if (why !== undefined) {
      if (cohort.deleted !== true) doubts.push({ code: 'cohort_renamed_away', ...facts, why });
      return one;
    }
    taken.add(cohort.id);
    if (cohort.deleted !== true) doubts.push({ code: 'cohort_renamed', ...facts });
    return { wanted, cohort };
  });
  return { pairs, doubts };
}

function findObstacle(
  { evidence }: FormerHolder,
  isTaken: boolean,
  isAsDeclared: () => boolean,
): 'declared' | 'differs' | undefined {
  if (isTaken) return 'declared';
  return evidence === 'recorded' || isAsDeclared() ? undefined : 'differs';
}
