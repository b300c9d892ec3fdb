/** Runs in containers of their own: they share the folder and the name of the host, and cannot see each other's processes. */

// @module-tag untimely
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CHANGES, scene, type Scene } from '../helpers/killed-run.ts';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
/** Process ids start at 1 in a container, so every run has the same one. */
const CONTAINER = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const hasContainers = spawnSync('unshare', [...CONTAINER, 'true']).status === 0;

function start({ workspace, env }: Scene, ...argv: string[]): ChildProcess {
  return spawn('unshare', [...CONTAINER, process.execPath, BIN, ...argv], {
    cwd: workspace.root,
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
    // A process group of its own, so that a signal reaches the command and not only `unshare`.
    detached: true,
  });
}

function kill({ pid }: ChildProcess): void {
  process.kill(-(pid as number), 'SIGKILL');
}

async function end(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

describe.runIf(hasContainers)('a run in a container', () => {
  test('keeps other processes out while it runs, and no longer once it was killed', async () => {
    const staged = await scene('posthog');
    const hold = staged.gate.hold(({ method }, number) => method === 'POST' && number === 3);
    const first = start(staged, 'apply', '-y', '--concurrency', '1');
    await hold.arrived(1);
    expect((await end(start(staged, 'history'))).text).toContain(' running ');
    const early = await end(start(staged, 'apply', '--resume'));
    expect([early.code, early.text]).toEqual([
      4,
      expect.stringContaining('Another process is executing this run') as string,
    ]);
    expect(early.text).toContain(path.join('.flagwright', 'journal'));

    const gone = once(first, 'close');
    kill(first);
    await gone;
    hold.open();
    expect((await end(start(staged, 'history'))).text).toContain(' interrupted ');
    const resumed = await end(start(staged, 'apply', '--resume', '--concurrency', '8'));
    expect([resumed.code, resumed.text]).toEqual([0, expect.stringContaining(`Applied ${CHANGES}`) as string]);
    expect((await end(start(staged, 'undo', '-y', '--allow-deletes', '99'))).code).toBe(0);
  });
});
