/** Cohorts, as editing sees them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { Cohort } from '../../posthog/cohort/cohort.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { matchesField } from '../../posthog/flag/field-path.ts';
import { declaredCohortValues } from '../../posthog/cohort/comparable.ts';
import type { EditingContext } from '../context.ts';
import type { CohortEdit } from '../edit.ts';
import type { Differing, EditFacet, EditOr } from '../facet.ts';
import { COHORTS } from '../kinds.ts';
import type { LeftFlag } from '../results.ts';
import { COHORT_DECLARING } from './declare.ts';
import { cohortFromSource, cohortSources, hasCohortPart, isOfCohortPart } from './from-source.ts';
import { COHORT_WRITING } from './write.ts';
import { fieldPlace, isFieldEditWritten, writeFieldEdit } from '../write-fields.ts';

export const COHORT_FACET: EditFacet<CohortEdit, DesiredCohort> = {
  kind: COHORTS,

  write: (context, edit, { layer }) => writeFieldEdit(context, edit, { layer, writing: COHORT_WRITING }),
  hasFallback: () => false,
  isWritten: (edit, sides) => isFieldEditWritten(edit, sides, COHORT_WRITING),
  placeOf: (cohort, at) => fieldPlace(cohort, at, COHORTS),

  fromLive: cohortFromLive,
  unplanned: () => [],
  isSelected: ({ path }, { cohorts = [] }) => cohorts.some((one) => matchesField(one, path, {})),
  hasWholeFields: true,

  sources: cohortSources,
  fromSource: cohortFromSource,
  hasPart: hasCohortPart,
  isOfPart: isOfCohortPart,
  faceOf: ({ fields }, from) => declaredCohortValues(fields, from),

  declare: COHORT_DECLARING,
};

function cohortFromLive(differing: Differing): EditOr<CohortEdit, { readonly left: LeftFlag }> {
  const { key, found, context, warnings } = differing;
  const actions = new Set(found.map(({ change }) => change.action));
  const moved = warnings.find((one) => one.code === 'cohort_renamed_away' && one.key === key);
  if (moved?.code === 'cohort_renamed_away') {
    return { left: { key, reason: { code: 'cohort-moved', name: moved.current, id: moved.id } } };
  }
  // What the base declared was there after the last apply, and was deleted unless it may have been renamed.
  const isUnknown = warnings.some((one) => one.code === 'cohort_former_unknown' && one.key === key);
  const wasDeleted = !isUnknown && found.some(({ divergence }) => divergence === 'drifted');
  if (actions.has('restore') || (actions.has('create') && wasDeleted)) {
    return { edit: { resource: 'cohort', key, deleted: true } };
  }
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const live = context.live.cohorts?.find((cohort) => cohort.id === id);
  if (live === undefined) return { left: { key, reason: { code: 'not-live' } } };
  if (actions.has('delete')) {
    return { edit: { resource: 'cohort', key, deleted: false, fields: fieldsWithoutDeletion(key, live, context) } };
  }
  const names = new Set(found.map(({ path }) => fromPointer(path)[0] ?? ''));
  return { edit: { resource: 'cohort', key, fields: fieldsOf(live, [...names]) } };
}

/** The fields that the declaration has once it no longer declares the cohort as deleted; a definition is required. */
function fieldsWithoutDeletion(key: string, live: Cohort, { read, project }: EditingContext): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  const declared = definedKeys(layerDeclaration(declaration, project.name).value);
  return fieldsOf(live, ['name', 'description'].filter((name) => declared.includes(name)).concat('filters'));
}

function fieldsOf(live: Cohort, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, memberOf(live, name) ?? null]));
}
