/** The manifests of a PostHog project: the list of sections, and reading and resolving with it. A new kind is a row. */

import { jsonEquals } from '../../base/json.ts';
import { isManifest } from '../../base/generated/guards.ts';
import { validateManifest } from '../../base/generated/validators.ts';
import { checkShape } from '../../base/shape/check.ts';
import type { YamlFile } from '../../base/yaml/read.ts';
import { isDeclaredIn, type ManifestFile } from '../../core/manifest/declaration.ts';
import {
  namedFilesOf,
  withNamed,
  type NamedFiles,
  parseFile,
  readFiles,
  type ReadOptions,
} from '../../core/manifest/read.ts';
import { readRollout } from '../../core/rollout/read-rollout.ts';
import { resolveSections, type ResolveInput } from '../../core/manifest/resolve.ts';
import type { ManifestForm } from '../../core/manifest/section.ts';
import type { DesiredState } from '../desired.ts';
import { COHORT_SECTION } from '../cohort/manifest.ts';
import { EARLY_ACCESS_SECTION } from '../early-access/manifest.ts';
import { FLAG_SECTION } from '../flag/manifest/section.ts';
import type { FamilyName, KindName } from '../kind-types.ts';
import type { Project } from '../project.ts';
import { ROLE_ACCESS_SECTION } from '../role-access/manifest.ts';
import type { ManifestDiagnostic } from './problems.ts';
import type { Section } from '../declared/section.ts';

export type { ManifestFile } from '../../core/manifest/declaration.ts';
export type { ReadOptions } from '../../core/manifest/read.ts';

/** Sorted as they are resolved: others are checked against the flags before them. */
const SECTION_BY_KIND: { readonly [Kind in KindName]: Section } = {
  flag: FLAG_SECTION,
  cohort: COHORT_SECTION,
  early_access: EARLY_ACCESS_SECTION,
  role_access: ROLE_ACCESS_SECTION,
};

const SECTIONS = Object.values(SECTION_BY_KIND);

const FORM: ManifestForm = {
  checkShape: (value, places) => (isManifest(value) ? [] : checkShape(validateManifest, value, places)),
  sections: SECTIONS,
};

const NOTHING: DesiredState = { flags: [] };

/** Reads every file that matches. Problems are returned as diagnostics; nothing is thrown for them. */
export async function readManifests(options: ReadOptions): Promise<{
  readonly files: readonly ManifestFile[];
  readonly diagnostics: readonly ManifestDiagnostic[];
}> {
  const { files, diagnostics } = await readFiles(options, FORM);
  return { files, diagnostics: diagnostics as readonly ManifestDiagnostic[] };
}

/** Reads the text of one file. `named`: what its declarations may name. */
export function parseManifest(
  name: string,
  text: string,
  named: NamedFiles = new Map(),
): { readonly file: ManifestFile; readonly diagnostics: readonly ManifestDiagnostic[] } {
  const { file, diagnostics } = parseFile(name, text, FORM);
  return { file: withNamed(file, FORM, named), diagnostics: diagnostics as readonly ManifestDiagnostic[] };
}

/** The same as YAML: the values of its documents, and the mistakes of its syntax alone. */
export function readManifestYaml(name: string, text: string): YamlFile {
  return parseFile(name, text, FORM).yaml;
}

/** The names of the files that manifests name, relative to `root`. */
export async function findNamedFiles(root: string, patterns: readonly string[]): Promise<readonly string[]> {
  const { files } = await readManifests({ root, patterns });
  return files.flatMap((file) => [...namedFilesOf(file).keys()]);
}

/** The keys of the resources of a family that files declare, each once. */
export function declaredKeys(files: readonly ManifestFile[], family: FamilyName): ReadonlySet<string> {
  const all = files.flatMap(({ declarations }) => declarations);
  return new Set(all.filter(({ section }) => section === family).map(({ key }) => key));
}

/** The aliases of the cohorts that files declare for a project. */
export function declaredCohorts(files: readonly ManifestFile[], { name }: Pick<Project, 'name'>): ReadonlySet<string> {
  const all = files.flatMap(({ declarations }) => declarations);
  const own = all.filter((one) => one.section === COHORT_SECTION.name && isDeclaredIn(one, name));
  return new Set(own.map(({ key }) => key));
}

export interface Resolution {
  readonly desired: DesiredState;
  /** Sorted. If there are errors, `desired` contains only the sound declarations. */
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

/** The same files are resolved once for the same project, of the few that were resolved last. */
export function resolveProject(input: ResolveInput<Project>): Resolution {
  const known = resolved.find((one) => isSameInput(one.input, input));
  if (known !== undefined) return known.resolution;
  const { desired, diagnostics } = resolveSections(SECTIONS, NOTHING, input);
  const resolution = { desired, diagnostics: diagnostics as readonly ManifestDiagnostic[] };
  resolved.unshift({ input, resolution });
  resolved.length = Math.min(resolved.length, MOST_RESOLVED);
  return resolution;
}

const MOST_RESOLVED = 3;

const resolved: { readonly input: ResolveInput<Project>; readonly resolution: Resolution }[] = [];

/** What was read is never changed, so the same objects have the same content. */
function isSameInput(one: ResolveInput<Project>, other: ResolveInput<Project>): boolean {
  return (
    isSameProject(one.project, other.project) &&
    areSame(one.files, other.files) &&
    areSame(one.allProjects, other.allProjects) &&
    // Without rollouts, the moment changes nothing.
    (one.project.moment === other.project.moment ||
      !one.files.some(({ declarations }) => declarations.some(({ rollouts }) => rollouts !== undefined)))
  );
}

function isSameProject(one: Project, other: Project): boolean {
  if (one === other) return true;
  const { name, roles, cohorts, ownership } = one;
  return (
    name === other.name &&
    ownership === other.ownership &&
    jsonEquals(roles, other.roles) &&
    jsonEquals(cohorts, other.cohorts)
  );
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}

/**
 * Manifests at several times. Between two steps of rollouts nothing that they declare changes, so each stretch of time is resolved once:
 * `resolve` is called with a time of each stretch that is asked about.
 */
export function overTime<Resolved>(
  files: readonly ManifestFile[],
  resolve: (at: number) => Resolved,
): (at: number) => Resolved {
  const times = [...new Set(files.flatMap(stepTimes))];
  const known = new Map<number, Resolved>();
  return (at) => {
    const stretch = times.filter((time) => time <= at).length;
    const found = known.get(stretch) ?? resolve(at);
    known.set(stretch, found);
    return found;
  };
}

function stepTimes({ declarations }: ManifestFile): number[] {
  const written = declarations.flatMap(({ rollouts = [] }) => rollouts);
  return written.flatMap(({ written: one }) => readRollout(one).rollout?.steps.map(({ at }) => Date.parse(at)) ?? []);
}
