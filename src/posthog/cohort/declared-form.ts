/** How manifests declare cohorts, and which declarations may be the reason for an error of others. */

import { reach } from '../../base/graph.ts';
import type { JsonObject } from '../../base/json.ts';
import type { DeclaredForm } from '../family.ts';
import { cohortsIn, leavesOf } from '../filter-tree.ts';
import type { ManifestDiagnostic } from '../manifests/problems.ts';
import type { DesiredCohort } from './desired.ts';
import { COHORT_BLOCK, COHORT_ORDER } from './layout.ts';

export const COHORT_FORM: DeclaredForm<DesiredCohort> = {
  block: COHORT_BLOCK,
  order: COHORT_ORDER,
  meaningOf: ({ key, id = null, names, ...one }) => ({
    ...{ key, id, names },
    ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
  }),
  causesOf,
};

function causesOf(problem: ManifestDiagnostic, cohorts: readonly DesiredCohort[]): readonly string[] {
  if (problem.code === 'cohort-deleted') return [problem.args.alias];
  if (problem.code === 'cohort-unknown') return [problem.args.cohort];
  if (problem.code === 'cohort-name-taken') return [problem.args.alias, problem.args.other];
  if (problem.code === 'cohort-depends-on-itself') return problem.args.cycle;
  if (problem.code !== 'cohort-behavioral') return [];
  return eventsFirst([...reach([problem.args.alias], (alias) => namedBy(alias, cohorts))], cohorts);
}

/** Cohorts that depend on events themselves precede those that only name them. */
function eventsFirst(aliases: readonly string[], cohorts: readonly DesiredCohort[]): readonly string[] {
  const isOnEvents = (alias: string): boolean => leavesIn(alias, cohorts).some(({ type }) => type === 'behavioral');
  return [...aliases.filter(isOnEvents), ...aliases.filter((alias) => !isOnEvents(alias))];
}

function namedBy(alias: string, cohorts: readonly DesiredCohort[]): readonly string[] {
  const named = cohortsIn(leavesIn(alias, cohorts));
  return named.flatMap((one) =>
    typeof one === 'string' ? one : cohorts.flatMap(({ id, key }) => (id === one ? key : [])),
  );
}

function leavesIn(alias: string, cohorts: readonly DesiredCohort[]): readonly JsonObject[] {
  const found = cohorts.find(({ key }) => key === alias);
  return found?.kind === 'declared' ? leavesOf(found.fields['filters']) : [];
}
