/** The problems of manifests in several projects, each reported once. */

import { distinct, sortDiagnostics } from '../../base/diagnostic.ts';
import { stringifyJson } from '../../base/json-text.ts';
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
  const found = distinct(resolutions.flatMap(({ diagnostics }) => diagnostics.map(withoutService)));
  return sortDiagnostics(joinProjects(found));
}

/** An alias that several projects lack at one place is one mistake. */
function joinProjects(diagnostics: readonly ManifestDiagnostic[]): readonly ManifestDiagnostic[] {
  const joined = new Map<string, ManifestDiagnostic>();
  for (const diagnostic of diagnostics) {
    const { code, place, path, args } = diagnostic;
    const id = code === 'cohort-unknown' ? stringifyJson([place, path, args.cohort]) : String(joined.size);
    const first = joined.get(id);
    if (code !== 'cohort-unknown' || first?.code !== code) joined.set(id, diagnostic);
    else joined.set(id, { ...first, args: { ...first.args, others: [...(first.args.others ?? []), args.project] } });
  }
  return [...joined.values()];
}

/** Only a plan can ask the service for a role. A name that is nearly one of the configuration is a mistake all the same. */
function withoutService(diagnostic: ManifestDiagnostic): ManifestDiagnostic {
  if (diagnostic.code !== 'role-unknown' || diagnostic.args.suggestion !== undefined) return diagnostic;
  const { role, project } = diagnostic.args;
  return { ...diagnostic, code: 'role-unverified', severity: 'warning', args: { role, project } };
}
