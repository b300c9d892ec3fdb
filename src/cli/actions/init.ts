/** `flagwright init`: writes the files of a new project and keeps existing files. */

import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { checkHost } from '../../config/host.ts';
import type { FileOutcome } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { refuseLinkOut } from '../session/links.ts';
import type { Session } from '../session/session.ts';
import { writeAll, type FileWrite } from '../session/write-all.ts';
import { restoreFiles } from '../project/read-configuration.ts';
import {
  CI_SYSTEMS,
  CONFIGURATION_FILE,
  fillTemplates,
  type CiSystem,
  type InitialProject,
} from '../manifests/templates.ts';

export interface InitOptions {
  /** Host of the service with the project to put into the configuration. */
  readonly host?: string;
  readonly projectId?: string;
  /** The system to write a pipeline for; absent: the ones that the folder shows. */
  readonly ci?: 'github' | 'gitlab' | 'none';
}

export async function init(session: Session, options: InitOptions): Promise<ExitCode> {
  const project = initialProject(session, options);
  const { cwd } = session.context;
  await restoreFiles(session, cwd);
  const files: FileOutcome[] = [];
  const writes: FileWrite[] = [];
  for (const { path: file, text } of fillTemplates(project, await chooseSystems(session, options))) {
    const target = path.resolve(cwd, file);
    await refuseLinkOut(cwd, path.dirname(target));
    const isKept = await exists(target);
    if (!isKept) writes.push({ file, text, before: null });
    files.push({ file, status: isKept ? 'kept' : 'written' });
  }
  await writeAll(session, writes);
  await session.publish({ kind: 'files', files });
  await session.note(`\n${nextText(project, files)}\n`);
  return 0;
}

/** The folders of a repository show where it is kept; a new one may be kept anywhere. */
async function chooseSystems({ context }: Session, { ci }: InitOptions): Promise<readonly CiSystem[]> {
  if (ci !== undefined) return ci === 'none' ? [] : [ci];
  const found: CiSystem[] = [];
  for (const [system, traces] of TRACES) {
    for (const trace of traces) {
      if ((await exists(path.join(context.cwd, trace))) && !found.includes(system)) found.push(system);
    }
  }
  return found.length === 0 ? CI_SYSTEMS : found;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

const TRACES: readonly (readonly [CiSystem, readonly string[]])[] = [
  ['github', ['.github']],
  ['gitlab', ['.gitlab-ci.yml', '.gitlab']],
];

function nextText(project: InitialProject | undefined, files: readonly FileOutcome[]): string {
  if (project === undefined) return 'Next: flagwright validate, then flagwright plan.';
  const { name } = project;
  const kept = files.some(({ file, status }) => file === CONFIGURATION_FILE && status === 'kept');
  if (kept) return `${CONFIGURATION_FILE} exists and was kept: add the project ${name} to it by hand.`;
  return `Next: flagwright export --project ${name}, with its API key in POSTHOG_API_KEY.`;
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
