/** The manifests of a PostHog project: the list of sections, and reading and resolving with it. A new kind is a row. */

import { validateManifest } from '../../base/generated/validators.ts';
import type { ManifestFile } from '../../manifest/declaration.ts';
import { parseFile, readFiles, type ReadOptions } from '../../manifest/read.ts';
import { resolveSections, type ResolveInput } from '../../manifest/resolve.ts';
import type { DesiredState } from '../desired.ts';
import { COHORT_SECTION } from '../cohort/manifest.ts';
import { EARLY_ACCESS_SECTION } from '../early-access/manifest.ts';
import { FLAG_SECTION } from '../flag/manifest/section.ts';
import type { Project } from '../project.ts';
import { ROLE_ACCESS_SECTION } from '../role-access/manifest.ts';
import type { ManifestDiagnostic } from './problems.ts';
import type { Section } from './section.ts';

export type { ManifestFile } from '../../manifest/declaration.ts';
export type { ReadOptions } from '../../manifest/read.ts';

/** In the order in which they are resolved: all others are checked against the flags before them. */
const SECTIONS: readonly Section[] = [FLAG_SECTION, COHORT_SECTION, EARLY_ACCESS_SECTION, ROLE_ACCESS_SECTION];

const FORM = { validate: validateManifest, sections: SECTIONS };

const NOTHING: DesiredState = { flags: [] };

/** Reads every file that matches. Problems are returned as diagnostics; nothing is thrown for them. */
export async function readManifests(options: ReadOptions): Promise<{
  readonly files: readonly ManifestFile[];
  readonly diagnostics: readonly ManifestDiagnostic[];
}> {
  const { files, diagnostics } = await readFiles(options, FORM);
  return { files, diagnostics: diagnostics as readonly ManifestDiagnostic[] };
}

/** Reads the text of one file. */
export function parseManifest(
  name: string,
  text: string,
): { readonly file: ManifestFile; readonly diagnostics: readonly ManifestDiagnostic[] } {
  const { file, diagnostics } = parseFile(name, text, FORM);
  return { file, diagnostics: diagnostics as readonly ManifestDiagnostic[] };
}

/** The keys of the flags that a file declares. */
export function flagKeysOf({ declarations }: ManifestFile): string[] {
  return declarations.filter(({ section }) => section === FLAG_SECTION.name).map(({ key }) => key);
}

/** The aliases of the cohorts that a file declares. */
export function cohortAliasesOf({ declarations }: ManifestFile): string[] {
  return declarations.filter(({ section }) => section === COHORT_SECTION.name).map(({ key }) => key);
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

export function resolveProject(input: ResolveInput<Project>): Resolution {
  const { desired, diagnostics } = resolveSections(SECTIONS, NOTHING, input);
  return { desired, diagnostics: diagnostics as readonly ManifestDiagnostic[] };
}
