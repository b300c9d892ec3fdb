/**
 * The scripts of the CI templates, run by bash with the built command against a service: a change from the pull request to
 * the apply, on GitHub and on GitLab. `gh` only records its calls; GitLab's interface for notes is a real server.
 */

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { fillTemplates } from '../../src/cli/stages/templates.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { startWorld, type World } from '../helpers/world.ts';

const KEY = 'phx_planted_key_0123456789';
const BIN = path.resolve(import.meta.dirname, '../../dist/cli/bin.js');
const PERMITS = 'permits: [{ deletes: 1, reason: the checkout was replaced, expires: 9999-12-31 }]\n';

interface Ci {
  readonly world: World;
  readonly workspace: Workspace;
  /** Runs a script as the runner of a CI system does. */
  readonly script: (text: string, env?: Readonly<Record<string, string>>) => Promise<{ code: number; log: string }>;
}

async function startCi(manifest: string): Promise<Ci> {
  const world = await startWorld('posthog');
  onTestFinished(async () => world.close());
  await world.client.createFlag({ key: 'checkout', active: true, filters: { groups: [{ rollout_percentage: 50 }] } });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\nlimits: { deletes: 0 }\n`,
    'flags/main.yaml': manifest,
    '.bin/flagwright': `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`,
    '.bin/gh': '#!/bin/sh\necho "gh $*" >> gh.log\n',
  });
  for (const name of ['flagwright', 'gh']) chmodSync(path.join(workspace.root, '.bin', name), 0o755);
  const script: Ci['script'] = (text, env = {}) =>
    new Promise((resolve) => {
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', text], {
        cwd: workspace.root,
        env: {
          PATH: `${path.join(workspace.root, '.bin')}:${process.env['PATH'] ?? ''}`,
          HOME: workspace.root,
          PROJECT: 'production',
          FLAGWRIGHT_HOSTS: world.url,
          POSTHOG_API_KEY: KEY,
          ...env,
        },
      });
      let log = '';
      child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
      child.on('close', (code) => resolve({ code: code ?? -1, log }));
    });
  return { world, workspace, script };
}

const keysOf = async ({ world }: Ci): Promise<string[]> => (await world.client.listFlags()).map(({ key }) => key);
const DELETE = 'flags:\n  checkout: { deleted: true }\n';

/** On another machine, the artifact with the journal reverts the apply; others can read its files there. */
async function expectUndo(ci: Ci): Promise<void> {
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

function templateOf(file: string): string {
  return fillTemplates().find(({ path: at }) => at === file)?.text ?? '';
}

/** The folder becomes a checkout of the branch `main` of a bare repository. */
function beginRepository(ci: Ci): void {
  const { workspace } = ci;
  workspace.write('.gitignore', '.bin\n.flagwright\n*.md\n*.json\n*.env\n*.log\noutput\nsummary\norigin.git\n');
  mkdirSync(path.join(workspace.root, 'origin.git'));
  for (const args of [
    ['init', '-q'],
    ['init', '-q', '--bare', 'origin.git'],
    ['-C', 'origin.git', 'config', 'uploadpack.allowAnySHA1InWant', 'true'],
    ['remote', 'add', 'origin', path.join(workspace.root, 'origin.git')],
    ['add', '-A'],
    ['commit', '-qm', 'Begin'],
    ['push', '-q', 'origin', 'HEAD:main'],
  ])
    git(ci, ...args);
}

function git(ci: Ci, ...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], {
    cwd: ci.workspace.root,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

describe('on GitHub', () => {
  interface Step {
    readonly name?: string;
    readonly run?: string;
  }
  const { jobs } = parse(templateOf('.github/workflows/flags.yml')) as {
    jobs: Record<string, { steps: readonly Step[] }>;
  };

  async function step(ci: Ci, name: string, env: Readonly<Record<string, string>> = {}): Promise<number> {
    const found = Object.values(jobs).flatMap(({ steps }) => steps.filter((one) => one.name === name));
    const { code } = await ci.script(found[0]?.run ?? 'exit 99', {
      GITHUB_OUTPUT: path.join(ci.workspace.root, 'output'),
      GITHUB_STEP_SUMMARY: path.join(ci.workspace.root, 'summary'),
      GITHUB_REPOSITORY: 'acme/shop',
      PULL_REQUEST: '7',
      ...env,
    });
    return code;
  }

  test('a delete needs a permit that was there before, is applied with it, and converges', async () => {
    const ci = await startCi(DELETE);
    const { workspace } = ci;
    // A permit in the same change does not count.
    workspace.write('permits.yaml', PERMITS);
    expect(await step(ci, 'Plan')).toBe(0);
    expect(workspace.read('output')).toBe('code=4\n');
    expect(await step(ci, 'Show the plan in a comment, and update it later')).toBe(0);
    expect(workspace.read('comment.md')).toMatch(/^<!-- flagwright plan -->\n### Plan for `production`\n/);
    expect(workspace.read('comment.md')).toContain('Allow it with `--allow-deletes 1`');
    expect(workspace.read('gh.log')).toContain('--method POST');
    expect(await step(ci, 'Fail if no plan can be applied', { CODE: '4' })).toBe(1);

    workspace.write('.base/permits.yaml', PERMITS);
    expect(await step(ci, 'Plan')).toBe(0);
    expect(workspace.read('output')).toBe('code=4\ncode=2\n');
    expect(workspace.read('plan.md')).toContain('the checkout was replaced');
    expect(await step(ci, 'Apply')).toBe(0);
    expect(await keysOf(ci)).toEqual([]);
    expect(workspace.read('summary')).toContain('**Applied 1 change · ');
    expect(await step(ci, 'Plan')).toBe(0);
    expect(workspace.read('output')).toMatch(/code=0\n$/);
    await expectUndo(ci);
  });

  test('an input of a run by hand permits it too, and several keys are several values', async () => {
    const ci = await startCi(DELETE);
    const env = { ALLOW_DELETES: '1', ALLOW_RISKY: 'checkout a-*', ALLOW_PROTECTED: '' };
    expect(await step(ci, 'Plan', env)).toBe(0);
    expect(ci.workspace.read('output')).toBe('code=2\n');
  });

  test('the diagnostics of a manifest reach the comment', async () => {
    const ci = await startCi('flags:\n  checkout: { active: 7 }\n');
    expect(await step(ci, 'Plan')).toBe(0);
    expect(ci.workspace.read('output')).toBe('code=1\n');
    expect(await step(ci, 'Show the plan in a comment, and update it later')).toBe(0);
    expect(ci.workspace.read('comment.md')).toContain('flags/main.yaml:2:');
  });

  test('no key is sent to a host that the workflow does not name', async () => {
    const ci = await startCi(DELETE);
    expect(await step(ci, 'Plan', { FLAGWRIGHT_HOSTS: 'https://us.posthog.com' })).toBe(0);
    expect(ci.workspace.read('output')).toBe('code=1\n');
    expect(ci.workspace.read('plan.md')).toContain('not in FLAGWRIGHT_HOSTS');
  });

  const DRIFT = 'Open, update or close the pull request';

  test('drift becomes one pull request, which stays while nothing moves, and its merge is recorded as applied', async () => {
    const ci = await startCi('flags:\n  checkout: { active: true, rollout_percentage: 50 } # half\n');
    const { workspace, world } = ci;
    beginRepository(ci);
    expect(await step(ci, 'Plan')).toBe(0);
    expect(workspace.read('output')).toBe('code=0\n');
    expect(await step(ci, 'Record the commit')).toBe(0);
    expect(await step(ci, 'Publish which commit was applied')).toBe(0);
    expect(git(ci, 'ls-remote', 'origin', 'refs/flagwright/applied/*')).toContain(git(ci, 'rev-parse', 'HEAD'));

    await world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 80 }] } });
    expect(await step(ci, 'Fetch what was applied last')).toBe(0);
    expect(await step(ci, 'Compare live flags with the manifests')).toBe(0);
    expect(workspace.read('output')).toMatch(/code=2\n$/);
    expect(await step(ci, 'Write the edits into the manifests')).toBe(0);
    expect(await step(ci, DRIFT, { CODE: '2' })).toBe(0);
    expect(workspace.read('request.md')).toContain('### Drift of `production`');
    expect(workspace.read('gh.log')).toContain('pr create --head flagwright/drift-production');
    const branch = (): string => git(ci, 'ls-remote', 'origin', 'refs/heads/flagwright/drift-production').slice(0, 40);
    const first = branch();
    expect(git(ci, 'show', `${first}:flags/main.yaml`)).toContain('rollout_percentage: 80 } # half');

    // The next morning begins with the main branch.
    git(ci, 'switch', '-q', 'main');
    expect(await step(ci, 'Write the edits into the manifests')).toBe(0);
    expect(await step(ci, DRIFT, { CODE: '2' })).toBe(0);
    expect(branch()).toBe(first);

    git(ci, 'switch', '-q', 'main');
    git(ci, 'reset', '-q', '--hard', first);
    expect(await step(ci, 'Plan')).toBe(0);
    expect(workspace.read('output')).toMatch(/code=0\n$/);
    expect(await step(ci, 'Record the commit')).toBe(0);
    expect(await step(ci, DRIFT, { CODE: '0' })).toBe(0);
    expect(git(ci, 'rev-parse', 'refs/flagwright/applied/production')).toBe(git(ci, 'rev-parse', 'HEAD'));
    expect((await world.client.listFlags())[0]?.filters).toMatchObject({ groups: [{ rollout_percentage: 80 }] });
  });

  test('an edit that no manifest can take fails the job, and the summary has the drift', async () => {
    const ci = await startCi(
      'flags:\n  checkout: { active: true, rollout_percentage: &half 50 }\n  other: { active: true, rollout_percentage: *half }\n',
    );
    beginRepository(ci);
    await ci.world.client.createFlag({ key: 'other', active: true, filters: { groups: [{ rollout_percentage: 80 }] } });
    expect(await step(ci, 'Compare live flags with the manifests')).toBe(0);
    expect(await step(ci, 'Write the edits into the manifests')).toBe(0);
    expect(await step(ci, DRIFT, { CODE: '2' })).toBe(1);
    expect(ci.workspace.read('summary')).toContain('### Drift of `production`');
    expect(ci.workspace.read('accept.md')).toContain('alias');
  });
});

describe('on GitLab', () => {
  const jobs = parse(templateOf('.gitlab/flags.gitlab-ci.yml')) as Record<string, { script: readonly string[] }>;
  const scriptOf = (job: string): string => jobs[job]?.script.join('\n') ?? 'exit 99';

  /** GitLab's interface for notes: 100 notes of other users, then those of the token. */
  async function startNotes(): Promise<{ url: string; bodies: () => readonly string[] }> {
    const others = Array.from({ length: 100 }, (_, index) => ({
      id: index + 1,
      author: { id: 1 },
      body: '<!-- flagwright plan -->',
    }));
    const own: { id: number; author: { id: number }; body: string }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const body = new URLSearchParams(text).get('body') ?? '';
        const page = Number(url.searchParams.get('page') ?? 1);
        if (request.headers['private-token'] !== 'glpat') response.statusCode = 401;
        if (request.method === 'POST') own.push({ id: 500, author: { id: 42 }, body });
        const written = own.find(({ id }) => url.pathname.endsWith(`/notes/${id}`));
        if (request.method === 'PUT' && written !== undefined) written.body = body;
        const notes = [...others, ...own].slice((page - 1) * 100, page * 100);
        response.end(JSON.stringify(url.pathname.endsWith('/user') ? { id: 42 } : notes));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, bodies: () => own.map(({ body }) => body) };
  }

  test('a merge request has one note, a permit counts once it is on the target branch, and apply takes the plan', async () => {
    const ci = await startCi('flags: {}\n');
    const { workspace } = ci;
    const notes = await startNotes();
    beginRepository(ci);
    const request = {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
      CI_PROJECT_ID: '9',
      CI_API_V4_URL: notes.url,
      FLAG_NOTES_TOKEN: 'glpat',
      GITLAB_CI: 'true',
    };

    // The merge request deletes a flag and permits itself.
    workspace.write('flags/main.yaml', DELETE);
    workspace.write('permits.yaml', PERMITS);
    const refused = await ci.script(scriptOf('flags:plan'), request);
    expect([refused.code, workspace.read('plan.env')]).toEqual([4, 'FLAG_PLAN_CODE=4\n']);
    expect(notes.bodies()).toEqual([expect.stringContaining('Allow it with `--allow-deletes 1`') as string]);

    // The permit is merged first.
    for (const args of [
      ['add', 'permits.yaml'],
      ['commit', '-qm', 'Permit'],
      ['push', '-q', 'origin', 'HEAD:main'],
    ])
      git(ci, ...args);
    const permitted = await ci.script(scriptOf('flags:plan'), request);
    expect([permitted.code, workspace.read('plan.env')]).toEqual([0, 'FLAG_PLAN_CODE=2\n']);
    expect(notes.bodies()).toEqual([expect.stringContaining('the checkout was replaced') as string]);
    expect(permitted.log).toContain('- delete  checkout');

    // The merge: a push to the default branch.
    const before = git(ci, 'rev-parse', 'HEAD');
    for (const args of [
      ['add', '-A'],
      ['commit', '-qm', 'Delete'],
      ['push', '-q', 'origin', 'HEAD:main'],
    ])
      git(ci, ...args);
    const push = { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BEFORE_SHA: before, GITLAB_CI: 'true' };
    expect((await ci.script(scriptOf('flags:plan'), push)).code).toBe(0);
    expect((await ci.script(scriptOf('flags:apply'))).code).toBe(0);
    expect(await keysOf(ci)).toEqual([]);
    const again = await ci.script(scriptOf('flags:plan'), push);
    expect([again.code, workspace.read('plan.env')]).toEqual([0, 'FLAG_PLAN_CODE=0\n']);
    const nothing = await ci.script(scriptOf('flags:apply'), { FLAG_DRIFT_TOKEN: 'glpat', FLAG_REMOTE: 'origin' });
    expect([nothing.code, git(ci, 'ls-remote', 'origin', 'refs/flagwright/applied/production').slice(0, 40)]).toEqual([
      0,
      git(ci, 'rev-parse', 'HEAD'),
    ]);
    await expectUndo(ci);
  });

  test('variables permit a delete in a pipeline that is run by hand, and in no other', async () => {
    const ci = await startCi(DELETE);
    const env = { ALLOW_DELETES: '1', CI_COMMIT_SHA: 'none', CI_COMMIT_BEFORE_SHA: 'none' };
    expect((await ci.script(scriptOf('flags:plan'), { ...env, CI_PIPELINE_SOURCE: 'push' })).code).toBe(4);
    expect((await ci.script(scriptOf('flags:plan'), { ...env, CI_PIPELINE_SOURCE: 'web' })).code).toBe(0);
  });

  test('validate writes its report and prints the problems', async () => {
    const ci = await startCi('flags:\n  checkout: { active: 7 }\n');
    const { code, log } = await ci.script(scriptOf('flags:validate'));
    expect([code, log]).toEqual([1, expect.stringContaining('flags/main.yaml:2:') as string]);
    const report = readFileSync(path.join(ci.workspace.root, 'gl-code-quality-report.json'), 'utf8');
    expect(JSON.parse(report)).toHaveLength(1);
  });
});
