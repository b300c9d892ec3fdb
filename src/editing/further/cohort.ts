/** Cohorts, as editing sees them. */

import { fieldFacet } from './field-facet.ts';
import { pickMembers, definedKeys, isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { fieldsIn } from '../../core/engine/field-kind.ts';
import { chooseAliases } from '../../loop/export/aliases.ts';
import { declareResources } from '../../loop/export/further.ts';
import { layerDeclaration } from '../../core/manifest/layers.ts';
import {
  COHORT_MEMBERS,
  snapshotCohorts,
  compareCohort,
  type Cohort,
  type CohortSnapshot,
  type DesiredCohort,
  type LiveCohort,
} from '../../posthog/cohort/cohort.ts';
import { EXPORTED_COHORTS, writeCohort } from '../../posthog/cohort/export.ts';
import { declaredCohortValues } from '../../posthog/cohort/family.ts';
import { changeCohort } from '../../posthog/cohort/find-changes.ts';
import { checkDefinition, findCohortSlips } from '../../posthog/cohort/manifest.ts';
import { aliasesOf, createFinder, matchAllCohorts, type CohortMatches } from '../../posthog/cohort/match.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { placesOfErrors } from '../../posthog/flag/checks/slips.ts';
import { cohortsIn, leavesOf, mapLeaves, withCohortIds } from '../../posthog/flag/model/cohort-filters.ts';
import { lookupNames } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { FieldEdit, LeftFlag, LeftReason } from '../edit.ts';
import type {
  Declaring,
  Differing,
  EditCandidate,
  EditOr,
  ExportedCandidates,
  FurtherFacet,
  MergeDecision,
  MergeMatches,
} from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { cross, namesOfCohorts, type PromotionSource } from '../promotion.ts';
import type { ElementTest } from '../members.ts';

const COHORTS = EDITED.cohorts;

export const COHORT_FACET: FurtherFacet<DesiredCohort> = {
  ...fieldFacet<DesiredCohort>({
    kind: COHORTS,
    resource: 'cohort',
    parts: { conditions: 'filters', description: 'description' },
    // A missing description is an empty one, which an overlay can hold.
    usual: (field, wanted, { project }) => {
      const { cohort: nameOf } = lookupNames([], project);
      return memberOf(writeCohort({ id: 0, ...wanted }, { nameOf, minimal: false, nameless: false }), field) ?? '';
    },
    meansOf: (field, { wanted, usual }, { project }) => {
      const idOf = (alias: string): number | undefined => memberOf(project.cohorts, alias);
      const isSound: ElementTest = (value) => checkDefinition({ value: { [field]: value } }).length === 0;
      // A leaf whose type changes may not keep a member that its new type refuses, even a meaningless one.
      const mayBeKept = isSound(usual) ? isSound : () => true;
      return (value) => hasFields(withCohortIds({ [field]: value }, idOf), wanted) && mayBeKept(value);
    },
    hasFields,
    findIntended: (fields) => placesOfErrors(findCohortSlips(fields)),
    cross: (fields, { target, crossing }) => {
      const { name, filters } = fields;
      // A cohort without an id is found by its name: with another name, the next plan would create a second cohort.
      const isFoundByName = target !== undefined && target.id === undefined;
      if (isFoundByName && typeof name === 'string' && target.names[0].trim() !== name.trim()) {
        return { reason: { code: 'cohort-renamed', project: crossing.to.name } };
      }
      if (!isJsonObject(filters)) return { fields };
      const { properties } = filters;
      const copied = cross(crossing, (toTarget) => {
        if (!isJsonObject(properties)) return filters;
        const mapped = mapLeaves(properties, (leaf) =>
          leaf['type'] === 'cohort' ? { ...leaf, value: toTarget(leaf['value'] ?? null) } : leaf,
        );
        return { ...filters, properties: mapped };
      });
      return copied.missing === undefined
        ? { fields: { ...fields, filters: copied.filters } }
        : { reason: copied.missing };
    },
  }),

  fromLive,
  sources,
  needs: ({ fields: { filters } }, from) => namesOfCohorts(cohortsIn(leavesOf(filters)), from),
  comparableValuesOf: ({ fields }, from) => declaredCohortValues(fields, from),

  identify,
  exported,
  // The texts are read with the names that the configuration has, so that the cohort is found as in a plan.
  findDiffering: ({ context: { live, project } }, after, open) => {
    const { pairs, snapshot } = matchWithSnapshot(after.resolve(project).desired, { cohorts: live.cohorts ?? [] });
    const same = new Set(
      pairs.flatMap((pair) => (changeCohort(pair, snapshot).changes.length === 0 ? (pair.live?.id ?? []) : [])),
    );
    return chosenOf(open, live).flatMap(({ key, cohort }) => (same.has(cohort.id) ? [] : key));
  },

  idsOf: (flags, live) => new Set(EXPORTED_COHORTS.idsOf(flags, byId(live))),
  find: (declared, { cohorts = [] }) => {
    const [found, ...others] = createFinder(cohorts)(declared);
    return found === undefined || found.deleted === true || others.length > 0 ? undefined : found.id;
  },
  match,
  reasonOf: ({ code }) => (code === 'cohort-behavioral' ? 'behavioral' : 'reads-differently'),
  // Cohorts whose configured name no manifest declares.
  undeclared: ({ read, project, live }, flags) => {
    const { cohort: aliasOf } = lookupNames([], project);
    const open = EXPORTED_COHORTS.idsOf(flags, byId(live)).filter((id) => {
      const alias = aliasOf(id);
      return alias !== undefined && !read.declarations.has(COHORTS.nameOf(alias));
    });
    return new Set(open.map(String));
  },
  unmanaged: ({ project, desired, live }) => {
    const managed = new Set((desired.cohorts ?? []).map(({ key }) => memberOf(project.cohorts, key)));
    const { cohort: aliasOf } = lookupNames([], project);
    return (live.cohorts ?? [])
      .filter(({ id, deleted }) => deleted !== true && !managed.has(id))
      .map(({ id, name }) => {
        const alias = aliasOf(id);
        const names = [String(id), ...(name?.trim() ? [name.trim()] : []), ...(alias === undefined ? [] : [alias])];
        return { id, names: names.map((one) => nameResource('cohort', one)) };
      });
  },
  idNamed: (name) => Number(readName(name).key),
};

/** Uses the comparison of plans. */
function hasFields(declared: JsonObject, wanted: JsonObject): boolean {
  const cohort = { id: 0, ...wanted };
  return definedKeys(wanted).every(
    (name) => compareCohort({ [name]: memberOf(declared, name) ?? null }, cohort).length === 0,
  );
}

function fromLive({ key, found, context, warnings }: Differing): EditOr<FieldEdit, LeftReason> {
  const { live, read, project } = context;
  const actions = new Set(found.map(({ change }) => change.action));
  const moved = warnings.find((one) => one.code === 'cohort_renamed_away' && one.key === key);
  if (moved?.code === 'cohort_renamed_away') {
    return { reason: { code: 'cohort-moved', name: moved.current, id: moved.id } };
  }
  // A cohort in the base existed after the last apply, so it was deleted unless it may have been renamed.
  const isUnknown = warnings.some((one) => one.code === 'cohort_former_unknown' && one.key === key);
  const wasDeleted = !isUnknown && found.some(({ divergence }) => divergence === 'drifted');
  if (actions.has('restore') || (actions.has('create') && wasDeleted)) {
    return { edit: { resource: 'cohort', key, deleted: true } };
  }
  const id = found.find(({ change }) => change.id !== undefined)?.change.id;
  const cohort = live.cohorts?.find((one) => one.id === id);
  if (cohort === undefined) return { reason: { code: 'not-live' } };
  if (!actions.has('delete')) {
    const names = new Set(found.map(({ path }) => fromPointer(path)[0] ?? ''));
    return { edit: { resource: 'cohort', key, fields: fieldsOf(cohort, [...names]) } };
  }
  // The fields that the declaration has once it no longer declares the cohort as deleted; a definition is required.
  const declaration = read.declarations.get(key);
  const declared = declaration === undefined ? {} : layerDeclaration(declaration, project.name).value;
  const names = COHORT_MEMBERS.filter((name) => name === 'filters' || Object.hasOwn(declared, name));
  const fields = declaration === undefined ? {} : fieldsOf(cohort, names);
  return { edit: { resource: 'cohort', key, deleted: false, fields } };
}

function fieldsOf(live: Cohort, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, memberOf(live, name) ?? null]));
}

