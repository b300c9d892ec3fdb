/** The journal and a real process that is killed, interrupted, or left without room on the disk, at random moments. */

import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type ServiceClient } from '../../src/service/client.ts';
import { cli, startCli, type CliResult } from '../helpers/cli.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
const LATENCY_MS = 25;
const FLAGS = 30;

type Env = Readonly<Record<string, string>>;

interface Scene {
  readonly workspace: Workspace;
  readonly client: ServiceClient;
  readonly env: Env;
  readonly run: (...argv: string[]) => Promise<CliResult>;
}

/** The service is a process of its own, so that it outlives the runs that are killed. */
async function scene(profile: string): Promise<Scene> {
  const workspace = createWorkspace({ 'flags/main.yaml': manifest('before') });
  const argv = ['serve', '--port', '0', '--data', 'service.db', '--profile', profile, '--latency', String(LATENCY_MS)];
  const { child, ended } = startCli(argv, { cwd: workspace.root });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const env = await new Promise<Env>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const pairs = [...text.matchAll(/^export (\w+)=(.+)\n/gm)];
      if (pairs.length === 3) resolve(Object.fromEntries(pairs.map(([, name, value]) => [name, value])) as Env);
    });
  });
  const client = createClient({
    host: env['POSTHOG_HOST'] as string,
    projectId: env['POSTHOG_PROJECT_ID'] as string,
    apiKey: env['POSTHOG_API_KEY'] as string,
  });
  onTestFinished(async () => client.close());
  return { workspace, client, env, run: (...args) => cli(args, { cwd: workspace.root, env }) };
}

/** From `before` to `after` every third flag is updated, every third deleted and as many created; the rest stays. */
function manifest(state: 'before' | 'after'): string {
  const lines = Array.from({ length: FLAGS }, (_, index) => {
    if (index % 3 === 0)
      return `  flag-${index}: { active: true, rollout_percentage: ${state === 'before' ? 10 : 90} }`;
    if (index % 3 === 1) return `  flag-${index}: ${state === 'before' ? '{ active: true }' : '{ deleted: true }'}`;
    return state === 'before' ? '' : `  flag-${index}: { active: false, tags: [new] }`;
  });
  return `flags:\n${lines.filter((line) => line !== '').join('\n')}\n`;
}

const PERMITTED = ['--allow-deletes', '99', '--allow-updates', '99', '--allow-disables', '99'];

/** Starts a run and ends it with the signal, so long after its first change was applied. */
async function cutOff(
  { workspace, env }: Scene,
  argv: readonly string[],
  { signal, afterMs }: { readonly signal: NodeJS.Signals; readonly afterMs: number },
): Promise<CliResult> {
  const { child, ended } = startCli([...argv, '-v', '-f', 'json', '--concurrency', '3'], { cwd: workspace.root, env });
  const watch = (chunk: Buffer): void => {
    if (!/(?:POST|PATCH) /.test(chunk.toString())) return;
    child.stderr.off('data', watch);
    setTimeout(() => child.kill(signal), afterMs);
  };
  child.stderr.on('data', watch);
  return ended;
}

async function activityOf(client: ServiceClient): Promise<readonly string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const { results, next } = await client.projectFlagActivity({ limit: 100, page });
    names.push(...results.map((entry) => `${String(entry['item_id'])} ${String(entry['activity'])}`));
    if (next === null) return names.toSorted();
  }
}

function twice(names: readonly string[]): string[] {
  return names.filter((name, index) => names[index - 1] === name);
}

const outcomesOf = ({ stdout }: CliResult): Record<string, number> =>
  (JSON.parse(stdout) as { outcomes: Record<string, number> }).outcomes;

describe.each(['documented', 'posthog'])('profile %s', (profile) => {
  test('kill -9 again and again: resume finishes the run, and each change happened once; undo takes all back', async () => {
    const staged = await scene(profile);
    const { run, workspace, client } = staged;
    expect((await run('apply', '-y')).code).toBe(0);
    const before = await activityOf(client);
    workspace.write('flags/main.yaml', manifest('after'));

    const moments = [0, 1, 2].map(() => Math.floor(Math.random() * 90));
    const killed = await cutOff(staged, ['apply', '-y', ...PERMITTED], { signal: 'SIGKILL', afterMs: moments[0] ?? 0 });
    expect([killed.signal, killed.stdout]).toEqual(['SIGKILL', '']);
    expect((await run('plan')).stderr).toContain('was not finished; `flaghoist apply --resume` finishes it.');
    for (const afterMs of moments.slice(1)) await cutOff(staged, ['apply', '--resume'], { signal: 'SIGKILL', afterMs });
    const resumed = await run('apply', '--resume', '-f', 'json');
    expect([resumed.code, resumed.stderr], `moments ${moments.join()}`).toEqual([0, expect.any(String) as string]);

    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await run('history')).stdout).toMatch(/complete[^]*complete/);
    const after = await activityOf(client);
    expect(after).toHaveLength(before.length + FLAGS);
    expect(twice(after), `moments ${moments.join()}`).toEqual([]);

    expect((await run('undo', '-y', ...PERMITTED)).code).toBe(0);
    workspace.write('flags/main.yaml', manifest('before'));
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await client.listFlags()).filter((flag) => flag.deleted !== true)).toHaveLength((FLAGS * 2) / 3);
    expect((await run('undo', '-y', ...PERMITTED)).code).toBe(0);
    workspace.write('flags/main.yaml', manifest('after'));
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

