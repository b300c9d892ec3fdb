/** The meaning of a cohort's value in a manifest, and how one is written. */

import { definedKeys, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { checkDefinition } from '../../posthog/cohort/checks.ts';
import { compareCohort } from '../../posthog/cohort/comparison.ts';
import { writeCohort } from '../../posthog/cohort/layout.ts';
import { withCohortIds } from '../../posthog/filter-tree.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { lookupNames } from '../../posthog/names.ts';
import type { EditingContext } from '../context.ts';
import { COHORTS } from '../kinds.ts';
import type { FieldWriting } from '../write-fields.ts';

export const COHORT_WRITING: FieldWriting<DesiredCohort> = {
  kind: COHORTS,
  usual,
  meansOf: (field, { wanted, usual: exported }, { project }) => {
    const idOf = (alias: string): number | undefined =>
      Object.hasOwn(project.cohorts, alias) ? project.cohorts[alias] : undefined;
    const isSound = (value: JsonValue): boolean => checkDefinition({ value: { [field]: value } }).length === 0;
    // A leaf of another type may not have what a written leaf has, even where that means nothing.
    const mayBeKept = isSound(exported) ? isSound : () => true;
    return (value) => meansFields(withCohortIds({ [field]: value }, idOf), wanted) && mayBeKept(value);
  },
  hasFields: meansFields,
};

/** The value that an export writes. A missing description is an empty one, which an overlay can hold. */
function usual(field: string, wanted: JsonObject, { project }: EditingContext): JsonValue {
  const { cohort: nameOf } = lookupNames([], project);
  return memberOf(writeCohort({ id: 0, ...wanted }, { nameOf, minimal: false, nameless: false }), field) ?? '';
}

/** Uses the comparison of plans. */
function meansFields(declared: JsonObject, wanted: JsonObject): boolean {
  const cohort = { id: 0, ...wanted };
  return definedKeys(wanted).every((name) => {
    const own = { [name]: memberOf(declared, name) ?? null };
    return compareCohort(own, cohort).length === 0;
  });
}