function sources(
  desired: DesiredState,
  live: LiveState | undefined,
  from: ProjectNames,
): ReadonlyMap<string, PromotionSource> {
  const declared = new Map(
    COHORTS.desired(desired).flatMap((one) => (one.kind === 'declared' ? [[one.key, one.fields] as const] : [])),
  );
  if (live === undefined) {
    return new Map([...declared].map(([alias, fields]) => [COHORTS.nameOf(alias), { fields }]));
  }
  return new Map(
    Object.entries(from.cohorts).flatMap(([alias, id]): [string, PromotionSource][] => {
      const cohort = live.cohorts?.find((one) => one.id === id);
      if (cohort === undefined || cohort.deleted === true || cohort.is_static === true) return [];
      const fields = writeCohort(cohort, { nameOf: () => undefined, minimal: false, nameless: false });
      const names = Object.keys(declared.get(alias) ?? fields);
      return [[COHORTS.nameOf(alias), { fields: pickMembers(fields, (name) => names.includes(name)) }]];
    }),
  );
}

/** The alias in the configuration, or else one made from the name, by which the cohort must be found. */
function identify({ keys, context }: Declaring): ReturnType<FurtherFacet['identify']> {
  const { read, project, live } = context;
  const cohorts = (live.cohorts ?? []).filter(({ deleted }) => deleted !== true);
  const asked = cohorts.filter(({ id }) => keys.has(String(id)));
  const { cohort: configured } = lookupNames([], project);
  const declared = [...read.declarations.values()].flatMap(({ section, key }) =>
    section === COHORTS.section ? key : [],
  );
  const taken = { ...Object.fromEntries(declared.map((key) => [key, 0])), ...project.cohorts };
  const nameless = asked.filter(({ id }) => configured(id) === undefined);
  const names = new Map(nameless.map(({ id, name }) => [id, name ?? undefined]));
  const { cohorts: chosen } = chooseAliases({ cohorts: names, roles: new Map() }, { cohorts: taken, roles: {} }, []);
  const aliasOf = new Map(Object.entries(chosen).map(([alias, id]) => [id, alias]));
  const open: EditCandidate[] = [];
  const left: LeftFlag[] = [];
  for (const { id, name: given } of asked) {
    const key = nameOfId(id);
    const name = given?.trim() ?? '';
    const alias = configured(id) ?? aliasOf.get(id);
    const isFound = configured(id) !== undefined || cohorts.filter((other) => other.name?.trim() === name).length === 1;
    if (alias !== undefined && declared.includes(alias)) {
      left.push({ key, reason: { code: 'not-exportable', reasons: ['declared-elsewhere'] } });
    } else if (alias === undefined || !isFound) {
      left.push({ key, reason: { code: 'cohort-unidentified', name, alias: alias ?? `cohort-${id}`, id } });
    } else open.push({ key, declared: alias });
  }
  return { open, left };
}

