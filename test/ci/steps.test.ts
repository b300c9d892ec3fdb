/** The steps of flagwright-ci: which exit codes they end with, what flagwright gets, and what fits a description. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGithub, TOKEN, type Forge } from '../helpers/forge.ts';
import { runCi } from '../helpers/programs.ts';
import { createRepository } from '../helpers/repository.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const MAIN = path.resolve(import.meta.dirname, '../../ci/main.mjs');
const BUILT = path.resolve(import.meta.dirname, '../../dist/cli/bin.js');
const HOSTILE = '```\n</details> @everyone\n::error::x\n/close\n';

/** In one shell, since a start from the process of the tests, which is large, is slow. */
const BEGIN = `git init -q -b main --template=
git init -q --bare --template= origin.git
git add -A
git -c user.name=a -c user.email=a@example.org -c maintenance.auto=false commit -qm Begin
git push -q origin.git HEAD:main`;

type Env = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number;
  readonly log: string;
}

interface Stage {
  readonly workspace: Workspace;
  readonly forge: Forge;
  /** Runs a step in this process. `calls`: of flagwright, by all steps. */
  readonly step: (name: string, env?: Env) => Promise<Ended & { readonly calls: readonly string[] }>;
  /** The same in a process of its own. */
  readonly run: (name: string, env?: Env) => Promise<Ended>;
}

/** A checkout with a command in place of flagwright, since some of its exit codes need a service that fails. */
async function start(codes: Readonly<Record<string, number>> = {}): Promise<Stage> {
  const cases = Object.entries(codes).map(([command, code]) => `${command}) exit ${code};;`);
  const workspace = createWorkspace({
    'flags/main.yaml': 'flags: {}\n',
    document: HOSTILE,
    '.bin/flagwright': `#!/bin/bash
echo "$*" >> calls
env | grep -c TOKEN >> tokens
env | grep -c API_KEY >> keys
command=$1
while [ $# -gt 0 ]; do [ "$1" != --output ] || cat "$command.document" document > "$2" 2> /dev/null; shift; done
[ $command != accept ] || echo "# accepted" >> flags/main.yaml
case $command in ${cases.join(' ')} esac
`,
    '.gitignore': '*\n!flags\n!flags/*\n',
  });
  const { root } = workspace;
  chmodSync(path.join(root, '.bin/flagwright'), 0o755);
  execFileSync('bash', ['--norc', '-ec', BEGIN], { cwd: root });
  const forge = await startGithub();
  const around = {
    PATH: `${path.join(root, '.bin')}:${process.env['PATH'] ?? ''}`,
    HOME: root,
    PROJECT: 'production',
    GITHUB_ACTIONS: 'true',
    GITHUB_TOKEN: TOKEN,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_API_URL: forge.url,
    GITHUB_REF_NAME: 'main',
    GITHUB_SHA: 'HEAD',
    GITHUB_STEP_SUMMARY: path.join(root, 'summary'),
    FLAG_REMOTE: path.join(root, 'origin.git'),
  };
  return {
    workspace,
    forge,
    run: (name, env = {}) => startStep(name, { cwd: root, env: { ...around, ...env } }),
    step: async (name, env = {}) => {
      let log = '';
      const code = await runCi({ args: [name], cwd: root, env: { ...around, ...env } }, (text) => (log += text));
      const calls = existsSync(path.join(root, 'calls')) ? workspace.read('calls').trim().split('\n') : [];
      return { code, log, calls };
    },
  };
}

/** Starts it as a job does. */
async function startStep(name: string, options: { readonly cwd: string; readonly env: Env }): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, name], options);
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.on('close', (code) => resolve({ code: code ?? -1, log }));
  });
}

test.each([
  ['plan', 0, 0],
  ['plan', 1, 1],
  ['plan', 2, 0],
  ['plan', 4, 4],
  ['apply', 0, 0],
  ['apply', 3, 3],
  ['apply', 4, 4],
  ['apply', 5, 5],
  ['drift', 0, 0],
  ['drift', 1, 1],
  ['drift', 2, 0],
])('%s ends with the code of flagwright, which is %i: %i', async (name, given, expected) => {
  const { step, workspace } = await start({ [name]: given });
  expect((await step(name)).code).toBe(expected);
  if (name !== 'drift' || given !== 1) expect(workspace.read('summary')).toContain(HOSTILE.trimEnd());
  expect(new Set(workspace.read('tokens').trim().split('\n'))).toEqual(new Set(['0']));
});

