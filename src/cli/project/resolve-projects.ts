/** The desired states of several projects from manifests that were read, offline. */

import path from 'node:path';
import { hasErrors, sortDiagnostics } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { lendNames } from '../../config/embedded-names.ts';
import { unite } from '../../posthog/manifests/load.ts';
import {
  declaredCohorts,
  readManifests,
  resolveProject,
  type ManifestFile,
  type Resolution,
} from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { keysText } from '../../report/words/amounts.ts';
import { advise, type Session } from '../session/session.ts';

export interface ResolvedProject {
  readonly project: ProjectConfig;
  readonly resolution: Resolution;
}

/**
 * The manifests, and what they declare for each of the projects.
 * @throws {FlagwrightError} `manifest_invalid` with every diagnostic.
 */
export async function readProjects(
  session: Session,
  config: Config,
  projects: readonly ProjectConfig[],
): Promise<{ readonly files: readonly ManifestFile[]; readonly projects: readonly ResolvedProject[] }> {
  const { root, manifests: patterns } = config;
  const { checkpoint } = session.interrupts;
  const source = defined({ source: session.manifests });
  const { files, diagnostics } = await readManifests({ root, patterns, checkpoint, ...source });
  const resolved = await resolveProjects(session, config, { files, projects });
  await refuseManifests([...diagnostics, ...unite(resolved.map(({ resolution }) => resolution))]);
  return { files, projects: resolved };
}

async function refuseManifests(found: readonly ManifestDiagnostic[]): Promise<void> {
  if (!hasErrors(found)) return;
  const diagnostics = sortDiagnostics(found);
  const [{ summarizeWith }, { ALL_MANIFEST_WORDS }] = await Promise.all([
    import('../../base/wording.ts'),
    import('../../posthog/manifests/problems.ts'),
  ]);
  throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, diagnostics), { diagnostics });
}

/** One project after the other, so that Ctrl-C takes effect in between. */
export async function resolveProjects(
  session: Session,
  config: Config,
  { files, projects }: { readonly files: readonly ManifestFile[]; readonly projects: readonly ProjectConfig[] },
): Promise<readonly ResolvedProject[]> {
  const { breathe, checkpoint } = session.interrupts;
  const allProjects = Object.keys(config.projects);
  const resolved: ResolvedProject[] = [];
  for (const chosen of projects) {
    await breathe();
    const project = lendNames(chosen, config, declaredCohorts(files, chosen));
    const resolution = resolveProject({ files, project, allProjects, checkpoint });
    resolved.push({ project, resolution: await excuseAliases(session, config, { project, resolution }) });
  }
  return resolved;
}

/** An embedded project that replaces a remote one need not know every role and cohort of the others, unless --project names it. */
async function excuseAliases(
  session: Session,
  config: Config,
  { project, resolution }: ResolvedProject,
): Promise<Resolution> {
  if (session.options.project !== undefined || project.service !== 'embedded' || resolution.diagnostics.length === 0) {
    return resolution;
  }
  const others = Object.values(config.projects).filter((other) => other !== project);
  const nameOf = (diagnostic: ManifestDiagnostic): string | undefined => foreignAlias(diagnostic, others);
  const foreign = resolution.diagnostics.flatMap((diagnostic) => nameOf(diagnostic) ?? []);
  if (foreign.length === 0) return resolution;
  const names = keysText([...new Set(foreign)].toSorted());
  await advise(
    session,
    `Project ${project.name} has no role or cohort ${names}, which other projects have. To check it alone: --project ${project.name}.`,
  );
  return { ...resolution, diagnostics: resolution.diagnostics.filter((one) => nameOf(one) === undefined) };
}

/** The name of a role or a cohort that the project of a diagnostic lacks and another project has, so it is not a typing error. */
function foreignAlias({ code, args }: ManifestDiagnostic, others: readonly ProjectNames[]): string | undefined {
  if (code === 'role-unknown')
    return others.some(({ roles }) => Object.hasOwn(roles, args.role)) ? args.role : undefined;
  if (code !== 'cohort-unknown') return undefined;
  return others.some(({ cohorts }) => Object.hasOwn(cohorts, args.cohort)) ? args.cohort : undefined;
}

/** The projects that `--project` names, in the order of the configuration, or all. */
export async function chooseProjects({ options }: Session, config: Config): Promise<readonly ProjectConfig[]> {
  const all = Object.values(config.projects);
  if (options.project === undefined || options.allProjects === true) return all;
  const { selectProject } = await import('../../config/select.ts');
  const chosen = new Set(options.project.split(',').map((name) => selectProject(config, name.trim())));
  return all.filter((project) => chosen.has(project));
}

/** Those that `--project` names, or all remote ones: an embedded project beside them is for trying things out. */
export async function chooseRemoteProjects(session: Session, config: Config): Promise<readonly ProjectConfig[]> {
  const chosen = await chooseProjects(session, config);
  return session.options.project === undefined && chosen.some(isRemote) ? chosen.filter(isRemote) : chosen;
}

export function isRemote({ service }: ProjectConfig): boolean {
  return service === 'remote';
}

/** Files on the command line are relative to the working directory, patterns to the folder of the configuration. */
export function relativeToRoot({ context }: Session, { root }: Config, file: string): string {
  if (path.isAbsolute(file) || context.cwd === root) return file;
  return path.relative(root, path.resolve(context.cwd, file)).split(path.sep).join('/');
}
