/** `flagwright init`: writes the files of a new project from templates, keeps existing files, and lists the manual steps after it. */

import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { DEFAULT_API_KEY_VARIABLE, type Config } from '../../config/config.ts';
import { findConfig } from '../../config/find.ts';
import { checkHost } from '../../config/projects.ts';
import { findSharedAt, type Forge, type SharedAt } from '../../loop/git/forge.ts';
import { openRepository } from '../../loop/git/repository.ts';
import { gitEnvironment } from '../../loop/git/run-git.ts';
import { exists } from '../../loop/disk.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { FileOutcome } from '../../report/file-outcome.ts';
import type { ExitCode } from '../line/exit.ts';
import { readConfiguration } from '../project/load-project.ts';
import { refuseLinkOut, writeAll, type FileWrite } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { nextSteps } from './init-steps.ts';
import {
  CONFIGURATION_FILE,
  EXAMPLE_MANIFEST,
  fillTemplates,
  pipelineFiles,
  PIPELINES,
  type InitialProject,
  type PipelineFiles,
} from './init-templates.ts';

export interface InitOptions {
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the one that the remote or the folder shows. */
  readonly ci?: Forge | 'none';
  /** Also write instructions for coding agents. */
  readonly agents?: boolean;
}

export async function init(session: Session, options: InitOptions): Promise<ExitCode> {
  const { cwd } = session.context;
  const configured = await readConfigured(session);
  const projects = chooseInitial(session, initialProject(session, options), configured);
  const around = await lookAround(session);
  const forges = await chooseForges(session, options, around);
  const { branch, folder, up } = around;
  const top = path.resolve(cwd, up);
  const covered = await findCovered(top, forges);
  const second = forges.filter((forge) => isOfOthers(covered[forge].usual, projects));
  const files: FileOutcome[] = [];
  const writes: FileWrite[] = [];
  const kept: string[] = [];
  const isConfigured = configured !== undefined;
  for (const { path: name, text, isAtTop } of fillTemplates({
    projects,
    forges,
    remote: around.remote,
    branch,
    folder,
    isConfigured,
    second,
    agents: options.agents === true,
  })) {
    const own = name === CONFIGURATION_FILE ? (configured?.file ?? name) : name;
    const file = isAtTop === true ? path.posix.join(up, name) : own;
    const target = path.resolve(cwd, file);
    await refuseLinkOut(isAtTop === true ? top : cwd, path.dirname(target));
    const isKept = await exists(target);
    if (isKept) kept.push(name);
    else writes.push({ file, text, before: null });
    files.push({ file, status: isKept ? 'kept' : 'written' });
  }
  const hasGitlabFile = await exists(path.join(top, '.gitlab-ci.yml'));
  // The configuration comes last: with it, a further run takes the rest as written.
  await writeAll(session, [...writes.slice(1), ...writes.slice(0, 1)]);
  await session.publish({ kind: 'files', files });
  const pipelines = pipelineFiles(projects, second);
  const missing = forges.flatMap((forge) => missingIn(covered[forge].all, projects));
  await session.note(`\n${pipelineNote({ ...around, forges, kept, pipelines, missing })}\n`);
  const written = writes.map(({ file }) => file);
  const known = configured?.config.projects ?? {};
  const hasProject = projects.length > 0 && projects.every(({ name }) => Object.hasOwn(known, name));
  const seen = configured && {
    file: configured.file,
    isExported: configured.isExported,
    manifests: configured.manifests,
    hasProject,
    isShared: configured.config.base.push !== undefined,
  };
  const initial = { ...around, projects, forges, pipelines, written, second, hasGitlabFile, configured: seen };
  await session.note(nextSteps(initial));
  return 0;
}

/** What flagwright.yaml of this folder has already. */
interface Configured {
  readonly file: string;
  readonly config: Config;
  /** Manifests declare flags beside those of the examples. */
  readonly isExported: boolean;
  /** The files and folders beside the configuration that have them. */
  readonly manifests: readonly string[];
}

