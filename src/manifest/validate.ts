/** What `validate` prints beyond the reading of files: the problems of every project, each once. */

import { distinct, sortDiagnostics } from '../base/diagnostic.ts';
import type { ManifestDiagnostic } from '../posthog/manifest-problems.ts';
import type { Project } from '../posthog/project.ts';
import type { ManifestFile } from './manifest.ts';
import { resolveManifests, type Resolution } from './resolve.ts';

/** `allProjects` are the names that overlays and `only_in` may use; left out: those of `projects`. */
export function validateManifests(
  files: readonly ManifestFile[],
  projects: readonly Project[],
  allProjects: readonly string[] = projects.map(({ name }) => name),
): readonly ManifestDiagnostic[] {
  return unite(projects.map((project) => resolveManifests(files, project, allProjects)));
}

/** The problems of several projects, each once and sorted. */
export function unite(resolutions: readonly Resolution[]): readonly ManifestDiagnostic[] {
  return sortDiagnostics(distinct(resolutions.flatMap(({ diagnostics }) => diagnostics)));
}
