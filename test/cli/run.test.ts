/** One run in this process: a folder that is gone, documents that cannot be written, a key in messages, and a run that is stopped. */

import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../service/src/index.ts';
import { run } from '../../src/cli/run.ts';
import type { ContextOptions } from '../../src/cli/session/context.ts';
import { startGate } from '../helpers/gate.ts';
import { gitStage } from '../helpers/git-stage.ts';
import { GIT_ENV } from '../helpers/repository.ts';
import { runCli, type RunOptions } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

async function startService(): Promise<string> {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
  });
  onTestFinished(() => service.close());
  return service.url;
}

const KEY = 'phx_planted_key_0123456789';
const FILES = { 'flags/a.yaml': 'flags: { a: { description: A }, b: { description: B } }\n' };

const environment = (url: string): Readonly<Record<string, string>> => ({
  POSTHOG_HOST: url,
  POSTHOG_PROJECT_ID: '1',
  POSTHOG_API_KEY: KEY,
});

interface Streams {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs with a context of its own; `fault`: writing to stdout fails. */
async function runWith(
  argv: readonly string[],
  { cwd, env = {}, fault }: Partial<RunOptions> & { readonly fault?: Error } = {},
): Promise<Streams> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): ContextOptions['stdout'] => ({
    isTerminal: false,
    columns: 80,
    write: async (text) => {
      if (name === 'stdout' && fault !== undefined) throw fault;
      written[name] += text;
    },
  });
  const code = await run(argv, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { TERM: 'dumb', ...env },
    system: { node: process.versions.node, platform: 'linux x64' },
    stdin: { isTerminal: false, readLine: async () => undefined },
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: () => Date.now(),
    randomUuid: () => crypto.randomUUID(),
    onStopSignal: () => () => undefined,
  });
  return { code, ...written };
}

describe('a working directory that is gone', () => {
  test.each([['plan'], ['plan', '-o', 'x.txt'], ['plan', '--report', 'json=x.json'], ['history']])(
    'is named by %s %s %s',
    async (...argv) => {
      expect(await runWith(argv)).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'error  The working directory no longer exists.\n  → Change to a folder that exists, and run the same command again.\n',
      });
    },
  );

  test('is reported as a document, and needed neither for help nor for a mistake in the command line', async () => {
    const { code, stdout } = await runWith(['plan', '-f', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'file' } }]);
    expect(await runWith(['plan', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage:'),
      stderr: '',
    });
    expect(await runWith(['plam'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining("unknown command 'plam'"),
    });
  });
});

test('the key is in no message, whatever its form is', async () => {
  const opaque = 'an-opaque-key-of-a-proxy';
  const { root } = createWorkspace(FILES);
  const { code, stderr } = await runWith([opaque], { cwd: root, env: { POSTHOG_API_KEY: opaque } });
  expect([code, stderr.includes('unknown command'), stderr.includes(opaque)]).toEqual([1, true, false]);
  expect((await runWith([opaque], { cwd: root })).stderr).toContain(opaque);
});

describe.skipIf(!existsSync('/dev/full'))('a document that cannot be written to its file', () => {
  const FULL = 'Cannot write /dev/full: the disk is full.';
  const full = (...argv: string[]): readonly string[] => [...argv, '-o', '/dev/full'];

  test.each([
    ['nothing differs', 'validate', 1],
    ['it is of drift', 'drift', 1],
  ])('is a failure where %s, and goes to stdout', async (_, command, code) => {
    const { root } = createWorkspace(FILES);
    const ran = await runCli(full(command), { cwd: root, env: environment(await startService()) });
    expect([ran.code, ran.stdout.length > 0]).toEqual([code, true]);
    expect(ran.stderr).toContain(`error  ${FULL} The document was written to stdout instead.\n`);
    expect(ran.stderr).not.toContain('The changes were made');
  });

  test('after changes, says that they were made, and exits with 3', async () => {
    const { root } = createWorkspace(FILES);
    const ran = await runCli(full('apply', '-y'), { cwd: root, env: environment(await startService()) });
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('Applied 2 changes') as string]);
    expect(ran.stderr).toContain(
      `error  ${FULL} The document was written to stdout instead. The changes were made before that.\n`,
    );
  });

  test('of a run that was refused leaves its code as it is', async () => {
    const { root } = createWorkspace(FILES);
    const ran = await runCli(full('apply', '-f', 'json'), { cwd: root, env: environment(await startService()) });
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining(FULL)]);
  });

  test('of a run that failed leaves its code as it is', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': 'flags: 7\n' });
    const ran = await runCli(full('plan', '-f', 'json'), { cwd: root });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code: 'manifest_invalid' } }]);
    expect(ran.stderr).toContain(FULL);
  });
});

test.each([
  ['a document', ['plan', '-f', 'json'], 1],
  ['a failure, which is there too', ['plan', '-p', 'none', '-f', 'json'], 2],
])('where stdout takes nothing, the reason is once on stderr: of %s', async (_, argv, errors) => {
  const { root } = createWorkspace(FILES);
  const fault = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const ran = await runWith(argv, { cwd: root, fault });
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr.match(/^error {2}Cannot write to stdout: the disk is full\.$/gm)).toHaveLength(1);
  expect(ran.stderr.match(/^error {2}/gm)).toHaveLength(errors);
});

describe('where stdout takes nothing', () => {
  const fault = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const FULL = 'error  Cannot write to stdout: the disk is full.';

  test('an apply says that the changes were made, exits with 3, and records its commit all the same', async () => {
    const here = await gitStage();
    const env = { ...GIT_ENV, HOME: here.root, ...environment(here.world.url) };
    const ran = await runWith(['apply', '-y'], { cwd: here.root, env, fault });
    expect([ran.code, ran.stderr]).toEqual([
      3,
      expect.stringContaining(`${FULL} The changes were made before that.\n`),
    ]);
    expect(ran.stderr).toContain('Recorded as run ');
    expect(await here.baseOf()).toMatchObject({ kind: 'commit', from: 'ref', commit: here.git('rev-parse', 'HEAD') });
  });

  test('neither does the file of --output, both reasons are given', async () => {
    const { root } = createWorkspace(FILES);
    const ran = await runWith(['validate', '-o', 'none/x.txt'], { cwd: root, fault });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(FULL)]);
    expect(ran.stderr).toContain('error  Cannot write none/x.txt: no such file or folder.\n');
  });

  test.each([[['validate', '--help', 'x']], [['--version']], [['flags', 'list', '-f', 'jsonl']]])(
    '%j names the reason, and no fault of ours',
    async (argv) => {
      const { root } = createWorkspace(FILES);
      const ran = await runWith(argv, { cwd: root, env: environment(await startService()), fault });
      expect([ran.code, ran.stderr]).toEqual([1, `${FULL}\n`]);
    },
  );
});

test('Ctrl-C while writing says what goes on, and the listener is gone afterwards', async () => {
  const gate = await startGate(await startService());
  const hold = gate.hold(({ method }) => method === 'POST');
  const { root } = createWorkspace(FILES);
  let interrupt = (): void => undefined;
  const ran = runCli(['apply', '-y', '--concurrency', '1'], {
    cwd: root,
    env: environment(gate.host),
    onStart: (stop) => (interrupt = stop),
  });
  await hold.arrived(1);
  interrupt();
  hold.open();
  const { code, stderr } = await ran;
  expect(code).toBe(130);
  expect(stderr).toContain(
    '\nInterrupted. Changes already begun are finished; no new ones are started. Press Ctrl-C again to stop at once.\n',
  );
});
