/** The stage of a rehearsal: a new repository with the manifests as its first commit, and a service in memory whose clock it moves. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../../../service/src/index.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { memberOf, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import { quoted } from '../../base/wording.ts';
import { readYaml } from '../../base/yaml/read.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { gitEnvironment } from '../../git/environment.ts';
import { runGit } from '../../git/run-git.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { Output } from '../session/context.ts';
import { createSession, type Session } from '../session/session.ts';

export interface Stage {
  /** The session of a run at the time of the service. */
  readonly session: Session;
  readonly now: () => number;
  readonly moveTo: (time: number) => void;
  /** What the last run wrote. */
  readonly takeOutput: () => string;
}

interface Staged {
  readonly config: Config;
  readonly project: ProjectConfig;
  readonly begin: number;
}

const CONFIG_FILE = 'flagwright.yaml';
const KEY_VARIABLE = 'FLAGWRIGHT_REHEARSAL_KEY';

/** Removes everything of the stage afterwards. */
export async function withStage<Result>(
  session: Session,
  { config, project, begin }: Staged,
  use: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const { context, secrets } = session;
  const root = await mkdtemp(path.join(tmpdir(), 'flagwright-rehearsal-'));
  const apiKey = context.randomUuid();
  secrets.add(apiKey);
  const service = await startEmbedded({
    data: ':memory:',
    profile: project.service === 'embedded' ? project.profile : 'posthog',
    projects: [{ id: '1', roles: project.roles, cohorts: project.cohorts }],
    apiKeys: [apiKey],
    now: () => new Date(begin),
    randomUuid: context.randomUuid,
  });
  try {
    await copyFiles(config, root);
    await writeFile(path.join(root, CONFIG_FILE), await configurationFor(config, project, service.url));
    await commitAll(session, root);
    const output: string[] = [];
    const sink: Output = { isTerminal: false, columns: 200, write: async (text) => void output.push(text) };
    const now = (): number => service.clock.now().getTime();
    const env = { ...context.env, [KEY_VARIABLE]: apiKey };
    return await use({
      session: createSession({
        ...session,
        places: { root },
        context: { ...context, cwd: root, env, stdout: sink, stderr: sink, now, isMoved: true },
        options: { ...bare(session.options), config: CONFIG_FILE, project: project.name, format: 'text', quiet: true },
      }),
      now,
      moveTo: (time) => service.clock.set(new Date(time)),
      takeOutput: () => output.splice(0).join(''),
    });
  } finally {
    await service.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** The rehearsal writes reports; its runs do not. */
function bare({ output: _output, report: _report, ...options }: Session['options']): Session['options'] {
  return options;
}

async function copyFiles({ root, manifests, policies }: Config, folder: string): Promise<void> {
  const { files } = await readManifests({ root, patterns: manifests });
  const named = files.flatMap(({ declarations }) => declarations.flatMap((one) => one.named?.file ?? []));
  const waivers = policies?.waivers === undefined ? [] : [policies.waivers];
  for (const file of new Set([...files.map((one) => one.file), ...named, ...waivers])) {
    const target = path.resolve(folder, file);
    if (path.isAbsolute(file) || !target.startsWith(folder + path.sep)) {
      throw new FlagwrightError('usage', `${quoted(file)} is outside the folder of flagwright.yaml.`, {
        remedy: 'Move it there to rehearse its rollouts.',
      });
    }
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readFile(path.resolve(root, file)));
  }
}

/** The configuration as written, except that its project is the service of the stage. */
async function configurationFor(config: Config, project: ProjectConfig, host: string): Promise<string> {
  const text =
    config.file === undefined ? '' : await readFile(path.resolve(config.root, path.basename(config.file)), 'utf8');
  const [written] = readYaml(CONFIG_FILE, text).documents;
  const { base: _base, ...members } = objectOrEmpty(written?.value);
  const projects = objectOrEmpty(members['projects']);
  const { service: _service, data: _data, profile: _profile, ...own } = objectOrEmpty(memberOf(projects, project.name));
  const staged: JsonObject = { ...own, host, project_id: '1', api_key_env: KEY_VARIABLE };
  return stringifyJson({ ...members, projects: { ...projects, [project.name]: staged } });
}

const IDENTITY = ['-c', 'user.name=flagwright', '-c', 'user.email=flagwright@localhost', '-c', 'commit.gpgsign=false'];

/** @throws {FlagwrightError} `usage` without git: what was applied is recorded in a repository. */
async function commitAll({ context, interrupts }: Session, folder: string): Promise<void> {
  const caller = { folder, env: gitEnvironment(context.env, [KEY_VARIABLE]), signal: interrupts.stop };
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    [...IDENTITY, 'commit', '--quiet', '--message', 'Rehearse'],
  ]) {
    const run = await runGit(caller, { args });
    if (run.kind !== 'done') {
      throw new FlagwrightError('usage', `A rehearsal needs git, which does not work here: ${run.detail}.`, {
        remedy: 'Install git, and run the same command again.',
      });
    }
  }
}
