/** All manifests to the desired state of one project, with every check that needs the project or the other files. */

import { comparing } from '../base/compare-strings.ts';
import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import { distinct, sortDiagnostics } from '../base/diagnostic.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../base/json.ts';
import { toPointer } from '../base/json-pointer.ts';
import { placeAt } from '../base/place.ts';
import { createSuggest, type Suggest } from '../base/suggest.ts';
import type { DeclaredFlag, DesiredFlag, DesiredRole, DesiredState } from '../posthog/desired.ts';
import type { Filters } from '../posthog/flag/flag.ts';
import type { Project } from '../posthog/project.ts';
import { checkDeclaration } from '../posthog/flag/checks/declaration.ts';
import { checkDependencies, type DependencyNode } from '../posthog/flag/checks/dependencies.ts';
import type { Finding } from './finding.ts';
import { checkFilters } from '../posthog/flag/checks/filters.ts';
import { checkPreviousKeys, previousKeysOf } from './previous-keys.ts';
import { resolveCohorts, type CohortContext } from '../posthog/flag/manifest/cohorts.ts';
import { collectFlags } from './collect.ts';
import { memberPointer, toFields, type FlagFields } from '../posthog/flag/manifest/fields.ts';
import { layerFlag, type LayeredFlag } from './layers.ts';
import type { ManifestFile, ManifestFlag } from './manifest.ts';
import { resolveRoleAccess, type RoleAccess } from '../posthog/role-access/manifest.ts';
import { soundness, type Soundness } from './soundness.ts';
import { textsOf } from './texts.ts';

export interface Resolution {
  readonly desired: DesiredState;
  /** Sorted. With errors among them, `desired` is what could be made of the rest. */
  readonly diagnostics: readonly ManifestDiagnostic[];
}

/** `allProjects` are the names that overlays and `only_in` may use. */
export function resolveManifests(
  files: readonly ManifestFile[],
  project: Project,
  allProjects: readonly string[],
): Resolution {
  return resolveProject({ files, project, allProjects });
}

export interface ResolveInput {
  readonly files: readonly ManifestFile[];
  readonly project: Project;
  readonly allProjects: readonly string[];
  /** Called every now and then; what it throws ends the work. */
  readonly checkpoint?: () => void;
}

export function resolveProject({ files, project, allProjects, checkpoint }: ResolveInput): Resolution {
  const collected = collectFlags(files);
  const suggest = createSuggest();
  const run: Run = { project, aliases: Object.keys(project.cohorts), suggest, diagnostics: [...collected.diagnostics] };
  for (const flag of collected.flags) {
    checkpoint?.();
    report(
      run,
      checkDeclaration(flag, allProjects).map((finding) => placeInFlag(flag, finding)),
    );
    report(run, checkStrayLayers(flag, { allProjects, suggest }));
  }
  const here = collected.flags.filter((flag) => isIn(flag, project.name));
  const layered = here.map((flag) => ({ flag, layer: layerFlag(flag, project.name) }));
  const retired = layered.filter(({ layer }) => layer.value['deleted'] === true);
  const declared = layered
    .filter(({ layer }) => layer.value['deleted'] !== true)
    .map((pair) => {
      checkpoint?.();
      return resolveFlag(pair, run);
    });
  report(run, checkTogether({ project: project.name, here, retired, declared, complete: collected.complete, suggest }));
  const roleAccess = resolveRoleAccess({
    project,
    flags: declared.map(({ layer }) => layer),
    roles: collected.roles,
    retired: new Set(retired.map(({ layer }) => layer.key)),
    known: collected.keys,
    complete: collected.complete,
    suggest,
    checkpoint,
  });
  report(run, roleAccess.diagnostics);
  const flags = [
    ...declared.filter(isSound).map((flag) => toDeclared(flag, roleAccess)),
    ...retired.filter(isSound).map(toRetired),
  ];
  const elsewhere = namedElsewhere(collected.flags, { here, declared, project: project.name });
  return {
    desired: {
      flags: flags.toSorted(comparing(({ key }) => key)),
      ...(elsewhere.length === 0 ? {} : { namedElsewhere: elsewhere }),
    },
    diagnostics: sortDiagnostics(distinct(run.diagnostics)),
  };
}

/** What the work on one project carries along. */
interface Run extends CohortContext {
  readonly diagnostics: ManifestDiagnostic[];
}

// There may be more diagnostics than a call takes arguments.
function report({ diagnostics }: Run, found: readonly ManifestDiagnostic[]): void {
  for (const diagnostic of found) diagnostics.push(diagnostic);
}

interface LayeredPair {
  readonly flag: ManifestFlag;
  readonly layer: LayeredFlag;
}

interface ResolvedFlag extends LayeredPair {
  readonly fields: FlagFields;
  readonly sound: Soundness;
}

function isSound({ flag }: LayeredPair): boolean {
  return flag.sound;
}

/** Sorted. What other projects call a flag, or called it, and this one does not. */
function namedElsewhere(
  all: readonly ManifestFlag[],
  {
    here,
    declared,
    project,
  }: { readonly here: readonly ManifestFlag[]; readonly declared: readonly LayeredPair[]; readonly project: string },
): string[] {
  const named = new Set([...here.map(({ key }) => key), ...declared.flatMap(({ flag }) => previousKeysOf(flag))]);
  const keys = all
    .filter((flag) => !isIn(flag, project))
    .flatMap((flag) => [flag.key, ...(flag.value['deleted'] === true ? [] : previousKeysOf(flag))]);
  return [...new Set(keys)].filter((key) => !named.has(key)).sort();
}

