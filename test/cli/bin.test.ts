/** The built command as a process: what only a real process can get wrong. */

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../service/src/index.ts';
import { startBroken } from '../helpers/broken-service.ts';
import { cli, startCli, untilSaid } from '../helpers/cli.ts';
import { startGate } from '../helpers/gate.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
const KEY = 'phx_planted_key_0123456789';

function flags(count: number): string {
  return `flags:\n${Array.from({ length: count }, (_, index) => `  flag-${index}: { description: "Number ${index}", active: true }\n`).join('')}`;
}

async function startService(): Promise<string> {
  const service = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
  });
  onTestFinished(async () => service.close());
  return service.url;
}

const environment = (url: string): Readonly<Record<string, string>> => ({
  POSTHOG_HOST: url,
  POSTHOG_PROJECT_ID: '1',
  POSTHOG_API_KEY: KEY,
});

test.each([['--version'], ['-V']])('%s prints only the version', async (option) => {
  const { root } = createWorkspace();
  expect(await cli([option], { cwd: root })).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

test('a usage error exits with 1 and a suggestion on stderr', async () => {
  const { root } = createWorkspace();
  expect(await cli(['plam'], { cwd: root })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: "error  unknown command 'plam' (Did you mean plan?)\n  → See flagwright --help.\n",
  });
});

describe('stdout', () => {
  test('a large document reaches a slow reader completely', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(3000) });
    const { child, ended } = startCli(['plan', '-f', 'json'], { cwd: root });
    child.stdout.on('data', () => {
      child.stdout.pause();
      setImmediate(() => child.stdout.resume());
    });
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(500_000);
    expect((JSON.parse(stdout) as { changes: unknown[] }).changes).toHaveLength(3000);
  });

  test('a reader that closes the pipe early is no error', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(3000), 'flagwright.yaml': 'manifests: [flags/*.yaml]\n' });
    const { child, ended } = startCli(['plan'], { cwd: root });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

test.skipIf(!existsSync('/dev/stdout'))(
  'a pipe has no path of its own, and takes documents by the name of its descriptor',
  () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const script = '"$0" "$1" plan --out /dev/fd/3 -o /dev/stdout 3>&1 | cat';
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' };
    const ran = spawnSync('sh', ['-c', script, process.execPath, BIN], { cwd: root, env, encoding: 'utf8' });
    expect([ran.stderr, ran.stdout]).toEqual([
      expect.not.stringContaining('error'),
      expect.stringContaining('Plan: 1 to create'),
    ]);
    expect(ran.stdout).toContain('"fingerprint"');
  },
);

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  test('for --output: the document goes to stdout, and the exit code says so', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const { code, stdout, stderr } = await cli(['plan', '-o', '/dev/full'], { cwd: root });
    expect([code, stdout]).toEqual([1, expect.stringContaining('Plan: 1 to create') as string]);
    expect(stderr).toContain('Cannot write /dev/full: the disk is full. The document was written to stdout instead.');
  });

  test('for stdout: the message goes to stderr', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { code, stderr } = await cli(['plan', '-f', 'json'], { cwd: root, stdout: full });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot write to stdout: the disk is full.') as string]);
  });
});

describe('signals', () => {
  test.each<[NodeJS.Signals]>([['SIGINT'], ['SIGTERM']])(
    '%s while applying: what was begun is finished, every change has its outcome, exit 130',
    async (signal) => {
      const gate = await startGate(await startService());
      const hold = gate.hold(({ method }, number) => method === 'POST' && number > 2);
      const { root } = createWorkspace({ 'flags/a.yaml': flags(40) });
      const { child, ended } = startCli(['apply', '-y', '-f', 'json', '--concurrency', '2'], {
        cwd: root,
        env: environment(gate.host),
      });
      await hold.arrived(2);
      child.kill(signal);
      await untilSaid(child, 'Interrupted.');
      hold.open();
      const { code, stdout, stderr } = await ended;
      const result = JSON.parse(stdout) as { outcomes: Record<string, number>; changes: { outcome: string }[] };
      expect(code).toBe(130);
      expect(stderr).toContain('Interrupted. Changes already begun are finished');
      expect(result.changes).toHaveLength(40);
      expect(result.outcomes).toMatchObject({ applied: 4, skipped: 36, unknown: 0 });
    },
  );

  test('a second one stops at once, and the result is still printed', async () => {
    const gate = await startGate(await startService());
    const hold = gate.hold(({ method }) => method === 'POST');
    const { root } = createWorkspace({ 'flags/a.yaml': flags(2) });
    const { child, ended } = startCli(['apply', '-y', '-f', 'json', '--concurrency', '1'], {
      cwd: root,
      env: environment(gate.host),
    });
    await hold.arrived(1);
    child.kill('SIGINT');
    await untilSaid(child, 'Interrupted.');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    const { outcomes } = JSON.parse(stdout) as { outcomes: Record<string, number> };
    expect([code, outcomes]).toMatchObject([130, { unknown: 1, skipped: 1, applied: 0 }]);
  });

  // While writing: test/cli/deadline.test.ts, where the test says when the time is up.
  test('a pause that would outlast the deadline is not begun', async () => {
    const { url } = await startBroken((_request, response) =>
      response.writeHead(429, { 'retry-after': '86400' }).end(),
    );
    const { root } = createWorkspace({ 'flags/a.yaml': flags(3) });
    const { code, stdout } = await cli(['apply', '-y', '-f', 'json', '--deadline', '1h'], {
      cwd: root,
      env: environment(url),
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'rate_limited' } }]);
  });
});