test.each<[NodeJS.Signals]>([['SIGINT'], ['SIGTERM']])(
  '%s drains, says how to go on, and resume does',
  async (signal) => {
    const staged = await scene('posthog');
    const stopped = await cutOff(staged, ['apply', '-y'], { signal, afterMs: 60 });
    const outcomes = outcomesOf(stopped);
    expect([stopped.code, outcomes['unknown'], outcomes['failed']]).toEqual([130, 0, 0]);
    expect(outcomes['skipped']).toBeGreaterThan(0);
    expect(stopped.stderr).toMatch(/Recorded as run \S+; `flaghoist apply --resume` finishes it\./);
    expect((await staged.run('history')).stdout).toContain('incomplete');
    const resumed = await staged.run('apply', '--resume', '-f', 'json');
    expect([resumed.code, outcomesOf(resumed)]).toMatchObject([0, { applied: (FLAGS * 2) / 3 }]);
    expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(twice(await activityOf(staged.client))).toEqual([]);
  },
);

describe('a disk without room', () => {
  /** As many blocks of 1024 bytes as any file may have: the system refuses to write more, as a full disk does. */
  async function withRoom({ workspace, env }: Scene, blocks: number, argv: readonly string[]): Promise<CliResult> {
    const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
    const child = spawn('bash', ['-c', script, process.execPath, BIN, ...argv], {
      cwd: workspace.root,
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
    });
    const written = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
    return new Promise((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, ...written }));
    });
  }

  test('for the journal from the start: nothing is sent, and --no-journal does without', async () => {
    const staged = await scene('posthog');
    const { code, stderr } = await withRoom(staged, 1, ['apply', '-y']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be written[^]*--no-journal/) as string]);
    expect(await activityOf(staged.client)).toEqual([]);
    expect((await withRoom(staged, 1, ['apply', '-y', '--no-journal'])).code).toBe(0);
  });

  test('for the journal in the middle: nothing more is sent, every outcome is true, and resume finishes', async () => {
    const staged = await scene('posthog');
    await staged.run('plan', '--out', 'size.json');
    const planBytes = Buffer.byteLength(JSON.stringify(JSON.parse(staged.workspace.read('size.json'))));
    const blocks = Math.ceil(planBytes / 1024) + 1;
    const argv = ['apply', '-y', '-f', 'json', '--concurrency', '2'];
    const broken = await withRoom(staged, blocks, argv);
    const { applied = 0, failed = 0 } = outcomesOf(broken);
    expect([broken.code, applied + failed]).toEqual([3, (FLAGS * 2) / 3]);
    expect(Math.min(applied, failed)).toBeGreaterThan(0);
    expect(broken.stderr).toMatch(/error {2}The journal .* cannot be written .*Nothing more was sent to the service\./);
    expect(await activityOf(staged.client)).toHaveLength(applied);
    expect((await staged.client.listFlags()).length).toBe(applied);

    const run = /"run": "(\S+)"/.exec(broken.stdout)?.[1] ?? '';
    const file = path.join(staged.workspace.root, '.flaghoist/journal', `${run}.jsonl`);
    expect(statSync(file).size).toBe(blocks * 1024);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(twice(await activityOf(staged.client))).toEqual([]);
  });

  test('for the last outcome: everything was applied, and the exit code tells that the journal does not say so', async () => {
    const staged = await scene('posthog');
    const flag = (padding: number): string => `flags:\n  only: { description: "${'x'.repeat(padding)}" }\n`;
    staged.workspace.write('flags/main.yaml', flag(1));
    const name = JSON.parse((await staged.run('apply', '-y', '-f', 'json')).stdout) as { run: string };
    const lines = staged.workspace.read(`.flaghoist/journal/${name.run}.jsonl`).split('\n');
    await staged.run('undo', '-y', '--no-journal');
    // Room for the plan and the record of sending, and for a part of the outcome.
    const needed = (lines[0] as string).length + (lines[1] as string).length + 2;
    const blocks = Math.ceil((needed + 200) / 1024);
    staged.workspace.write('flags/main.yaml', flag(1 + Math.floor((blocks * 1024 - needed - 30) / 2)));
    const lost = await withRoom(staged, blocks, ['apply', '-y', '-f', 'json']);
    expect([lost.code, outcomesOf(lost), lost.stderr]).toMatchObject([
      3,
      { applied: 1 },
      expect.stringContaining('was not written to its end') as string,
    ]);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    expect((await staged.run('history')).stdout).not.toContain('interrupted');
  });
});
