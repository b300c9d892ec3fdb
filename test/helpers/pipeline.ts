/** A repository with a service and a forge, in which the workflows of `init` run: bash, the command, real git. */

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { fillTemplates, type InitialProject } from '../../src/cli/actions/init-templates.ts';
import { actionStep, ROOT, type Workflow } from './action.ts';
import { TOKEN, type Forge } from './forge.ts';
import type { Rights } from './forge-rights.ts';
import { servePrograms } from './programs.ts';
import { git as runGit, GIT_ENV, initialise } from './repository.ts';
import { runCli } from './run.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import { startWorld, type World } from './world.ts';

export const KEY = 'phx_planted_key_0123456789';
export const EXCEPTIONS =
  'exceptions: [{ rule: deletes, most: 1, reason: the checkout was replaced, until: 9999-12-31, granted_by: ann }]\n';
const MAIN = path.join(ROOT, 'ci/main.mjs');

export type Env = Readonly<Record<string, string>>;
export interface Ran {
  readonly code: number;
  readonly log: string;
}
export interface Ci {
  readonly world: World;
  readonly workspace: Workspace;
  readonly forge: Forge;
  /** Runs a script as the runner of a CI system does. */
  readonly script: (text: string, env?: Env) => Promise<Ran>;
}

/** A checkout of the branch `main` of a bare repository, and a service with one flag. The programs run in this process. */
export async function startCi(manifest: string, startForge: () => Promise<Forge>): Promise<Ci> {
  const log: string[] = [];
  const programs = await servePrograms((text) => void log.push(text));
  return startWith(programs, { manifest, startForge, log });
}

/** The same with the programs of the package, each in a process of its own. */
export async function startBuiltCi(manifest: string, startForge: () => Promise<Forge>): Promise<Ci> {
  const start = (file: string): string => `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`;
  const programs = { flagwright: start(path.join(ROOT, 'dist/cli/bin.js')), 'flagwright-ci': start(MAIN) };
  return startWith(programs, { manifest, startForge, log: [] });
}

interface Around {
  readonly manifest: string;
  readonly startForge: () => Promise<Forge>;
  /** What programs outside the processes of a script print for it. */
  readonly log: string[];
}

async function startWith(programs: Env, { manifest, startForge, log }: Around): Promise<Ci> {
  const world = await startWorld('posthog');
  onTestFinished(async () => world.close());
  await world.client.createFlag({ key: 'checkout', active: true, filters: { groups: [{ rollout_percentage: 50 }] } });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\nlimits: { deletes: 0 }\n`,
    'flags/main.yaml': manifest,
    '.gitignore': '.*\n!.gitignore\n*.md\n*.html\n*.json\n*.env\n*.jsonl\noutput\nsummary\nflag-journal\norigin.git\n',
    ...Object.fromEntries(Object.entries(programs).map(([name, text]) => [`.bin/${name}`, text])),
  });
  for (const name of Object.keys(programs)) chmodSync(path.join(workspace.root, '.bin', name), 0o755);
  const ci = { world, workspace, script: scriptsIn(workspace, log), forge: await startForge() };
  beginRepository(ci);
  return ci;
}

function scriptsIn({ root }: Workspace, log: string[]): Ci['script'] {
  return (text, env = {}) =>
    new Promise((resolve) => {
      log.length = 0;
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', text], {
        cwd: root,
        env: {
          PATH: `${path.join(root, '.bin')}:${process.env['PATH'] ?? ''}`,
          HOME: root,
          FLAG_REMOTE: path.join(root, 'origin.git'),
          FLAG_FORGE_SECONDS: '5',
          ...env,
        },
      });
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => void log.push(chunk.toString()));
      child.on('close', (code) => resolve({ code: code ?? -1, log: log.join('') }));
    });
}

export const keysOf = async ({ world }: Ci): Promise<string[]> =>
  (await world.client.listFlags()).map(({ key }) => key);
export const DELETE = 'flags:\n  checkout: { deleted: true }\n';
export const HALF = 'flags:\n  checkout: { active: true, rollout_percentage: 50 } # half\n';

/** On another machine, the artifact with the journal reverts the apply; others can read its files there. */
export async function expectUndo(ci: Ci): Promise<void> {
  const { workspace, world } = ci;
  const elsewhere = createWorkspace({ 'flagwright.yaml': workspace.read('flagwright.yaml') });
  cpSync(path.join(workspace.root, 'flag-journal'), path.join(elsewhere.root, 'flag-journal'), { recursive: true });
  for (const name of readdirSync(path.join(elsewhere.root, 'flag-journal')).filter((file) => file.endsWith('.jsonl')))
    chmodSync(path.join(elsewhere.root, 'flag-journal', name), 0o644);
  const undone = await runCli(['undo', '--journal', 'flag-journal', '--yes'], {
    cwd: elsewhere.root,
    env: { POSTHOG_API_KEY: KEY },
  });
  expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('restore checkout') as string]);
  expect((await world.client.listFlags()).map(({ key }) => key)).toEqual(['checkout']);
}

export function templateOf(file: string, host: string, folder = ''): string {
  return pipelineOf(file, [{ name: 'production', host, projectId: '1', apiKeyVariable: 'POSTHOG_API_KEY' }], folder);
}

/** What `init` writes for all of the projects. */
export function pipelineOf(file: string, projects: readonly InitialProject[], folder = ''): string {
  const files = fillTemplates({ projects, forges: ['github', 'gitlab'], isConfigured: true, folder });
  return files.find(({ path: at }) => at === file)?.text ?? '';
}

/** A pipeline in which somebody uncommented all lines that are there for it: those from the first step, item or name of a block of comments on. */
export function uncommented(text: string): string {
  return text.replaceAll(/^( *)# (?:- |\w+:$).*\n(?:\1#.*\n)*/gm, (block, indent: string) =>
    block.replaceAll(new RegExp(`^${indent}# `, 'gm'), indent),
  );
}

