/** Which side moved a cohort away from the base: what `engine/three-way.ts` asks about it. */

import { jsonEquals, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Divergence } from '../../engine/base.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { Difference } from '../../engine/diff.ts';
import type { Match } from '../../engine/matched.ts';
import {
  classifyAlike,
  classifyAll,
  classifyDelete,
  classifyMissing,
  countAlike,
  withBaseValue,
  type ValueStates,
} from '../../engine/three-way.ts';
import type { DeclaredCohort, DesiredCohort } from './desired.ts';
import { canonicalCohort } from './canonical.ts';
import type { Cohort } from './cohort.ts';
import { comparableCohort, compareCohort } from './comparison.ts';
import { withCohortIds } from './references.ts';
import type { CohortSnapshot, LiveCohort } from './snapshot.ts';

/** What the base said of a cohort, with other cohorts as they are named now. */
export type FormerCohort = Pick<Match<DesiredCohort, LiveCohort>, 'base' | 'isOther'>;

/** The parts of a definition mean something only together. */
const UNITS: ReadonlySet<string> = new Set(['/filters']);

export interface ComparedCohort {
  readonly wanted: JsonObject;
  readonly cohort: Cohort;
}

export type CohortDifference = Difference & Pick<FieldChange, 'divergence' | 'base'>;

/** A class for each difference. Without a base none has one. */
export function compareWithFormer(
  differences: readonly Difference[],
  compared: ComparedCohort,
  { base, isOther }: FormerCohort,
): { readonly differences: readonly CohortDifference[]; readonly converged?: number } {
  if (base === undefined) return { differences };
  const former = defined({ isOther });
  if (base === null) return { differences: classifyAlike(differences, former).map(withoutUnit), converged: 0 };
  const values = statesOf(base, compared);
  const isOne = isOther !== true;
  const classified = isOne ? classifyAll(differences, values) : classifyAlike(differences, former);
  return {
    differences: classified.map((one) => withoutUnit(withBaseValue(one, values.states))),
    converged: isOne ? countAlike(values) : 0,
  };
}

/** Of a cohort that the service lacks. */
export function classifyMissingCohort(
  { fields }: DeclaredCohort,
  { base }: FormerCohort,
  { idOf }: Pick<CohortSnapshot, 'idOf'>,
): Divergence | undefined {
  return classifyMissing(
    defined({ base }),
    () => base?.kind === 'declared' && isSame(base.fields, withCohortIds(fields, idOf)),
  );
}

/** Of a cohort that is to be deleted. */
export function classifyCohortDelete(former: FormerCohort, cohort: Cohort): Divergence | undefined {
  const { base } = former;
  return classifyDelete(former, () => base?.kind === 'declared' && compareCohort(base.fields, cohort).length === 0);
}

function statesOf(base: DesiredCohort, { wanted, cohort }: ComparedCohort): ValueStates {
  const declared: JsonObject = base.kind === 'retired' ? { deleted: true } : { deleted: false, ...base.fields };
  const { deleted: _, ...fields } = wanted;
  return {
    states: { base: canonicalCohort(declared), live: comparableCohort(cohort), wanted: canonicalCohort(wanted) },
    units: UNITS,
    isDeclared: (pointer) => Object.hasOwn(declared, fromPointer(pointer)[0] ?? ''),
    isChanged: base.kind === 'retired' || !isSame(base.fields, fields),
  };
}

/** Whether two declarations mean the same. */
function isSame(base: JsonObject, fields: JsonObject): boolean {
  return jsonEquals(canonicalCohort(base), canonicalCohort(fields));
}

/** The pointer of the unit that decided is of no use outside. */
function withoutUnit<One extends CohortDifference>(one: One): CohortDifference {
  const { path, before, after, divergence, base } = one;
  return { path, ...defined({ before, after, divergence, base }) };
}
