/** `flagwright validate [FILE…]`: checks the configuration and the manifests without contacting the service. */

import path from 'node:path';
import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import {
  flagKeysOf,
  readManifests,
  resolveProject,
  type ManifestFile,
  type Resolution,
} from '../../posthog/manifests/manifests.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { unite } from '../../posthog/manifests/validate.ts';
import type { ReportOf } from '../../report/report.ts';
import { keysText } from '../../report/words/lists.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';

export async function validate(session: Session, files: readonly string[]): Promise<ExitCode> {
  const result = await check(session, files);
  await session.publish({ kind: 'validation', ...result });
  return hasErrors(result.diagnostics) ? 1 : 0;
}

type Checked = Omit<ReportOf<'validation'>, 'kind'>;

async function check(session: Session, files: readonly string[]): Promise<Checked> {
  const loaded = await load(session);
  if (loaded.config === undefined) return { files: 0, flags: 0, diagnostics: sortDiagnostics(loaded.diagnostics) };
  const { config } = loaded;
  session.places.root = config.root;
  const { checkpoint } = session.interrupts;
  const read = await readManifests({
    root: config.root,
    patterns: findPatterns(session, config, files),
    reportUnmatched: files.length === 0,
    checkpoint,
  });
  const configured = files.length === 0 ? read.files : await readConfigured(session, config);
  const named = new Set(read.files.map(({ file }) => file));
  const others = configured.filter(({ file }) => !named.has(file));
  const found = await findProblems(session, config, [...read.files, ...others]);
  const flags = new Set(read.files.flatMap(flagKeysOf));
  const own = files.length === 0 ? found : found.filter(concernsFiles(read.files, flags));
  return {
    files: read.files.length,
    flags: flags.size,
    diagnostics: sortDiagnostics([
      ...loaded.diagnostics,
      ...read.diagnostics,
      ...own,
      ...refuseUnmatched(read.files, configured, config.manifests),
    ]),
  };
}

/** One project after the other, so that Ctrl-C takes effect in between. */
async function findProblems(
  session: Session,
  config: Config,
  files: readonly ManifestFile[],
): Promise<readonly ManifestDiagnostic[]> {
  const { breathe, checkpoint } = session.interrupts;
  const allProjects = Object.keys(config.projects);
  const resolutions: Resolution[] = [];
  for (const project of await chooseProjects(session, config)) {
    await breathe();
    const resolution = resolveProject({ files, project, allProjects, checkpoint });
    resolutions.push(await excuseAliases(session, config, { project, resolution }));
  }
  return unite(resolutions);
}

/** An embedded project is for rehearsals: without --project, it need not know every role and cohort of the real ones. */
async function excuseAliases(
  session: Session,
  config: Config,
  { project, resolution }: { readonly project: ProjectConfig; readonly resolution: Resolution },
): Promise<Resolution> {
  if (session.options.project !== undefined || project.service !== 'embedded' || resolution.diagnostics.length === 0) {
    return resolution;
  }
  const { separateForeignAliases } = await import('../../posthog/manifests/foreign-aliases.ts');
  const others = Object.values(config.projects).filter((other) => other !== project);
  const { resolution: own, foreign } = separateForeignAliases(resolution, others);
  if (foreign.length > 0) {
    const names = keysText(foreign);
    await session.note(
      `${session.palette.warning('note')}  Project ${project.name} has no role or cohort ${names}, which other projects have. To check it alone: --project ${project.name}.\n`,
    );
  }
  return own;
}

/** The named files may refer to flags of any other manifest. Problems of the others are not reported. */
async function readConfigured(
  { interrupts: { checkpoint } }: Session,
  { root, manifests }: Config,
): Promise<readonly ManifestFile[]> {
  return (await readManifests({ root, patterns: manifests, checkpoint })).files;
}

/** A named file that no pattern matches would pass here and then be ignored by every other command. */
function refuseUnmatched(
  named: readonly ManifestFile[],
  configured: readonly ManifestFile[],
  patterns: readonly string[],
): ManifestDiagnostic[] {
  const known = new Set(configured.map(({ file }) => file));
  return named
    .filter(({ file }) => !known.has(file))
    .map(({ file }) => ({
      code: 'file-unmatched',
      severity: 'error',
      place: { file, line: 1, column: 1 },
      args: { patterns },
    }));
}

/** A conflict between two places concerns the named files if one of the places is in them. */
function concernsFiles(
  named: readonly ManifestFile[],
  flags: ReadonlySet<string>,
): (diagnostic: ManifestDiagnostic) => boolean {
  const names = new Set(named.map(({ file }) => file));
  return ({ code, place, args }) =>
    (place !== undefined && names.has(place.file)) ||
    ('other' in args && typeof args.other !== 'string' && names.has(args.other.file)) ||
    (code === 'flag-depends-on-itself' && args.cycle.some((key) => flags.has(key)));
}

/** Diagnostics of the configuration join the report; other failures end the run. */
async function load({ context, options }: Session): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  const file = defined({ file: options.config });
  try {
    return await loadConfig({ cwd: context.cwd, env: context.env, offline: true, ...file });
  } catch (error) {
    if (error instanceof FlagwrightError && error.diagnostics.length > 0) return { diagnostics: error.diagnostics };
    throw error;
  }
}

/** Files on the command line are relative to the working directory, patterns to the folder of the configuration. */
function findPatterns({ context }: Session, config: Config, files: readonly string[]): readonly string[] {
  if (files.length === 0) return config.manifests;
  return files.map((file) =>
    path.isAbsolute(file) || context.cwd === config.root
      ? file
      : path.relative(config.root, path.resolve(context.cwd, file)).split(path.sep).join('/'),
  );
}

async function chooseProjects({ options }: Session, config: Config): Promise<Config['projects'][string][]> {
  if (options.project === undefined) return Object.values(config.projects);
  const { selectProject } = await import('../../config/select.ts');
  return [selectProject(config, options.project)];
}
