/** What editing needs from cohorts. */

import { fromPointer } from '../../base/json-pointer.ts';
import { definedKeys, isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import { checkDefinition, findCohortSlips } from '../../posthog/cohort/manifest.ts';
import {
  type Cohort,
  type DesiredCohort,
  compareCohort,
  snapshotCohorts,
  type CohortSnapshot,
  type LiveCohort,
} from '../../posthog/cohort/cohort.ts';
import { declaredCohortValues } from '../../posthog/cohort/family.ts';
import { writeCohort, EXPORTED_COHORTS } from '../../posthog/cohort/export.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { placesOfErrors } from '../../posthog/flag/checks/slips.ts';
import { cohortsIn, leavesOf, mapLeaves, withCohortIds } from '../../posthog/flag/model/cohort-filters.ts';
import { matchesField } from '../../engine/field-path.ts';
import { only } from '../../posthog/flag/layout/members.ts';
import type { LiveState } from '../../posthog/live.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import { type EditingContext, extendEdits } from '../context.ts';
import type { FieldEdit } from '../edit.ts';
import type {
  Differing,
  EditFacet,
  EditOr,
  EditCandidate,
  DeclareFacet,
  Declaring,
  MergeComparison,
  MergeFacet,
} from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { cross, namesOfCohorts, present, type Promotion, type PromotionSource } from '../promotion.ts';
import type { EditedPart, LeftFlag, PromotionReason, NotMerged } from '../results.ts';
import { fieldFacet, type FieldWriting } from '../write-fields.ts';
import { chooseAliases } from '../../export/aliases.ts';
import { declareResources } from '../../export/further.ts';
import { changeCohort } from '../../posthog/cohort/find-changes.ts';
import { aliasesOf, matchAllCohorts, createFinder } from '../../posthog/cohort/match.ts';
import { commonestHome, type DeclaredIn, type ReadTexts, editTexts, readTexts } from '../texts.ts';
import { fieldsIn } from '../../engine/field-kind.ts';
import type { UndeclaredReason } from '../../posthog/exported.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';

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

  declare: { identify, exported: exportCohorts, homeOf, findDiffering },
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

/** The alias in the configuration, or else one made from the name, by which the cohort must be found. */
function identify({ keys, context }: Declaring): ReturnType<DeclareFacet['identify']> {
  const { read, project, live } = context;
  const cohorts = (live.cohorts ?? []).filter(({ deleted }) => deleted !== true);
  const isAsked = ({ id }: Cohort): boolean => keys.has(String(id));
  const { cohort: configured } = lookupNames([], project);
  const declared = [...read.declarations.values()].filter(({ section }) => section === EDITED.cohorts.section);
  const taken = { ...Object.fromEntries(declared.map(({ key }) => [key, 0])), ...project.cohorts };
  const nameless = cohorts.filter((cohort) => isAsked(cohort) && configured(cohort.id) === undefined);
  const names = new Map(nameless.map(({ id, name }) => [id, name ?? undefined]));
  const { cohorts: chosen } = chooseAliases({ cohorts: names, roles: new Map() }, { cohorts: taken, roles: {} }, []);
  const aliasOf = new Map(Object.entries(chosen).map(([alias, id]) => [id, alias]));
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const cohort of cohorts.filter(isAsked)) {
    const { id } = cohort;
    const name = cohort.name?.trim() ?? '';
    const alias = configured(id) ?? aliasOf.get(id);
    const isFound = configured(id) !== undefined || cohorts.filter((other) => other.name?.trim() === name).length === 1;
    if (alias !== undefined && declared.some(({ key }) => key === alias)) {
      left.push({ key: nameOfId(cohort), reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
    } else if (alias === undefined || !isFound) {
      const reason = { code: 'cohort-unidentified', name, alias: alias ?? `cohort-${id}`, id } as const;
      left.push({ key: nameOfId(cohort), reason });
    } else open.push({ key: nameOfId(cohort), declared: alias });
  }
  return { open, left };
}

/** A cohort that was not declared is named as the command line names it. */
function nameOfId({ id }: Cohort): string {
  return nameResource('cohort', String(id));
}

function exportCohorts(
  { context, writing }: Declaring,
  open: readonly EditCandidate[],
): ReturnType<DeclareFacet['exported']> {
  const { live, project } = context;
  const chosen = chosenOf(open, live.cohorts);
  const added = Object.fromEntries(chosen.map(({ declared, cohort }) => [declared, cohort.id]));
  const names = { ...project, cohorts: { ...project.cohorts, ...added } };
  const exported = { flags: [], roleAccess: undefined, names, cohorts: live.cohorts ?? [] };
  const surroundings = { input: exported, options: writing, names: lookupNames([], names) };
  const ids = chosen.map(({ cohort }) => cohort.id);
  const { files, reasons } = declareResources('cohorts', ids, surroundings);
  const left = chosen.flatMap(({ key, cohort }): LeftFlag[] => {
    const reason = reasons.get(cohort.id);
    const name = cohort.name?.trim() ?? '';
    return reason === undefined ? [] : [{ key, reason: { code: 'cohort-undeclarable', name, reason } }];
  });
  return { files, left };
}

function chosenOf(
  open: readonly EditCandidate[],
  live: readonly Cohort[] = [],
): readonly (EditCandidate & { readonly cohort: Cohort })[] {
  const byName = new Map(live.map((cohort) => [nameOfId(cohort), cohort]));
  return open.flatMap((one) => {
    const cohort = byName.get(one.key);
    return cohort === undefined ? [] : [{ ...one, cohort }];
  });
}

/** The file with most of the declared cohorts. */
function homeOf(_key: string, { declarations }: ReadTexts): DeclaredIn | undefined {
  const declared = [...declarations.values()].filter(({ section }) => section === EDITED.cohorts.section);
  return commonestHome(declared);
}

/** The texts are read with the names that the configuration has, so that the cohort is found as in a plan. */
function findDiffering({ context }: Declaring, after: ReadTexts, open: readonly EditCandidate[]): readonly string[] {
  const { live, project } = context;
  const cohorts = live.cohorts ?? [];
  const matches = matchAllCohorts(after.resolve(project).desired, { cohorts });
  const snapshot = snapshotCohorts(cohorts, aliasesOf(matches));
  const same = new Set(
    matches.pairs.flatMap((pair) => (changeCohort(pair, snapshot).changes.length === 0 ? (pair.live?.id ?? []) : [])),
  );
  const differing = chosenOf(open, cohorts).filter(({ cohort }) => !same.has(cohort.id));
  return differing.map(({ key }) => key);
}

export const COHORT_MERGE: MergeFacet = {
  kind: EDITED.cohorts,
  elsewhere,
  idsOf: (flags, live) => new Set(EXPORTED_COHORTS.idsOf(flags, byId(live))),
  compare,
  lacking,
  undeclared,
  notes: ({ live }, flags, left) => {
    const undeclared = { live: byId(live), reasons: reasonsIn(left) };
    return flags.flatMap((flag) => EXPORTED_COHORTS.notes(flag, undeclared));
  },
  reasonOf: ({ code }) => (code === 'cohort-behavioral' ? 'behavioral' : 'reads-differently'),
};

/** Each alias stands for another live cohort. */
function elsewhere(context: EditingContext, ids: ReadonlySet<number> | undefined): readonly string[] {
  const { live, project, read, allProjects, manifests } = context;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.cohorts ?? [];
  if (aliases.length === 0) return [];
  const { texts } = editTexts(manifests, extendEdits(aliases.map(EDITED.cohorts.nameOf), context));
  const cohorts = EDITED.cohorts.desired(readTexts(texts, allProjects).resolve(project).desired);
  const find = createFinder(live.cohorts ?? []);
  const taken = new Set(aliasesOf(matchAllCohorts(desired, live)).values());
  return aliases.filter((alias) => {
    const declared = cohorts.find(({ key, kind }) => key === alias && kind === 'declared');
    const [found, ...others] = declared === undefined ? [] : find(declared);
    if (found === undefined || found.deleted === true || others.length > 0) return false;
    if (taken.has(found.id) || ids?.has(found.id) === false) return false;
    taken.add(found.id);
    return true;
  });
}

function compare(
  { read, project, live }: EditingContext,
  isOpen: (name: string, id: number) => boolean,
): MergeComparison {
  const matches = matchAllCohorts(read.resolve(project).desired, live);
  const aliases = aliasesOf(matches);
  const snapshot = snapshotCohorts(live.cohorts ?? [], aliases);
  const decided = matches.pairs.flatMap(({ desired, live: one }) => {
    const isMerged = one !== undefined && one.deleted !== true && isOpen(EDITED.cohorts.nameOf(desired.key), one.id);
    return isMerged ? decide(desired, one, snapshot) : [];
  });
  return {
    found: { cohorts: Object.fromEntries(aliases) },
    edits: decided.flatMap((one) => ('resource' in one ? one : [])),
    left: decided.flatMap((one) => ('reason' in one ? one : [])),
  };
}

/** Returns nothing if a plan would change nothing. */
function decide(
  desired: DesiredCohort,
  live: LiveCohort,
  snapshot: CohortSnapshot,
): readonly (FieldEdit | NotMerged)[] {
  const key = EDITED.cohorts.nameOf(desired.key);
  if (live.cohort.is_static === true) return [{ key, reason: 'static' }];
  if (desired.kind === 'retired') return [{ key, reason: 'declared-deleted' }];
  const [change] = changeCohort({ desired, live }, snapshot).changes;
  if (change === undefined) return [];
  const names = fieldsIn(change.fields);
  const [, ...former] = desired.names;
  if (names.includes('name') && former.includes(live.cohort.name?.trim() ?? '')) return [{ key, reason: 'renamed' }];
  const fields = Object.fromEntries(names.map((name) => [name, memberOf(live.cohort, name) ?? null]));
  return [{ resource: 'cohort', key, fields }];
}

function lacking({ read, project, live }: EditingContext): readonly string[] {
  return matchAllCohorts(read.resolve(project).desired, live).pairs.flatMap(({ desired, live: one }) => {
    const isHere = one !== undefined && one.deleted !== true;
    return desired.kind === 'retired' || isHere ? [] : EDITED.cohorts.nameOf(desired.key);
  });
}

/** The ids of cohorts whose configured name no manifest declares. */
function undeclared({ read, project, live }: EditingContext, flags: readonly Flag[]): ReadonlySet<string> {
  const { cohort: aliasOf } = lookupNames([], project);
  const used = EXPORTED_COHORTS.idsOf(flags, byId(live));
  const isOpen = (alias: string | undefined): boolean =>
    alias !== undefined && !read.declarations.has(EDITED.cohorts.nameOf(alias));
  return new Set(used.filter((id) => isOpen(aliasOf(id))).map(String));
}

function byId({ cohorts = [] }: LiveState): ReadonlyMap<number, Cohort> {
  return new Map(cohorts.map((cohort) => [cohort.id, cohort]));
}

function reasonsIn(left: readonly LeftFlag[]): ReadonlyMap<number, UndeclaredReason> {
  return new Map(
    left.map(({ key, reason }) => [
      Number(readName(key).key),
      reason.code === 'cohort-undeclarable' ? reason.reason : 'reads-differently',
    ]),
  );
}
