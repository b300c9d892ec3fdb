/** The journal of a real process that is killed or interrupted at random moments, or whose disk is full. */

import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ClaimHolder } from '../../src/loop/journal/lock.ts';
import type { CliResult } from '../helpers/cli.ts';
import {
  activityOf,
  CHANGES,
  CONCURRENCY,
  FLAGS,
  interruptAt,
  killAt,
  manifest,
  outcomesOf,
  PERMITTED,
  scene,
  twice,
  type Moment,
  type Scene,
} from '../helpers/killed-run.ts';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));

describe.each(['documented', 'posthog'] as const)('profile %s', (profile) => {
  test('after repeated kill -9, resume finishes the run, each change happens once, and undo reverts all of it', async () => {
    const staged = await scene(profile);
    const { run, workspace, client } = staged;
    expect((await run('apply', '-y')).code).toBe(0);
    const before = await activityOf(client);
    workspace.write('flags/main.yaml', manifest('after'));

    const [first, ...later] = randomMoments();
    const context = JSON.stringify([first, ...later]);
    const killed = await killAt(staged, ['apply', '-y', ...PERMITTED], first);
    expect([killed.signal, killed.stdout]).toEqual(['SIGKILL', '']);
    // A change is sent after the outcome of an earlier one, except for as many as are sent at once.
    expect(settledIn(staged)).toBeGreaterThanOrEqual(first.write - CONCURRENCY);
    expect((await run('plan')).stderr).toContain(
      'is unfinished; `flagwright apply --resume -p environment` finishes it.',
    );
    for (const moment of later) await killAt(staged, ['apply', '--resume'], moment);
    const resumed = await run('apply', '--resume', '-f', 'json');
    expect([resumed.code, resumed.stderr], context).toEqual([0, expect.any(String) as string]);

    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await run('history')).stdout).toMatch(/complete[^]*complete/);
    const after = await activityOf(client);
    expect(after).toHaveLength(before.length + FLAGS);
    expect(twice(after), context).toEqual([]);

    expect((await run('undo', '-y', ...PERMITTED)).code).toBe(0);
    workspace.write('flags/main.yaml', manifest('before'));
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await client.listFlags()).filter((flag) => flag.deleted !== true)).toHaveLength(CHANGES);
    expect((await run('undo', 'last', '-y', ...PERMITTED)).code).toBe(0);
    workspace.write('flags/main.yaml', manifest('after'));
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

/** The first kill hits one of the run's writes; a later one may find the run finished before it. */
/** The outcomes in the newest journal. */
function settledIn({ workspace }: Scene): number {
  const folder = '.flagwright/journal';
  const files = readdirSync(path.join(workspace.root, folder)).filter((file) => file.endsWith('.jsonl'));
  const text = workspace.read(path.join(folder, files.toSorted().at(-1) ?? ''));
  return text.split('\n').filter((line) => line.startsWith('{"kind":"settled"')).length;
}

function randomMoments(): [Moment, Moment, Moment] {
  const upTo = (count: number): number => 1 + Math.floor(Math.random() * count);
  const when = (): Moment['when'] => (Math.random() < 0.5 ? 'before' : 'after');
  return [
    { write: upTo(CHANGES), when: when() },
    { write: upTo(CHANGES / 2), when: when() },
    { write: upTo(CHANGES / 4), when: when() },
  ];
}

test('a killed run is finished although its process id is in use again', async () => {
  const staged = await scene('posthog');
  await killAt(staged, ['apply', '-y'], { write: 3, when: 'before' });
  const folder = path.join(staged.workspace.root, '.flagwright/journal');
  const [claim] = readdirSync(folder).filter((file) => file.endsWith('.lock.1'));
  const holder = JSON.parse(staged.workspace.read(`.flagwright/journal/${claim}/holder.json`)) as ClaimHolder;
  expect(holder).toMatchObject({ pid: expect.any(Number) as number, started: expect.any(String) as string });
  // As after the restart of a container: the same host, and a live process with the id of the killed one.
  const again: ClaimHolder = { ...holder, pid: process.pid };
  staged.workspace.write(`.flagwright/journal/${claim}/holder.json`, JSON.stringify(again));
  // In a process of its own: this one lives, and is another one than that which resumes.
  expect((await staged.runBuilt('history')).stdout).toContain('interrupted');
  expect((await staged.runBuilt('apply', '--resume')).code).toBe(0);
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
  expect((await staged.run('undo', '-y', ...PERMITTED)).code).toBe(0);
  expect((await staged.client.listFlags()).filter((flag) => flag.deleted !== true)).toEqual([]);
});

