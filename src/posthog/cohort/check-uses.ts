/** Checks the flags that use declared cohorts: a flag cannot depend on events, and not on a cohort that is declared as deleted. */

import type { Diagnostic } from '../../base/diagnostic.ts';
import { reach } from '../../base/graph.ts';
import { isJsonArray, isJsonObject } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { DesiredCohort } from './desired.ts';
import type { CohortProblems } from './problems.ts';
import { cohortsIn, leavesOf, readReference, type CohortReference } from '../filter-tree.ts';

export function checkUses(flags: readonly DesiredFlag[], cohorts: readonly DesiredCohort[]): Diagnostic[] {
  const nodes = new Map(
    cohorts.flatMap((cohort) =>
      [cohort.key, ...(cohort.id === undefined ? [] : [cohort.id])].map((one) => [one, cohort]),
    ),
  );
  return flags.flatMap((flag) => (flag.kind === 'declared' ? checkFlag(flag, nodes) : []));
}

type Nodes = ReadonlyMap<CohortReference, DesiredCohort>;
type CohortUseProblem = DiagnosticOf<Pick<CohortProblems, 'cohort-behavioral' | 'cohort-deleted'>>;

function checkFlag({ key, fields, places }: DeclaredFlag, nodes: Nodes): Diagnostic[] {
  return conditionsOn(fields['filters']).flatMap(({ reference, at }): CohortUseProblem[] => {
    const cohort = nodes.get(reference);
    if (cohort === undefined) return [];
    const { key: alias } = cohort;
    const where = { severity: 'error', place: placeAt(places, at) } as const;
    if (cohort.kind === 'retired') return [{ code: 'cohort-deleted', ...where, args: { alias } }];
    const isBehavioral = [...reach([reference], (one) => namedBy(nodes.get(one)))].some((one) =>
      leavesIn(nodes.get(one)).some(({ type }) => type === 'behavioral'),
    );
    return isBehavioral ? [{ code: 'cohort-behavioral', ...where, args: { key, alias } }] : [];
  });
}

function namedBy(cohort: DesiredCohort | undefined): readonly CohortReference[] {
  return cohortsIn(leavesIn(cohort));
}

function leavesIn(cohort: DesiredCohort | undefined): ReturnType<typeof leavesOf> {
  return cohort?.kind === 'declared' ? leavesOf(cohort.fields['filters']) : [];
}

interface CohortCondition {
  readonly reference: CohortReference;
  readonly at: string;
}

/** The conditions of a flag on cohorts, with their places. */
function conditionsOn(filters: DeclaredFlag['fields'][string]): CohortCondition[] {
  const groups = isJsonObject(filters) ? filters['groups'] : undefined;
  if (!isJsonArray(groups)) return [];
  return groups.flatMap((group, index) => {
    const properties = isJsonObject(group) ? group['properties'] : undefined;
    if (!isJsonArray(properties)) return [];
    return properties.flatMap((property, position): CohortCondition[] => {
      if (!isJsonObject(property) || property['type'] !== 'cohort') return [];
      const reference = readReference(property['value']);
      const at = `/filters/groups/${index}/properties/${position}/value`;
      return reference === undefined ? [] : [{ reference, at }];
    });
  });
}
