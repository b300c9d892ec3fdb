/** The first half of every run: configuration with the moment of the run, project, and the desired state from the manifests. */

import path from 'node:path';
import { distinct, hasErrors, type Diagnostic } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { lendNames, mayBorrow } from '../../config/embedded-names.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from '../../config/load.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { loadDesired, resolveDesired, type LoadOptions } from '../../posthog/manifests/load.ts';
import { declaredCohorts, readManifests, resolveManifests } from '../../posthog/manifests/manifests.ts';
import { escapeLine } from '../../report/escape.ts';
import type { View } from '../../report/view.ts';
import { count } from '../../report/words/amounts.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { Moment } from '../../core/rollout/rollout.ts';
import { advise, type Session } from '../session/session.ts';

export interface LoadedProject {
  readonly config: Config;
  readonly project: ProjectConfig;
}

/** `name`: the project if `--project` is absent; it precedes the environment. */
export async function loadProject(session: Session, name?: string): Promise<LoadedProject> {
  const config = await loadConfiguration(session);
  // Its words for problems are loaded only by runs that choose a project.
  const { selectProject } = await import('../../config/select.ts');
  const project = selectProject(config, chosenName(session, name), session.options);
  // The manifests say which cohorts an embedded project does not need from others.
  if (!mayBorrow(project) || Object.keys(config.projects).length === 1) return { config, project };
  const source = defined({ source: session.manifests });
  const { files } = await readManifests({ root: config.root, patterns: config.manifests, ...source });
  const named = lendNames(project, config, declaredCohorts(files, project));
  return { config: { ...config, projects: { ...config.projects, [named.name]: named } }, project: named };
}

/** A run without configuration and environment uses the embedded service, which is easily mistaken for a real project. */
async function noteEmbedded(session: Session, { file, projects }: Config): Promise<void> {
  const project = file === undefined ? projects['local'] : undefined;
  if (project?.service !== 'embedded' || (session.options.project ?? project.name) !== project.name) return;
  const data = escapeLine(path.relative(session.context.cwd, project.data));
  await advise(
    session,
    `No flagwright.yaml in this or a parent folder, and no POSTHOG_HOST: using the project local of the embedded service (${data}).`,
    'For a project of your own, change to its folder, or set POSTHOG_HOST, POSTHOG_PROJECT_ID and POSTHOG_API_KEY. A new one: flagwright init --host URL --project-id ID',
  );
}

/** `offline`: the run sends no requests, so missing variables do not matter. */
export async function loadConfiguration(
  session: Session,
  { offline = false }: { readonly offline?: boolean } = {},
): Promise<Config> {
  const { config, diagnostics } = await readConfiguration(session, { offline });
  session.places.root = config.root;
  await warn(session, diagnostics);
  await refuseManifestsAsReports(session, config);
  await noteEmbedded(session, config);
  return config;
}

/** @throws {FlagwrightError} `usage` for a report that would replace a manifest or a test. */
export async function refuseManifestsAsReports(session: Session, config: Config): Promise<void> {
  if (session.options.report === undefined) return;
  const { root, manifests, tests = [] } = config;
  const { matchFiles } = await import('../../config/select.ts');
  const own = [matchFiles(manifests), matchFiles(tests)];
  await session.checkFiles(async ({ file }) => {
    const name = path.relative(root, path.resolve(session.context.cwd, file)).split(path.sep).join('/');
    if (!own.some((matches) => matches(name))) return undefined;
    return { why: 'the configuration names it as a manifest or a test', remedy: 'Name another file.' };
  });
}

/** `name` as in `loadProject`. */
export function chosenName({ context, options }: Session, name?: string): string | undefined {
  return options.project ?? name ?? (context.env['FLAGWRIGHT_PROJECT'] || undefined);
}

/**
 * `findRoles` and `onRead` as in `LoadOptions`.
 * @throws {FlagwrightError} `manifest_invalid` with every diagnostic.
 */
export async function loadDesiredState(
  session: Session,
  { config, project }: LoadedProject,
  options: Pick<LoadOptions, 'findRoles' | 'onRead'> = {},
): Promise<DesiredState> {
  const { desired, warnings } = await loadDesired({
    root: config.root,
    patterns: config.manifests,
    project,
    allProjects: Object.keys(config.projects),
    reportUnmatched: true,
    checkpoint: session.interrupts.checkpoint,
    ...defined({ source: session.manifests }),
    ...options,
  }).catch((error: unknown) => throwUnconfigured(error, config));
  await warn(session, warnings);
  return desired;
}