test.each<[NodeJS.Signals]>([['SIGINT'], ['SIGTERM']])(
  '%s drains, says how to go on, and resume does',
  async (signal) => {
    const staged = await scene('posthog');
    const stopped = await interruptAt(staged, ['apply', '-y'], signal);
    const outcomes = outcomesOf(stopped);
    expect([stopped.code, outcomes['unknown'], outcomes['failed']]).toEqual([130, 0, 0]);
    expect(outcomes['skipped']).toBeGreaterThan(0);
    expect(stopped.stderr).toMatch(/Recorded as run \S+; `flagwright apply --resume -p \S+` finishes it\./);
    expect((await staged.run('history')).stdout).toContain('incomplete');
    const resumed = await staged.run('apply', '--resume', '-f', 'json');
    expect([resumed.code, outcomesOf(resumed)]).toMatchObject([0, { applied: CHANGES }]);
    expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(twice(await activityOf(staged.client))).toEqual([]);
  },
);

describe('a disk without room', () => {
  /** The largest size of any file in blocks of 1024 bytes: the system refuses to write more, like a full disk. */
  async function withRoom({ workspace, env }: Scene, blocks: number, argv: readonly string[]): Promise<CliResult> {
    const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
    const child = spawn('bash', ['--norc', '-c', script, process.execPath, BIN, ...argv], {
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

  test('for the journal from the start: nothing is sent, and --no-journal applies', async () => {
    const staged = await scene('posthog');
    const { code, stderr } = await withRoom(staged, 1, ['apply', '-y']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be written[^]*--no-journal/) as string]);
    expect(await activityOf(staged.client)).toEqual([]);
    expect((await withRoom(staged, 1, ['apply', '-y', '--no-journal'])).code).toBe(0);
  });

  test('for the journal in the middle: nothing more is sent, every outcome is correct, and resume finishes', async () => {
    const staged = await scene('posthog');
    await staged.run('plan', '--out', 'size.json');
    const planBytes = Buffer.byteLength(JSON.stringify(JSON.parse(staged.workspace.read('size.json'))));
    const blocks = Math.ceil(planBytes / 1024) + 1;
    const argv = ['apply', '-y', '-f', 'json', '--concurrency', '2'];
    const broken = await withRoom(staged, blocks, argv);
    const { applied = 0, skipped = 0 } = outcomesOf(broken);
    expect([broken.code, applied + skipped]).toEqual([3, CHANGES]);
    expect(Math.min(applied, skipped)).toBeGreaterThan(0);
    const { changes } = JSON.parse(broken.stdout) as { changes: { outcome: string; skipped?: object }[] };
    const reasons = changes.filter(({ outcome }) => outcome === 'skipped').map((change) => change.skipped);
    expect(new Set(reasons.map((reason) => JSON.stringify(reason)))).toEqual(new Set(['{"code":"not_recorded"}']));
    expect(broken.stderr).toMatch(/error {2}The journal .* cannot be written .*Nothing more was sent to the service\./);
    expect(await activityOf(staged.client)).toHaveLength(applied);
    expect((await staged.client.listFlags()).length).toBe(applied);

    const run = /"run": "(\S+)"/.exec(broken.stdout)?.[1] ?? '';
    const file = path.join(staged.workspace.root, '.flagwright/journal', `${run}.jsonl`);
    expect(statSync(file).size).toBe(blocks * 1024);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(twice(await activityOf(staged.client))).toEqual([]);
  });

  test('for the last outcome: everything is applied, and the exit code reports the incomplete journal', async () => {
    const staged = await scene('posthog');
    const flag = (key: string, padding: number): string =>
      `flags:\n  ${key}: { description: "${'x'.repeat(padding)}" }\n`;
    staged.workspace.write('flags/main.yaml', flag('early', 1));
    const name = JSON.parse((await staged.run('apply', '-y', '-f', 'json')).stdout) as { run: string };
    const lines = staged.workspace.read(`.flagwright/journal/${name.run}.jsonl`).split('\n');
    // Room for the plan, the record of sending, and a part of the outcome.
    const needed = (lines[0] as string).length + (lines[1] as string).length + 2;
    const blocks = Math.ceil((needed + 200) / 1024);
    staged.workspace.write('flags/main.yaml', flag('later', 1 + Math.floor((blocks * 1024 - needed - 30) / 2)));
    const lost = await withRoom(staged, blocks, ['apply', '-y', '-f', 'json']);
    expect([lost.code, outcomesOf(lost), lost.stderr]).toMatchObject([
      3,
      { applied: 1 },
      expect.stringContaining('is incomplete') as string,
    ]);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    expect((await staged.run('history')).stdout).not.toContain('interrupted');
  });
});