// A lone text in place of the list is an error of shape that leaves no doubt about what is meant.
function isIn(flag: ManifestFlag, project: string): boolean {
  const onlyIn = flag.value['only_in'];
  return onlyIn === undefined || (isJsonArray(onlyIn) ? onlyIn.includes(project) : onlyIn === project);
}

/** What a flag says for projects that the configuration does not have, where it is checked for no other. */
function checkStrayLayers(
  flag: ManifestFlag,
  { allProjects, suggest }: { readonly allProjects: readonly string[]; readonly suggest: Suggest },
): ManifestDiagnostic[] {
  const overlays = isJsonObject(flag.value['projects']) ? Object.keys(flag.value['projects']) : [];
  const stray = [...overlays, ...textsOf(flag.value['only_in'])].filter((name) => !allProjects.includes(name));
  return stray.flatMap((project) => {
    const layer = layerFlag(flag, project);
    return layer.value['deleted'] === true ? [] : checkFields(flag, layer, suggest).diagnostics;
  });
}

function resolveFlag({ flag, layer }: LayeredPair, run: Run): ResolvedFlag {
  const { fields: own, sound, diagnostics } = checkFields(flag, layer, run.suggest);
  report(run, diagnostics);
  const { fields, places } = own;
  const filters = filtersOf(fields);
  if (filters === undefined || own.unchecked) return { flag, layer, sound, fields: own };
  const cohorts = resolveCohorts(filters, run);
  report(
    run,
    cohorts.findings.map((finding) => placeInFields({ layer, places, finding })),
  );
  return { flag, layer, sound, fields: { ...own, fields: { ...fields, filters: cohorts.filters } } };
}

/** The fields of a flag with the checks that need neither the project nor another flag. */
function checkFields(
  flag: ManifestFlag,
  layer: LayeredFlag,
  suggest: Suggest,
): { readonly fields: FlagFields; readonly sound: Soundness; readonly diagnostics: ManifestDiagnostic[] } {
  const fields = toFields(layer);
  const sound = soundness(flag.mistakes, (pointer) => layer.pathOf(memberPointer(layer, pointer)));
  const filters = filtersOf(fields.fields);
  const findings = filters === undefined || fields.unchecked ? [] : checkFilters(filters, sound, suggest);
  const diagnostics = findings.map((finding) => placeInFields({ layer, places: fields.places, finding }));
  return { fields, sound, diagnostics };
}

/** The checks of flags against each other. */
function checkTogether(input: {
  readonly project: string;
  readonly here: readonly ManifestFlag[];
  readonly retired: readonly LayeredPair[];
  readonly declared: readonly ResolvedFlag[];
  readonly complete: boolean;
  readonly suggest: Suggest;
}): ManifestDiagnostic[] {
  const { project, here, retired, declared, complete, suggest } = input;
  const findings = checkDependencies({
    project,
    declared: new Map(declared.map((resolved) => [resolved.layer.key, toNode(resolved)])),
    retired: new Set(retired.map(({ layer }) => layer.key)),
    complete,
    suggest,
  });
  const renames = checkPreviousKeys(
    here,
    declared.map(({ flag }) => flag),
  );
  return [
    ...here.flatMap((flag) => (renames.get(flag.key) ?? []).map((finding) => placeInFlag(flag, finding))),
    ...declared.flatMap(({ layer, fields: { places } }) =>
      (findings.get(layer.key) ?? []).map((finding) => placeInFields({ layer, places, finding })),
    ),
  ];
}

function toNode({ layer, sound, fields: { fields, unchecked } }: ResolvedFlag): DependencyNode {
  const active = sound.at('/active') ? fields['active'] !== false : undefined;
  return { key: layer.key, filters: filtersOf(fields), unchecked, active, sound };
}

function filtersOf({ filters }: JsonObject): Filters | undefined {
  return isJsonObject(filters) ? (filters as Filters) : undefined;
}

function placeInFlag(flag: ManifestFlag, { at, ...finding }: Finding): ManifestDiagnostic {
  return {
    ...finding,
    place: placeAt(flag.places, at),
    path: toPointer(['flags', flag.key]) + at,
  } as ManifestDiagnostic;
}

function placeInFields(input: {
  layer: LayeredFlag;
  places: FlagFields['places'];
  finding: Finding;
}): ManifestDiagnostic {
  const { at, ...finding } = input.finding;
  const path = input.layer.pathOf(memberPointer(input.layer, at));
  return { ...finding, place: placeAt(input.places, at), path } as ManifestDiagnostic;
}

function toDeclared({ flag, layer, fields }: ResolvedFlag, roleAccess: RoleAccess): DeclaredFlag {
  const roles: readonly DesiredRole[] | undefined = roleAccess.byFlag.get(layer.key);
  return {
    kind: 'declared',
    key: layer.key,
    previousKeys: previousKeysOf(flag),
    fields: fields.fields,
    places: fields.places,
    ...(roles === undefined ? {} : { roleAccess: roles }),
  };
}

function toRetired({ layer }: LayeredPair): DesiredFlag {
  return { kind: 'retired', key: layer.key, places: layer.places };
}
