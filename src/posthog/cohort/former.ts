/** What an earlier apply left of a cohort. */

import { mixFields } from '../mix-fields.ts';
import type { DeclaredCohort, DesiredCohort } from './desired.ts';

/** The later declaration with fields of the earlier one; `undefined` where they cannot be told apart. */
export function mixCohorts(
  later: DesiredCohort,
  earlier: DesiredCohort | undefined,
  names: readonly string[],
): DesiredCohort | undefined {
  if (later.kind === 'retired') return undefined;
  const then: DeclaredCohort | undefined = earlier?.kind === 'declared' ? earlier : undefined;
  return { ...later, fields: mixFields(later.fields, then?.fields, names) };
}