test('words of inputs are arguments, whatever they contain', async () => {
  const { step } = await start();
  expect((await step('plan', { ALLOW_RISKY: ' a-* $(touch pwned)  b', OVERRIDE_EDITS: '' })).calls).toEqual([
    'plan --project production --detailed-exitcode --out plan.json --format markdown --output plan.md --report github=plan-annotations.txt --report html=plan.html --impact --allow-risky a-* $(touch pwned) b',
  ]);
});

test.each([
  ['unless it is switched off', { FLAG_IMPACT: 'false' }, false],
  ['also where the input is not known', { FLAG_IMPACT: '' }, true],
])('a plan says for how many people answers change, %s', async (_, env, expected) => {
  const { step } = await start();
  const { calls } = await step('plan', env);
  expect(calls[0]?.includes(' --impact')).toBe(expected);
});

test.each([
  [
    'the one who runs it by hand',
    { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_TRIGGERING_ACTOR: 'ann' },
    ' --approved-by ann',
  ],
  ['nobody after a push', { GITHUB_EVENT_NAME: 'push', GITHUB_TRIGGERING_ACTOR: 'ann' }, ''],
])('a plan and its apply are approved by %s', async (_, env, ending) => {
  const { step } = await start({ plan: 2 });
  await step('plan', env);
  const { calls } = await step('apply', env);
  expect(calls.map((call) => / --approved-by \w+/.exec(call)?.[0] ?? '')).toEqual([ending, ending]);
});

test.each([
  ['the repository itself', { full_name: 'acme/shop' }, '1'],
  ['a fork', { full_name: 'stranger/shop' }, '0'],
  ['a fork that was deleted', null, '0'],
])('a change from %s is planned with as many keys as it may have', async (_, repository, keys) => {
  const { step, workspace } = await start({ plan: 2, snapshot: 0 });
  workspace.write('flag-snapshot.json', '{}');
  for (const args of [
    ['checkout', '-q', '--orphan', 'snapshot'],
    ['add', '-f', 'flag-snapshot.json'],
    ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'Publish'],
    ['push', '-q', 'origin.git', 'HEAD:refs/flagwright/snapshot/production'],
    ['checkout', '-qf', 'main'],
  ])
    execFileSync('git', args, { cwd: workspace.root });
  workspace.write(
    'event',
    JSON.stringify({
      pull_request: { number: 7, base: { ref: 'main' }, head: { sha: 'a', repo: repository } },
    }),
  );
  await step('plan', { GITHUB_EVENT_PATH: 'event', POSTHOG_API_KEY: 'phx_planted' });
  expect([...new Set(workspace.read('keys').trim().split('\n'))]).toEqual([keys]);
});

test('files that the repository has in place of documents are not taken for them', async () => {
  const { step, workspace } = await start({ plan: 1 });
  workspace.write('plan.json', 'of somebody else');
  workspace.write('target', 'kept');
  symlinkSync(path.join(workspace.root, 'target'), path.join(workspace.root, 'plan.md'));
  expect((await step('plan')).calls).toHaveLength(1);
  expect([existsSync(path.join(workspace.root, 'plan.json')), workspace.read('target')]).toEqual([false, 'kept']);
});

