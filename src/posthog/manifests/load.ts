/** Loads manifests to desired state in one call, or throws an error with everything that is wrong; and lists the problems of several projects. */

import { distinct, hasErrors, sortDiagnostics } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { DesiredState } from '../desired.ts';
import type { Project } from '../project.ts';
import {
  type ManifestFile,
  readManifests,
  type ReadOptions,
  type Resolution,
  resolveManifests,
  resolveProject,
} from './manifests.ts';
import type { ManifestDiagnostic } from './problems.ts';

export interface LoadOptions extends ReadOptions {
  readonly project: Project;
  /** Names of all projects of the configuration. */
  readonly allProjects: readonly string[];
  /** Role ids by name, as the service knows them; asked only for roles that the configuration does not have. */
  readonly findRoles?: () => Promise<Project['roles']>;
}

export interface Loaded {
  readonly desired: DesiredState;
  readonly files: readonly ManifestFile[];
  readonly warnings: readonly ManifestDiagnostic[];
}

/** Throws `manifest_invalid` with every diagnostic if one is an error. */
export async function loadDesired(options: LoadOptions): Promise<Loaded> {
  return resolveDesired(await readManifests(options), options);
}

/** The same for manifests that were read already, as for several projects. */
export async function resolveDesired(
  read: Awaited<ReturnType<typeof readManifests>>,
  options: Omit<LoadOptions, keyof ReadOptions> & Pick<ReadOptions, 'checkpoint'>,
): Promise<Loaded> {
  const resolved = await resolveWithRoles({ ...options, files: read.files });
  const diagnostics = sortDiagnostics([...read.diagnostics, ...resolved.diagnostics]);
  if (hasErrors(diagnostics)) {
    const [{ summarizeWith }, { ALL_MANIFEST_WORDS }] = await Promise.all([
      import('../../base/wording.ts'),
      import('./problems.ts'),
    ]);
    throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, diagnostics), { diagnostics });
  }
  return { desired: resolved.desired, files: read.files, warnings: diagnostics };
}

/** Aliases of the configuration precede the names of the service. */
async function resolveWithRoles(
  input: Parameters<typeof resolveDesired>[1] & { readonly files: readonly ManifestFile[] },
): Promise<Resolution> {
  const { project, findRoles } = input;
  const resolved = resolveProject(input);
  if (findRoles === undefined || !resolved.diagnostics.some(({ code }) => code === 'role-unknown')) return resolved;
  const found = await findRoles();
  if (Object.keys(found).length === 0) return resolved;
  return resolveProject({ ...input, project: { ...project, roles: { ...found, ...project.roles } } });
}

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

/** Only a plan can ask the service for a role. But a name close to one of the configuration is a mistake. */
function withoutService(diagnostic: ManifestDiagnostic): ManifestDiagnostic {
  if (diagnostic.code !== 'role-unknown' || diagnostic.args.suggestion !== undefined) return diagnostic;
  const { role, project } = diagnostic.args;
  return { ...diagnostic, code: 'role-unverified', severity: 'warning', args: { role, project } };
}