describe('serve', () => {
  test('prints the variables of a client, serves, and closes on SIGTERM', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(2) });
    const { child, ended } = startCli(['serve', '--port', '0', '--data', 'flags.db'], { cwd: root });
    const stdout = await new Promise<string>((resolve) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('POSTHOG_API_KEY')) resolve(text);
      });
    });
    const env = Object.fromEntries(
      [...stdout.matchAll(/^export (\w+)=(.+)$/gm)].map(([, name, value]) => [name as string, value as string]),
    );
    expect(Object.keys(env)).toEqual(['POSTHOG_HOST', 'POSTHOG_PROJECT_ID', 'POSTHOG_API_KEY']);
    expect((await cli(['apply', '--yes'], { cwd: root, env })).code).toBe(0);
    expect((await cli(['drift'], { cwd: root, env })).code).toBe(0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /Listening on .*\nProject token: phc_\w+\. For an SDK: posthog\.init\('phc_[^]*Stopped\.\n$/,
      ) as string,
    });
  });

  test.each([
    ['another host than loopback', ['--host', '0.0.0.0'], 'only on loopback addresses'],
    ['a seed that is not there', ['--seed', 'none.json'], 'Cannot read none.json'],
    ['a seed that is not JSON', ['--seed', 'flags/a.yaml'], 'is not valid JSON'],
  ])('refuses %s', async (_, argv, words) => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const ran = await cli(['serve', '--port', '0', ...argv], { cwd: root });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(words) as string]);
  });
});

test('the key is in no output and no file, whatever the verbosity', async () => {
  const env = environment(await startService());
  const { root, read } = createWorkspace({ 'flags/a.yaml': flags(2) });
  for (const argv of [
    ['plan', '-v'],
    ['plan', '-f', 'json', '-v', '--out', 'p.json'],
    ['apply', 'p.json', '-v'],
  ]) {
    const { code, stdout, stderr } = await cli(argv, { cwd: root, env });
    expect([code, (stdout + stderr).includes(KEY)]).toEqual([0, false]);
  }
  expect(read('p.json')).not.toContain(KEY);
});

describe.skipIf(process.platform === 'win32')('a working directory that was deleted', () => {
  function nowhere(...argv: string[]): { status: number | null; stdout: string; stderr: string } {
    const { root } = createWorkspace({ 'gone/flags/a.yaml': flags(1) });
    const script = 'cd gone && rm -r ../gone && exec "$0" "$@"';
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' };
    return spawnSync('sh', ['-c', script, process.execPath, BIN, ...argv], { cwd: root, env, encoding: 'utf8' });
  }

  test.each([
    ['plan'],
    ['validate'],
    ['history'],
    ['init'],
    ['apply', '-y'],
    ['flags', 'list'],
    ['plan', '-o', 'x.txt'],
  ])('is named by %s', (...argv) => {
    expect(nowhere(...argv)).toMatchObject({
      status: 1,
      stdout: '',
      stderr:
        'error  The working directory no longer exists.\n  → Change to a folder that exists, and run the same command again.\n',
    });
  });

  test('is reported as a document, too', () => {
    const { status, stdout } = nowhere('plan', '-f', 'json');
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'file' } }]);
  });

  test('is not needed for help or for the version', () => {
    expect(nowhere('--version')).toMatchObject({ status: 0, stderr: '' });
    expect(nowhere('plan', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(nowhere('plam')).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown command') as string });
  });
});