describe('the text of the pull request', () => {
  test.each([
    ['with the drift', 40_000, 10_000, true],
    ['without the drift where both do not fit', 50_000, 20_000, false],
  ])('is the report of the edits, %s', async (_, accepted, drifted, hasBoth) => {
    const { step, forge, workspace } = await start({ drift: 2 });
    workspace.write('accept.document', `accepted ${'a'.repeat(accepted)}\n`);
    workspace.write('drift.document', `drifted ${'a'.repeat(drifted)}\n`);
    expect((await step('drift')).code).toBe(0);
    const text = forge.requests[0]?.text ?? '';
    expect([text.includes('accepted a'), text.includes('drifted a')]).toEqual([true, hasBoth]);
    expect(text.length).toBeLessThan(65_536);
  });

  test('is not sent twice if the answer to the first is lost', async () => {
    const { step, forge } = await start({ drift: 2 });
    forge.faults.push({ on: 'POST /pulls', isLost: true });
    expect((await step('drift')).code).toBe(0);
    expect(forge.requests).toHaveLength(1);
  });

  test('is refused with the setting that allows it', async () => {
    const { step, forge } = await start({ drift: 2 });
    const message = 'GitHub Actions is not permitted to create or approve pull requests.';
    forge.faults.push({ on: 'POST /pulls', status: 403, body: { message } });
    const { code, log } = await step('drift');
    expect([code, log]).toEqual([
      1,
      expect.stringContaining('"Allow GitHub Actions to create and approve pull requests"') as string,
    ]);
  });
});

test.each(['--help', '-h', 'help'])('%s lists every step, outside a job too', (word) => {
  const log = execFileSync(process.execPath, [MAIN, word], { encoding: 'utf8', env: {} });
  expect(log).toMatch(/^Usage: flagwright-ci STEP/);
  for (const step of ['validate', 'plan', 'fork-comment', 'apply', 'due', 'drift'])
    expect(log).toMatch(new RegExp(`^  ${step} `, 'm'));
});

test.each([
  ['outside a job', {}, []],
  ['in a job of GitHub', { GITHUB_ACTIONS: 'true' }, []],
  ['in a job of GitLab', { GITLAB_CI: 'true' }, ['?? flag-tests.xml', '?? gl-code-quality-report.json']],
] as const)('%s, validate leaves only what the job hands on in the checkout', (_name, env, left) => {
  const { root } = createRepository({
    'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
    'flags/a.yaml': 'flags: { checkout: { active: true, rollout_percentage: 0 } }\n',
    'tests/a.yaml': 'people: { ann: { id: ann } }\nexpect: [{ name: all, person: ann, flags: { checkout: true } }]\n',
  });
  const bin = createWorkspace({ flagwright: `#!/bin/bash\nexec "${process.execPath}" "${BUILT}" "$@"\n` }).root;
  chmodSync(path.join(bin, 'flagwright'), 0o755);
  const ended = spawnSync(process.execPath, [MAIN, 'validate'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: root, ...env },
  });
  expect(ended).toMatchObject({ status: 2 });
  expect(ended.stdout + ended.stderr).toContain('Tests: 0 passed, 1 failed');
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  expect(status.split('\n').filter(Boolean)).toEqual(left);
});

describe('what cannot work is refused with what to do', () => {
  test.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      'an unknown step',
      'plam',
      {},
      /"plam" is not a step\. Use one of: validate, plan, fork-comment, apply, due, drift\./,
    ],
    ['no project', 'plan', { PROJECT: '' }, /PROJECT is not set/],
    ['no repository', 'plan', { GITHUB_REPOSITORY: '' }, /GITHUB_REPOSITORY is not set/],
    ['an event that is none', 'plan', { GITHUB_EVENT_PATH: 'document' }, /is not the JSON of an event/],
    ['a remote that is away', 'plan', { FLAG_REMOTE: `https://x:${TOKEN}@127.0.0.1:1/shop.git` }, /git ls-remote/],
    [
      'a comment on a fork of GitLab',
      'fork-comment',
      { GITHUB_ACTIONS: '', CI_API_V4_URL: 'http://127.0.0.1:1', CI_PROJECT_ID: '9' },
      /This step is for GitHub/,
    ],
    ['no flagwright', 'validate', { PATH: '/nowhere' }, /flagwright cannot be started \(ENOENT\)/],
  ])('%s', async (_, name, env, words) => {
    const { run } = await start();
    const { code, log } = await run(name, env);
    expect([code, log]).toEqual([1, expect.stringMatching(words) as string]);
    expect(log).toMatch(/^(?:::error title=flagwright-ci::|flagwright-ci: ).*\n$/);
    expect(log).not.toContain(TOKEN);
  });
});
