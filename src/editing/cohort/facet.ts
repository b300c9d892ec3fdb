/** What editing needs from cohorts. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import { checkDefinition, findCohortSlips } from '../../posthog/cohort/manifest.ts';
import { type Cohort, type DesiredCohort, compareCohort } from '../../posthog/cohort/cohort.ts';
import { declaredCohortValues } from '../../posthog/cohort/family.ts';
import { writeCohort } from '../../posthog/cohort/export.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { placesOfErrors } from '../../posthog/flag/checks/slips.ts';
import { cohortsIn, leavesOf, mapLeaves, withCohortIds } from '../../posthog/flag/model/cohort-filters.ts';
import { matchesField } from '../../engine/field-path.ts';
import { only } from '../../posthog/flag/layout/members.ts';
import type { LiveState } from '../../posthog/live.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { EditingContext } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type { Differing, EditFacet, EditOr } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { cross, namesOfCohorts, present, type Promotion, type PromotionSource } from '../promotion.ts';
import type { EditedPart, LeftFlag, PromotionReason } from '../results.ts';
import { fieldFacet, type FieldWriting } from '../write-fields.ts';
import { COHORT_DECLARING } from './declare.ts';

/** The meaning of a cohort's value in a manifest, and how one is written. */
const WRITING: FieldWriting<DesiredCohort> = {
  kind: EDITED.cohorts,
  usual,
  meansOf: (field, { wanted, usual: exported }, { project }) => {
    const idOf = (alias: string): number | undefined =>
      Object.hasOwn(project.cohorts, alias) ? project.cohorts[alias] : undefined;
    const isSound = (value: JsonValue): boolean => checkDefinition({ value: { [field]: value } }).length === 0;
    // A leaf whose type changes may not keep a member that its new type refuses, even a meaningless one.
    const mayBeKept = isSound(exported) ? isSound : () => true;
    return (value) => meansFields(withCohortIds({ [field]: value }, idOf), wanted) && mayBeKept(value);
  },
  hasFields: meansFields,
  findIntended: (fields) => placesOfErrors(findCohortSlips(fields)),
};

export const COHORT_FACET: EditFacet<FieldEdit, DesiredCohort> = {
  ...fieldFacet(WRITING),

  fromLive: cohortFromLive,
  isSelected: ({ path }, { cohorts = [] }) => cohorts.some((one) => matchesField(one, path, {})),

  sources: cohortSources,
  fromSource: cohortFromSource,
  needs: ({ fields: { filters } }, from) => namesOfCohorts(cohortsIn(leavesOf(filters)), from),
  hasPart: hasCohortPart,
  isOfPart: (path, parts) => {
    const [field] = fromPointer(path);
    return parts.some((part) => FIELDS[part] !== undefined && FIELDS[part] === field);
  },
  comparableValuesOf: ({ fields }, from) => declaredCohortValues(fields, from),

  declare: COHORT_DECLARING,
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

function cohortFromLive(differing: Differing): EditOr<FieldEdit, { readonly left: LeftFlag }> {
  const { key, found, context, warnings } = differing;
  const actions = new Set(found.map(({ change }) => change.action));
  const moved = warnings.find((one) => one.code === 'cohort_renamed_away' && one.key === key);
  if (moved?.code === 'cohort_renamed_away') {
    return { left: { key, reason: { code: 'cohort-moved', name: moved.current, id: moved.id } } };
  }
  // A cohort in the base existed after the last apply, so it was deleted unless it may have been renamed.
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

/** The parts that cohorts have, as fields; only flags have the others. */
const FIELDS: Readonly<Partial<Record<EditedPart, string>>> = { conditions: 'filters', description: 'description' };

function hasCohortPart(parts: readonly EditedPart[]): boolean {
  return parts.some((part) => FIELDS[part] !== undefined);
}

function cohortFromSource({
  key,
  source: { fields },
  target,
  parts,
  crossing,
}: Promotion<DesiredCohort>): EditOr<FieldEdit, { readonly reason: PromotionReason }> {
  const lacking = parts?.find((part) => {
    const field = FIELDS[part];
    return field === undefined ? !hasCohortPart(parts) : !Object.hasOwn(fields, field);
  });
  if (lacking !== undefined) {
    return { reason: { code: 'part-lacks', part: lacking, project: crossing.from.name } };
  }
  const names = parts?.flatMap((part) => FIELDS[part] ?? []) ?? definedKeys(fields);
  const wanted = objectFrom(names.map((name) => [name, fields[name] as JsonValue] as const));
  const { name, filters } = wanted;
  if (typeof name === 'string' && losesName(target, name)) {
    return { reason: { code: 'cohort-renamed', project: crossing.to.name } };
  }
  if (!isJsonObject(filters)) return { edit: { resource: 'cohort', key, fields: wanted, deleted: false } };
  const copied = cross(crossing, (toTarget) => mapReferences(filters, toTarget));
  if (copied.missing !== undefined) return { reason: copied.missing };
  return { edit: { resource: 'cohort', key, fields: { ...wanted, filters: copied.filters }, deleted: false } };
}

function mapReferences(filters: JsonObject, toTarget: (value: JsonValue) => JsonValue): JsonObject {
  const { properties } = filters;
  if (!isJsonObject(properties)) return filters;
  const mapped = mapLeaves(properties, (leaf) =>
    leaf['type'] === 'cohort' ? { ...leaf, value: toTarget(leaf['value'] ?? null) } : leaf,
  );
  return { ...filters, properties: mapped };
}

/** A cohort without an id is found by its name: with another name, the next plan would create a second cohort. */
function losesName(target: DesiredCohort | undefined, name: string): boolean {
  return target !== undefined && target.id === undefined && target.names[0].trim() !== name.trim();
}

/** Sources by name, `cohort:ALIAS`, as manifests declare them or as they are live; `from` has the ids of the declared cohorts. */
function cohortSources(
  desired: DesiredState,
  live: LiveState | undefined,
  from: ProjectNames,
): ReadonlyMap<string, PromotionSource> {
  const cohorts = EDITED.cohorts.desired(desired);
  const declared = new Map(cohorts.flatMap((one) => (one.kind === 'declared' ? [[one.key, one.fields] as const] : [])));
  if (live === undefined) {
    return new Map([...declared].map(([alias, fields]) => [nameResource('cohort', alias), { fields }]));
  }
  return new Map(
    Object.entries(from.cohorts).flatMap(([alias, id]): [string, PromotionSource][] => {
      const cohort = live.cohorts?.find((one) => one.id === id);
      if (cohort === undefined || cohort.deleted === true || cohort.is_static === true) return [];
      const fields = writeCohort(cohort, { nameOf: () => undefined, minimal: false, nameless: false });
      const own = declared.get(alias);
      const names = own === undefined ? Object.keys(fields) : Object.keys(own);
      return [[nameResource('cohort', alias), { fields: present(only(fields, names)) }]];
    }),
  );
}