/**
 * A commit on both sides: what can be copied is, since each start of git takes longer, and the remote looks for objects in those of the
 * checkout. No hooks and no maintenance, which take time too.
 */
function beginRepository(ci: Ci): void {
  const at = (name: string): string => path.join(ci.workspace.root, name);
  initialise(ci.workspace.root);
  const remote = `[remote "origin"]\n\turl = ${at('origin.git')}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  appendFileSync(at('.git/config'), UNMAINTAINED + remote);
  commit(ci, {});
  for (const part of ['HEAD', 'refs']) cpSync(at(`.git/${part}`), at(`origin.git/${part}`), { recursive: true });
  ci.workspace.write('origin.git/objects/info/alternates', `${at('.git/objects')}\n`);
  writeFileSync(
    at('origin.git/config'),
    `[core]\n\tbare = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n${UNMAINTAINED}`,
  );
  cpSync(at('.git/refs/heads'), at('.git/refs/remotes/origin'), { recursive: true });
}

const UNMAINTAINED = '[maintenance]\n\tauto = false\n';

/** In one shell: git is started from a small process faster than from this one. */
function shell({ workspace }: Ci, script: string, ...args: string[]): string {
  return execFileSync('bash', ['--norc', '-ec', script, 'bash', ...args], {
    cwd: workspace.root,
    env: GIT_ENV,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

export function git({ workspace }: Ci, ...args: string[]): string {
  return runGit(workspace.root, ...args);
}

export function headOf(ci: Ci): string {
  const head = ci.workspace.read('.git/HEAD').trim();
  return head.startsWith('ref: ') ? ci.workspace.read(`.git/${head.slice(5)}`).trim() : head;
}

/** Commits the files, and returns the commit. */
export function commit(ci: Ci, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) ci.workspace.write(file, text);
  const message = ['Change', ...Object.keys(files)].join(' ');
  shell(ci, 'git add -A; git commit -qm "$1"', message);
  return headOf(ci);
}

/** What a forced push does, without git: the remote has the objects of the checkout. */
export function push(ci: Ci, name = 'refs/heads/main', id = headOf(ci)): void {
  ci.workspace.write(`origin.git/${name}`, `${id}\n`);
  if (name.startsWith('refs/heads/')) ci.workspace.write(`.git/${name.replace('heads', 'remotes/origin')}`, `${id}\n`);
}

/** The commit that the remote's record names; empty if it has none. */
export function appliedOf(ci: Ci, name = 'production'): string {
  const record = readOr(ci, `origin.git/refs/flagwright/applied/${name}`).trim();
  if (record === '') return '';
  const text = runGit(path.join(ci.workspace.root, 'origin.git'), 'cat-file', 'commit', record);
  return /^Applied: (.*)$/m.exec(text)?.[1] ?? record;
}
export const branchOf = (ci: Ci): string => readOr(ci, 'origin.git/refs/heads/flagwright/drift-production').trim();

interface GithubJob {
  readonly event?: object;
  /** What the expressions of the workflow mean. */
  readonly values?: Env;
  readonly env?: Env;
  /** The text of the workflow; absent: of the one that `init` writes. */
  readonly text?: string;
}

/** Runs the action in a job of the workflow. */
export async function githubJob(
  ci: Ci,
  name: string,
  { event, values, env, text }: GithubJob = {},
): Promise<Ran & { readonly output: string; readonly summary: string }> {
  ci.workspace.write('.event.json', JSON.stringify(event ?? {}));
  ci.workspace.write('output', '');
  ci.workspace.write('summary', '');
  const workflow = parse(text ?? templateOf('.github/workflows/flags.yml', ci.world.url)) as Workflow;
  const keys = {
    'secrets.POSTHOG_READ_KEY': KEY,
    'secrets.POSTHOG_API_KEY': KEY,
    'env.REQUIRE_REVIEWED': 'false',
    'runner.temp': path.join(ci.workspace.root, '.temp'),
  };
  const around = {
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_EVENT_PATH: path.join(ci.workspace.root, '.event.json'),
    GITHUB_OUTPUT: path.join(ci.workspace.root, 'output'),
    GITHUB_STEP_SUMMARY: path.join(ci.workspace.root, 'summary'),
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_WORKFLOW_REF: 'acme/shop/.github/workflows/flags.yml@refs/heads/main',
    GITHUB_API_URL: ci.forge.url,
    GITHUB_REF_NAME: 'main',
    GITHUB_SHA: headOf(ci),
    GITHUB_RUN_ID: '99',
    RUNNER_TEMP: path.join(ci.workspace.root, '.temp'),
    ...env,
  };
  ci.forge.rights = workflow.jobs[name]?.permissions ?? (workflow.permissions as Rights);
  const { script, env: own } = actionStep({ workflow, job: name, name: 'Run' }, { ...keys, ...values });
  const ran = await ci.script(script, { ...own, ...around });
  for (const said of [ran.log, ...['output', 'summary', 'plan.md', 'result.md'].map((file) => readOr(ci, file))]) {
    expect(said).not.toContain(TOKEN);
    expect(said).not.toContain(KEY);
  }
  return { ...ran, output: ci.workspace.read('output'), summary: ci.workspace.read('summary') };
}

function readOr({ workspace }: Ci, file: string): string {
  return existsSync(path.join(workspace.root, file)) ? workspace.read(file) : '';
}

/** `text`: of the jobs; absent: of those that `init` writes. The variables of the job may name those of `env`. */
export function gitlabJob(ci: Ci, name: string, env: Env = {}, text?: string): Promise<Ran> {
  const jobs = parse(text ?? templateOf('.gitlab/flags.gitlab-ci.yml', ci.world.url)) as Record<
    string,
    { script: readonly string[]; variables?: Env }
  >;
  const own = Object.entries((text === undefined ? undefined : jobs[name]?.variables) ?? {});
  const variables = {
    ...jobs['.flags']?.variables,
    ...Object.fromEntries(
      own.map(([of, value]) => [of, value.replaceAll(/\$(\w+)/g, (as, one: string) => env[one] ?? as)]),
    ),
  };
  return ci.script(jobs[name]?.script.join('\n') ?? 'exit 99', {
    ...variables,
    FLAG_REQUIRE_REVIEWED: 'false',
    GITLAB_CI: 'true',
    CI_JOB_NAME: name,
    POSTHOG_API_KEY: KEY,
    CI_API_V4_URL: ci.forge.url,
    CI_PROJECT_ID: '9',
    CI_PROJECT_PATH: 'acme/shop',
    CI_SERVER_URL: 'https://gitlab.example.org',
    CI_SERVER_HOST: 'gitlab.example.org',
    CI_DEFAULT_BRANCH: 'main',
    CI_COMMIT_SHA: headOf(ci),
    CI_PIPELINE_SOURCE: 'push',
    ...env,
  });
}
