/** `flagwright init`: writes the files of a new project and keeps existing files. */

import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { DEFAULT_API_KEY_VARIABLE } from '../../config/config.ts';
import { checkHost } from '../../config/host.ts';
import { gitEnvironment } from '../../git/environment.ts';
import { findSharedAt, type Forge, type SharedAt } from '../../git/forge.ts';
import { openRepository } from '../../git/repository.ts';
import type { FileOutcome } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { refuseLinkOut } from '../session/links.ts';
import type { Session } from '../session/session.ts';
import { writeAll, type FileWrite } from '../session/write-all.ts';
import { restoreFiles } from '../project/read-configuration.ts';
import { nextSteps } from '../manifests/next-steps.ts';
import { fillTemplates, PIPELINES, type InitialProject } from '../manifests/templates.ts';

export interface InitOptions {
  /** Host of the service with the project to put into the configuration. */
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the one that the remote or the folder shows. */
  readonly ci?: Forge | 'none';
}

export async function init(session: Session, options: InitOptions): Promise<ExitCode> {
  const project = initialProject(session, options);
  const { cwd } = session.context;
  await restoreFiles(session, cwd);
  const around = await lookAround(session);
  const forges = await chooseForges(session, options, around);
  const files: FileOutcome[] = [];
  const writes: FileWrite[] = [];
  for (const { path: file, text } of fillTemplates({ project, forges, branch: around.branch })) {
    const target = path.resolve(cwd, file);
    await refuseLinkOut(cwd, path.dirname(target));
    const isKept = await exists(target);
    if (!isKept) writes.push({ file, text, before: null });
    files.push({ file, status: isKept ? 'kept' : 'written' });
  }
  const hasGitlabFile = await exists(path.join(cwd, '.gitlab-ci.yml'));
  await writeAll(session, writes);
  await session.publish({ kind: 'files', files });
  const kept = files.filter(({ status }) => status === 'kept').map(({ file }) => file);
  await session.note(`\n${pipelineNote({ ...around, forges, kept })}\n`);
  await session.note(nextSteps({ project, forges, kept, hasGitlabFile, ...around }));
  return 0;
}

interface Around extends SharedAt {
  readonly branch: string;
  /** The branch is a guess. */
  readonly isGuessed: boolean;
  readonly prefix: string;
}

/** What git says of the folder. It may be in no repository yet, or on a machine without git. */
async function lookAround({ context, interrupts }: Session): Promise<Around> {
  const env = gitEnvironment(context.env, [DEFAULT_API_KEY_VARIABLE]);
  const opened = await openRepository({ folder: context.cwd, env, signal: interrupts.stop });
  if (opened.kind !== 'open') return { branch: 'main', isGuessed: true, prefix: '' };
  const { branch, ...shared } = await findSharedAt(opened.repository);
  const isKnown = branch !== undefined && PLAIN_BRANCH.test(branch);
  return { ...shared, branch: isKnown ? branch : 'main', isGuessed: !isKnown, prefix: opened.repository.prefix };
}

/** Others would be patterns in a workflow. */
const PLAIN_BRANCH = /^[\w./-]+$/;

/** The remote says where the repository is shared, else the folders of a forge. */
async function chooseForges({ context }: Session, { ci }: InitOptions, { forge }: Around): Promise<readonly Forge[]> {
  if (ci !== undefined) return ci === 'none' ? [] : [ci];
  if (forge !== undefined) return [forge];
  const found: Forge[] = [];
  for (const [name, traces] of TRACES) {
    for (const trace of traces) {
      if ((await exists(path.join(context.cwd, trace))) && !found.includes(name)) found.push(name);
    }
  }
  return found;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

const TRACES: readonly (readonly [Forge, readonly string[]])[] = [
  ['github', ['.github']],
  ['gitlab', ['.gitlab-ci.yml', '.gitlab']],
];

interface Pipelines extends Around {
  readonly forges: readonly Forge[];
  readonly kept: readonly string[];
}

/** Which pipelines there are now, and for which branch: a workflow for another branch never runs, and nothing says so. */
function pipelineNote({ forges, branch, isGuessed, host, kept }: Pipelines): string {
  if (forges.length === 0) {
    const why = host === undefined ? 'git has no remote here' : `${host} may be of either system`;
    return `No pipeline was written: ${why}. For one: flagwright init --ci github, or --ci gitlab.`;
  }
  const old = forges.map((forge) => PIPELINES[forge]).filter((file) => kept.includes(file));
  if (old.length > 0) {
    return `${old.join(', ')} exists and was kept, whatever it is. For the one of today, rename it and run init again.`;
  }
  if (!forges.includes('github')) return `${PIPELINES.gitlab} applies the default branch of the project.`;
  const guess = isGuessed ? ': a guess, since git names no branch. Change it there if it is another one' : '';
  return `${PIPELINES.github} applies the branch ${branch}${guess}.`;
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
    throw new FlagwrightError(
      'usage',
      `--host ${checked.shown} must start with https:// (the API key would be sent unencrypted).`,
    );
  }
  if (!/^(\d+|@current)$/.test(projectId)) {
    throw new FlagwrightError('usage', `--project-id ${projectId} is not the number of a project or @current.`);
  }
  if (!PROJECT_NAME.test(name) || name === 'local') {
    throw new FlagwrightError(
      'usage',
      `--project ${name} is not a valid name: use letters, digits, '.', '_' and '-', and not local.`,
    );
  }
  return { name, host: checked.host, projectId };
}

const PROJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
