/** Cohorts, as editing sees them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { Cohort } from '../../posthog/cohort/cohort.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { matchesField } from '../../posthog/flag/field-path.ts';
import { declaredCohortValues } from '../../posthog/cohort/comparable.ts';
import type { EditingContext } from '../context.ts';
import type { CohortEdit } from '../edit.ts';
import type { Differing, EditFacet, EditOr, ValueIn } from '../facet.ts';
import { COHORTS } from '../kinds.ts';
import type { LeftFlag } from '../results.ts';
import { layerAt, type WrittenAt } from '../texts.ts';
import { COHORT_DECLARING } from './declare.ts';
import { cohortFromSource, cohortSources, hasCohortPart, isOfCohortPart } from './from-source.ts';
import { isCohortWritten, writeCohortEdit } from './write.ts';

export const COHORT_FACET: EditFacet<CohortEdit, DesiredCohort> = {
  kind: COHORTS,

  write: writeCohortEdit,
  hasFallback: () => false,
  isWritten: isCohortWritten,
  placeOf: cohortPlace,

  fromLive: cohortFromLive,
  unplanned: () => [],
  isSelected: ({ path }, { ofCohorts }) => ofCohorts.some((one) => matchesField(one, path, {})),
  hasWholeFields: true,

  sources: cohortSources,
  fromSource: cohortFromSource,
  hasPart: hasCohortPart,
  isOfPart: isOfCohortPart,
  faceOf: ({ fields }, from) => declaredCohortValues(fields, from),

  declare: COHORT_DECLARING,
};

function cohortPlace(cohort: DesiredCohort, { path, declaration, project }: ValueIn): WrittenAt {
  const layer = layerDeclaration(declaration, project.name, COHORTS.prepareLayers);
  const pointer = cohort.kind === 'retired' ? '/deleted' : path;
  if (!Object.hasOwn(layer.value, fromPointer(pointer)[0] ?? '')) return {};
  return { place: placeAt(layer.places, pointer), layer: layerAt(layer.pathOf(pointer), declaration) };
}

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