/** @throws {FlagwrightError} `config_invalid` if the file has errors: its projects are not known then. */
async function readConfigured(session: Session): Promise<Configured | undefined> {
  const { cwd } = session.context;
  const found = findConfig(cwd, undefined);
  if (found === undefined || (!('problem' in found) && path.dirname(found.path) !== cwd)) return undefined;
  const { config } = await readConfiguration(session, { offline: true });
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const isExported = files.some(({ file }) => file !== EXAMPLE_MANIFEST);
  const manifests = [...new Set(files.map(({ file }) => file.split('/', 1)[0] ?? file))].toSorted();
  return { file: config.file ?? CONFIGURATION_FILE, config, isExported, manifests };
}

/** The projects to write pipelines for: those of the options, else all of the configuration but embedded ones; none if there is only an example of one. */
function chooseInitial(
  { options: { project: named } }: Session,
  given: InitialProject | undefined,
  configured: Configured | undefined,
): readonly InitialProject[] {
  if (configured === undefined) return given === undefined ? [] : [given];
  const { file, config } = configured;
  const remotes = Object.values(config.projects).filter((project) => project.service === 'remote');
  if (given !== undefined) {
    const same = remotes.find(({ name }) => name === given.name);
    if (same === undefined) return [given];
    if (same.host === given.host && same.projectId === given.projectId) return [same];
    throw new FlagwrightError(
      'usage',
      `${file} has a project ${given.name} of another address: ${same.host}, ${same.projectId}.`,
      {
        remedy: 'Leave --host and --project-id out, or name a new project with --project.',
      },
    );
  }
  if (named === undefined) return remotes;
  const chosen = remotes.find((remote) => remote.name === named);
  if (chosen !== undefined) return [chosen];
  throw new FlagwrightError('usage', `${file} has no project ${named} with a host and a project_id.`, {
    remedy: 'Add it there, or name its --host and --project-id.',
  });
}

/** The projects that pipelines name: the usual one of a forge, and all of it. */
type Covered = Readonly<Record<'usual' | 'all', ReadonlySet<string>>>;

async function findCovered(top: string, forges: readonly Forge[]): Promise<Readonly<Record<Forge, Covered>>> {
  const none: Covered = { usual: new Set(), all: new Set() };
  const found: Record<Forge, Covered> = { github: none, gitlab: none };
  for (const forge of forges) {
    const folder = path.join(top, path.dirname(PIPELINES[forge]));
    const usual = path.basename(PIPELINES[forge]);
    const files = (await readdir(folder).catch(() => [])).filter((name) => /^flags([.-].*)?\.ya?ml$/.test(name));
    const named = await Promise.all(
      files.map(async (name) => [name, projectsIn(await readFile(path.join(folder, name), 'utf8'))] as const),
    );
    const namesIn = (of: readonly (typeof named)[number][]): ReadonlySet<string> =>
      new Set(of.flatMap(([, projects]) => projects));
    found[forge] = { usual: namesIn(named.filter(([name]) => name === usual)), all: namesIn(named) };
  }
  return found;
}

function projectsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bproject: +(['"]?)([\w.,-]+)\1/gi)].flatMap(([, , names = '']) => names.split(','));
}

/** Whether a pipeline is that of other projects only, so that these need a file of their own. */
function isOfOthers(covered: ReadonlySet<string>, projects: readonly InitialProject[]): boolean {
  return projects.length > 0 && covered.size > 0 && !projects.some(({ name }) => covered.has(name));
}

/** Those that no job is for, although others of them have one. */
function missingIn(covered: ReadonlySet<string>, projects: readonly InitialProject[]): readonly string[] {
  const names = projects.map(({ name }) => name);
  const missing = names.filter((name) => !covered.has(name));
  return missing.length < names.length ? missing : [];
}

interface FolderAround extends SharedAt {
  readonly branch: string;
  /** git names no branch that can be in a workflow. */
  readonly isGuessed: boolean;
  /** The path from the top of the checkout to the folder, with a slash at its end; empty for the top. */
  readonly folder: string;
  /** The path from the folder to the top of the checkout, with a slash at its end; empty for the top. */
  readonly up: string;
}

/** Asks git about the folder, which may be outside a repository, or on a machine without git. */
async function lookAround({ context, interrupts }: Session): Promise<FolderAround> {
  const env = gitEnvironment(context.env, [DEFAULT_API_KEY_VARIABLE]);
  const opened = await openRepository({ folder: context.cwd, env, signal: interrupts.stop });
  if (opened.kind !== 'open') return { branch: 'main', isGuessed: true, folder: '', up: '' };
  const { branch, ...shared } = await findSharedAt(opened.repository);
  const isKnown = branch !== undefined && PLAIN.test(branch);
  const { prefix, top } = opened.repository;
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const way = folder.replaceAll(/[^/]+\//g, '../');
  // The top cannot be named from a folder that a symbolic link leads to.
  const up = (await realpath(path.resolve(context.cwd, way))) === top ? way : `${top}/`;
  return { ...shared, branch: isKnown ? branch : 'main', isGuessed: !isKnown, folder, up };
}

/** Other names of branches and folders would be patterns in a workflow. */
const PLAIN = /^[\w./-]+$/;

/** The remote says where the repository is shared, else the folders of a forge. */
async function chooseForges(
  { context }: Session,
  { ci }: InitOptions,
  { forge, folder, up }: FolderAround,
): Promise<readonly Forge[]> {
  if (folder !== '' && !PLAIN.test(folder)) return [];
  if (ci !== undefined) return ci === 'none' ? [] : [ci];
  if (forge !== undefined) return [forge];
  const traces: readonly (readonly [Forge, string])[] = [
    ['github', '.github'],
    ['gitlab', '.gitlab-ci.yml'],
    ['gitlab', '.gitlab'],
  ];
  const found = new Set<Forge>();
  for (const [name, trace] of traces) if (await exists(path.resolve(context.cwd, up, trace))) found.add(name);
  return [...found];
}

interface Pipelines extends FolderAround {
  readonly forges: readonly Forge[];
  readonly kept: readonly string[];
  readonly pipelines: PipelineFiles;
  /** Projects that no job of the pipelines that are there is for. */
  readonly missing: readonly string[];
}

/** Names the pipelines and their branch: a workflow for the wrong branch never runs, without a message. */
function pipelineNote({ forges, branch, isGuessed, host, kept, folder, up, pipelines, missing }: Pipelines): string {
  if (folder !== '' && !PLAIN.test(folder)) {
    return `No pipeline was written: ${folder} would be a pattern in it. Rename the folder, and run init again.`;
  }
  if (forges.length === 0) {
    const why = host === undefined ? 'git has no remote here' : `${host} may be GitHub or GitLab`;
    return `No pipeline was written: ${why}. For one: flagwright init --ci github, or --ci gitlab.`;
  }
  const old = forges.map((forge) => pipelines[forge]).filter((file) => kept.includes(file));
  if (old.length > 0) {
    const files = old.map((file) => `${up}${file}`).join(' and ');
    const [are, it] = old.length === 1 ? ['exists and was', 'it'] : ['exist and were', 'them'];
    if (missing.length === 0) return `${files} ${are} kept. For the current version, rename ${it} and run init again.`;
    return `${files} ${are} kept, without a job for ${missing.join(', ')}. For all projects in one job, rename ${it} and run init again; for a pipeline apart, flagwright init --project ${missing[0]}.`;
  }
  if (!forges.includes('github')) return `${up}${pipelines.gitlab} applies the default branch of the project.`;
  const guess = isGuessed ? ': a guess, since git names no branch. Change it there if it is wrong' : '';
  return `${up}${pipelines.github} applies the branch ${branch}${guess}.`;
}

/** Every later run reads these values, so they are checked like the configuration. */
function initialProject(
  { options: { project: name = 'production' } }: Session,
  { host, projectId }: InitOptions,
): InitialProject | undefined {
  if (host === undefined && projectId === undefined) return undefined;
  if (host === undefined || projectId === undefined) {
    throw new FlagwrightError('usage', '--host and --project-id must be used together.');
  }
  const checked = checkHost(host);
  if ('problem' in checked) {
    const words = `--host ${checked.args.host} must start with https:// (the API key would be sent unencrypted).`;
    throw new FlagwrightError('usage', words);
  }
  if (!/^(\d+|@current)$/.test(projectId)) {
    throw new FlagwrightError('usage', `--project-id ${projectId} is not the number of a project or @current.`);
  }
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && name !== 'local')
    return { name, host: checked.host, projectId, apiKeyVariable: DEFAULT_API_KEY_VARIABLE };
  const words = `--project ${name} is not a valid name: use letters, digits, '.', '_' and '-', and not local.`;
  throw new FlagwrightError('usage', words);
}
