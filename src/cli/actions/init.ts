/** `flagwright init`: writes the files of a new project and keeps existing files. */

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { DEFAULT_API_KEY_VARIABLE } from '../../config/config.ts';
import { checkHost } from '../../config/projects.ts';
import { findSharedAt, type Forge, type SharedAt } from '../../git/forge.ts';
import { openRepository } from '../../git/repository.ts';
import { gitEnvironment } from '../../git/run-git.ts';
import { exists } from '../../journal/disk.ts';
import type { FileOutcome } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { nextSteps, fillTemplates, PIPELINES, type InitialProject } from '../manifests/templates.ts';
import { refuseLinkOut, writeAll, type FileWrite } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface InitOptions {
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the one that the remote or the folder shows. */
  readonly ci?: Forge | 'none';
}

export async function init(session: Session, options: InitOptions): Promise<ExitCode> {
  const project = initialProject(session, options);
  const { cwd } = session.context;
  const around = await lookAround(session);
  const forges = await chooseForges(session, options, around);
  const { branch, folder, up } = around;
  const top = path.resolve(cwd, up);
  const files: FileOutcome[] = [];
  const writes: FileWrite[] = [];
  const kept: string[] = [];
  for (const { path: name, text, isAtTop } of fillTemplates({ project, forges, branch, folder })) {
    const file = isAtTop === true ? path.posix.join(up, name) : name;
    const target = path.resolve(cwd, file);
    await refuseLinkOut(isAtTop === true ? top : cwd, path.dirname(target));
    const isKept = await exists(target);
    if (isKept) kept.push(name);
    else writes.push({ file, text, before: null });
    files.push({ file, status: isKept ? 'kept' : 'written' });
  }
  const hasGitlabFile = await exists(path.join(top, '.gitlab-ci.yml'));
  await writeAll(session, writes);
  await session.publish({ kind: 'files', files });
  await session.note(`\n${pipelineNote({ ...around, forges, kept })}\n`);
  await session.note(nextSteps({ project, forges, kept, hasGitlabFile, ...around }));
  return 0;
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

type Pipelines = FolderAround & { readonly forges: readonly Forge[]; readonly kept: readonly string[] };

/** Names the pipelines and their branch: a workflow for the wrong branch never runs, without a message. */
function pipelineNote({ forges, branch, isGuessed, host, kept, folder, up }: Pipelines): string {
  if (folder !== '' && !PLAIN.test(folder)) {
    return `No pipeline was written: ${folder} would be a pattern in it. Rename the folder, and run init again.`;
  }
  if (forges.length === 0) {
    const why = host === undefined ? 'git has no remote here' : `${host} may be GitHub or GitLab`;
    return `No pipeline was written: ${why}. For one: flagwright init --ci github, or --ci gitlab.`;
  }
  const old = forges.map((forge) => PIPELINES[forge]).filter((file) => kept.includes(file));
  if (old.length > 0) {
    return `${old.map((file) => `${up}${file}`).join(', ')} exists and was kept unread. For the current version, rename it and run init again.`;
  }
  if (!forges.includes('github')) return `${up}${PIPELINES.gitlab} applies the default branch of the project.`;
  const guess = isGuessed ? ': a guess, since git names no branch. Change it there if it is wrong' : '';
  return `${up}${PIPELINES.github} applies the branch ${branch}${guess}.`;
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
    return { name, host: checked.host, projectId };
  const words = `--project ${name} is not a valid name: use letters, digits, '.', '_' and '-', and not local.`;
  throw new FlagwrightError('usage', words);
}