/** A cohort that was not declared is named as the command line names it. */
function nameOfId(id: number): string {
  return nameResource('cohort', String(id));
}

function exported({ context, writing }: Declaring, open: readonly EditCandidate[]): ExportedCandidates {
  const { live, project } = context;
  const chosen = chosenOf(open, live);
  const added = Object.fromEntries(chosen.map(({ declared, cohort }) => [declared, cohort.id]));
  const names = { ...project, cohorts: { ...project.cohorts, ...added } };
  const input = { flags: [], roleAccess: undefined, names, cohorts: live.cohorts ?? [] };
  const ids = chosen.map(({ cohort }) => cohort.id);
  const { files, reasons } = declareResources('cohorts', ids, {
    input,
    options: writing,
    names: lookupNames([], names),
  });
  const left = chosen.flatMap(({ key, cohort }): LeftFlag[] => {
    const reason = reasons.get(cohort.id);
    const name = cohort.name?.trim() ?? '';
    return reason === undefined ? [] : [{ key, reason: { code: 'cohort-undeclarable', name, reason } }];
  });
  return { files, left };
}

function chosenOf(
  open: readonly EditCandidate[],
  { cohorts = [] }: LiveState,
): readonly (EditCandidate & { readonly cohort: Cohort })[] {
  const byName = new Map(cohorts.map((cohort) => [nameOfId(cohort.id), cohort]));
  return open.flatMap((one) => {
    const cohort = byName.get(one.key);
    return cohort === undefined ? [] : [{ ...one, cohort }];
  });
}

function match(desired: DesiredState, live: LiveState): MergeMatches {
  const { pairs, aliases, snapshot } = matchWithSnapshot(desired, live);
  return {
    found: { cohorts: Object.fromEntries(aliases) },
    pairs: pairs.map(({ desired: one, live: held }) =>
      held === undefined || held.deleted === true
        ? { desired: one }
        : { desired: one, live: { id: held.id, decide: () => decide(one, held, snapshot) } },
    ),
  };
}

function decide(desired: DesiredCohort, live: LiveCohort, snapshot: CohortSnapshot): MergeDecision {
  if (live.cohort.is_static === true) return 'static';
  if (desired.kind === 'retired') return 'declared-deleted';
  const [change] = changeCohort({ desired, live }, snapshot).changes;
  if (change === undefined) return undefined;
  const names = fieldsIn(change.fields);
  const [, ...former] = desired.names;
  if (names.includes('name') && former.includes(live.cohort.name?.trim() ?? '')) return 'renamed';
  return fieldsOf(live.cohort, names);
}

function matchWithSnapshot(
  desired: DesiredState,
  live: Pick<LiveState, 'cohorts' | 'traces'>,
): Pick<CohortMatches, 'pairs'> & { readonly aliases: ReadonlyMap<string, number>; readonly snapshot: CohortSnapshot } {
  const { pairs } = matchAllCohorts(desired, live);
  const aliases = aliasesOf({ pairs });
  return { pairs, aliases, snapshot: snapshotCohorts(live.cohorts ?? [], aliases) };
}

function byId({ cohorts = [] }: LiveState): ReadonlyMap<number, Cohort> {
  return new Map(cohorts.map((cohort) => [cohort.id, cohort]));
}