/** Without a configuration there is no pattern to correct. */
function throwUnconfigured(error: unknown, { file }: Config): never {
  const isNone =
    error instanceof FlagwrightError && (error.diagnostics ?? []).some(({ code }) => code === 'manifests-none');
  if (file !== undefined || !isNone) throw error;
  throw new FlagwrightError(
    'manifest_invalid',
    'There is no flagwright.yaml in this or a parent folder, and no manifest.',
    {
      remedy: 'Change to the folder of flagwright.yaml. Without manifests, `flagwright flags get KEY` shows a flag.',
      cause: error,
    },
  );
}

/**
 * The desired state of each project, from manifests that are read once.
 * @throws {FlagwrightError} `manifest_invalid` with every diagnostic of the first project that has an error.
 */
export async function loadDesiredStates(
  session: Session,
  config: Config,
  projects: readonly ProjectConfig[],
): Promise<readonly DesiredState[]> {
  const { checkpoint } = session.interrupts;
  const patterns = config.manifests;
  const read = await readManifests({ root: config.root, patterns, reportUnmatched: true, checkpoint });
  const allProjects = Object.keys(config.projects);
  const loaded = await Promise.all(
    projects.map((chosen) => {
      const project = lendNames(chosen, config, declaredCohorts(read.files, chosen));
      return resolveDesired(read, { project, allProjects, checkpoint });
    }),
  );
  await warn(session, distinct(loaded.flatMap(({ warnings }) => warnings)));
  return loaded.map(({ desired }) => desired);
}

/** The flags that manifests declare: none without a configuration, and unknown where the manifests have errors. */
export async function findDeclaredFlags({
  config,
  project,
}: LoadedProject): Promise<DesiredState['flags'] | undefined> {
  const { file, root, manifests: patterns, projects } = config;
  if (file === undefined) return [];
  const { files, diagnostics } = await readManifests({ root, patterns });
  const named = lendNames(project, config, declaredCohorts(files, project));
  const resolved = resolveManifests(files, named, Object.keys(projects));
  // Only the service may know the name of a role.
  const errors = [...diagnostics, ...resolved.diagnostics].filter(({ code }) => code !== 'role-unknown');
  return hasErrors(errors) ? undefined : resolved.desired.flags;
}

/** A flag that git renames has its former key in the service until that is applied. */
export function findDeclaration(flags: DesiredState['flags'], key: string): DeclaredFlag | undefined {
  const declared = flags.filter((flag) => flag.kind === 'declared');
  return declared.find((flag) => flag.key === key) ?? declared.find(({ previousKeys }) => previousKeys.includes(key));
}

/** More warnings than this hide the document of the run, and the first of them say no more than their number. */
const MOST_WARNINGS = 5;

/** `sourceLine`: of files that are not written yet. */
export async function warn(
  session: Session,
  diagnostics: readonly Diagnostic[],
  sourceLine?: View['sourceLine'],
): Promise<void> {
  if (diagnostics.length === 0) return;
  if (diagnostics.length > MOST_WARNINGS && !session.options.verbose) {
    const warnings = count(diagnostics.length, 'warning');
    await advise(session, `${warnings} about the manifests; \`flagwright validate\` shows them.`);
    return;
  }
  await session.note(`${await session.textOf({ kind: 'diagnostics', diagnostics }, sourceLine)}\n`);
}

/** @throws {FlagwrightError} if the configuration is invalid. */
export async function readConfiguration(
  { context, options, configuration }: Session,
  { env = context.env, offline }: Pick<LoadConfigOptions, 'offline'> & Partial<Pick<LoadConfigOptions, 'env'>>,
): Promise<LoadedConfig> {
  const loaded =
    configuration ?? (await loadConfig({ cwd: context.cwd, env, ...defined({ offline, file: options.config }) }));
  const { stepsEvery = DEFAULT_STEPS_EVERY } = loaded.config;
  const now = context.now();
  const present = context.isMoved === true ? undefined : now;
  const moment: Moment = { now, progress: [], reach: 'planned', every: stepsEvery, ...defined({ present }) };
  const projects = Object.entries(loaded.config.projects).map(([name, project]) => [name, { ...project, moment }]);
  return { ...loaded, config: { ...loaded.config, projects: Object.fromEntries(projects) } };
}
