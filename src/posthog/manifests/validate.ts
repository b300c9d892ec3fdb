/** The problems of manifests in several projects, each reported once. */

import { distinct, sortDiagnostics } from '../../base/diagnostic.ts';
import type { Project } from '../project.ts';
import { resolveManifests, type ManifestFile, type Resolution } from './manifests.ts';
import type { ManifestDiagnostic } from './problems.ts';

/** `allProjects` are the names that overlays and `only_in` may use; by default those of `projects`. */
export function validateManifests(
  files: readonly ManifestFile[],
  projects: readonly Project[],
  allProjects: readonly string[] = projects.map(({ name }) => name),
): readonly ManifestDiagnostic[] {
  return unite(projects.map((project) => resolveManifests(files, project, allProjects)));
}

/** The problems of several projects, each once and sorted. */
export function unite(resolutions: readonly Resolution[]): readonly ManifestDiagnostic[] {
  return sortDiagnostics(distinct(resolutions.flatMap(({ diagnostics }) => diagnostics.map(withoutService))));
}

/** Only a plan can ask the service for a role. A name that is nearly one of the configuration is a mistake all the same. */
function withoutService(diagnostic: ManifestDiagnostic): ManifestDiagnostic {
  if (diagnostic.code !== 'role-unknown' || diagnostic.args.suggestion !== undefined) return diagnostic;
  const { role, project } = diagnostic.args;
  return { ...diagnostic, code: 'role-unverified', severity: 'warning', args: { role, project } };
}
