/** What `validate` prints beyond the reading of files: the problems of every project, each once. */

import { distinct, sortDiagnostics, type Diagnostic } from '../base/diagnostic.ts';
import type { Project } from '../posthog/project.ts';
import type { ManifestFile } from './manifest.ts';
import { resolveManifests, type Resolution } from './resolve.ts';

/** `allProjects` are the names that overlays and `only_in` may use; left out: those of `projects`. */
export function validateManifests(
  files: readonly ManifestFile[],
  projects: readonly Project[],
  allProjects: readonly string[] = projects.map(({ name }) => name),
): readonly Diagnostic[] {
  return unite(projects.map((project) => resolveManifests(files, project, allProjects)));
}

/** The problems of several projects, each once and sorted. */
export function unite(resolutions: readonly Resolution[]): readonly Diagnostic[] {
  return sortDiagnostics(distinct(resolutions.flatMap(({ diagnostics }) => diagnostics)));
}
