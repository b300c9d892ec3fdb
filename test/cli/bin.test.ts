/** The built command as a process: what only a real process can get wrong. */

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../src/embedded/service.ts';
import { cli, startCli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const KEY = 'phx_planted_key_0123456789';

function flags(count: number): string {
  return `flags:\n${Array.from({ length: count }, (_, index) => `  flag-${index}: { description: "Number ${index}", active: true }\n`).join('')}`;
}

async function slowService(latencyMs: number) {
  const service = await startEmbedded({
    data: ':memory:',
    latencyMs,
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
  });
  onTestFinished(async () => service.close());
  return { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
}

test.each([['--version'], ['-V']])('%s prints the version alone', async (option) => {
  const { root } = createWorkspace();
  expect(await cli([option], { cwd: root })).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

test('a wrong command line exits with 1 and a suggestion on stderr', async () => {
  const { root } = createWorkspace();
  expect(await cli(['plam'], { cwd: root })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: "error  unknown command 'plam' (Did you mean plan?)\n  → See flagwright --help.\n",
  });
});

describe('stdout', () => {
  test('a large document reaches a slow reader whole', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(3000) });
    const { child, ended } = startCli(['plan', '-f', 'json'], { cwd: root });
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 1500);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(500_000);
    expect((JSON.parse(stdout) as { changes: unknown[] }).changes).toHaveLength(3000);
  });

  test('a reader that goes away early is no error', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(3000) });
    const { child, ended } = startCli(['plan'], { cwd: root });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  test('for --output: the document goes to stdout, and the exit code says so', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const { code, stdout, stderr } = await cli(['plan', '-o', '/dev/full'], { cwd: root });
    expect([code, stdout]).toEqual([1, expect.stringContaining('Plan: 1 to create') as string]);
    expect(stderr).toContain('Cannot write /dev/full: the disk is full. The document went to stdout instead.');
  });

  test('for stdout: words on stderr', async () => {
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
      const env = await slowService(100);
      const { root } = createWorkspace({ 'flags/a.yaml': flags(40) });
      const { child, ended } = startCli(['apply', '-y', '-v', '-f', 'json', '--concurrency', '2'], { cwd: root, env });
      const watch = (chunk: Buffer): void => {
        if (!chunk.toString().includes('applied')) return;
        child.stderr.off('data', watch);
        child.kill(signal);
      };
      child.stderr.on('data', watch);
      const { code, stdout, stderr } = await ended;
      const result = JSON.parse(stdout) as { outcomes: Record<string, number>; changes: { outcome: string }[] };
      expect(code).toBe(130);
      expect(stderr).toContain('Interrupted. What was begun is finished');
      expect(result.changes).toHaveLength(40);
      expect(result.outcomes['applied']).toBeGreaterThan(0);
      expect(result.outcomes['skipped']).toBeGreaterThan(0);
      expect(result.outcomes['unknown']).toBe(0);
    },
  );

  test('a second one stops at once, and the result is printed still', async () => {
    const server = createServer((request, response) => {
      if (request.method === 'GET') response.end('{"count":0,"next":null,"previous":null,"results":[]}');
      else writes += 1;
    });
    let writes = 0;
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { root } = createWorkspace({ 'flags/a.yaml': flags(2) });
    const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
    const { child, ended } = startCli(['apply', '-y', '-f', 'json', '--concurrency', '1'], { cwd: root, env });
    const poll = setInterval(() => {
      if (writes === 0) return;
      clearInterval(poll);
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGINT'), 300);
    }, 20);
    const { code, stdout } = await ended;
    const { outcomes } = JSON.parse(stdout) as { outcomes: Record<string, number> };
    expect([code, outcomes]).toMatchObject([130, { unknown: 1, skipped: 1, applied: 0 }]);
  });

  test.each(['reading', 'writing'])(
    'nobody waits for a pause of the service when the deadline passes, while %s',
    async (phase) => {
      const server = createServer((request, response) => {
        if (request.method === 'GET' && phase === 'writing') {
          response.end('{"count":0,"next":null,"previous":null,"results":[]}');
        } else response.writeHead(429, { 'retry-after': '60' }).end();
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { root } = createWorkspace({ 'flags/a.yaml': flags(3) });
      const env = { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
      const startedAt = Date.now();
      const { code, stdout } = await cli(['apply', '-y', '-f', 'json', '--deadline', '1500ms'], { cwd: root, env });
      expect(Date.now() - startedAt).toBeLessThan(6000);
      expect(code).toBe(1);
      const { outcomes } = JSON.parse(stdout) as { outcomes?: Record<string, number> };
      expect(outcomes?.['skipped']).toBe(phase === 'writing' ? 3 : undefined);
    },
  );

  test('the deadline lets what was begun finish, and exits with 3', async () => {
    const env = await slowService(150);
    const { root } = createWorkspace({ 'flags/a.yaml': flags(60) });
    const { code, stdout } = await cli(['apply', '-y', '-f', 'json', '--concurrency', '1', '--deadline', '2s'], {
      cwd: root,
      env,
    });
    const { outcomes } = JSON.parse(stdout) as { outcomes: Record<string, number> };
    expect(code).toBe(3);
    expect(outcomes['applied']).toBeGreaterThan(0);
    expect(outcomes['skipped']).toBeGreaterThan(0);
    expect(outcomes['unknown']).toBe(0);
  });
});

describe('serve', () => {
  test('prints what a client has to know, serves, and closes on SIGTERM', async () => {
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
      stderr: expect.stringMatching(/Listening on .*\n[^]*Stopped\.\n$/) as string,
    });
  });

  test.each([
    ['another host than loopback', ['--host', '0.0.0.0'], 'loopback only'],
    ['a seed that is not there', ['--seed', 'none.json'], 'Cannot read none.json'],
    ['a seed that is not JSON', ['--seed', 'flags/a.yaml'], 'is not JSON'],
  ])('refuses %s', async (_, argv, words) => {
    const { root } = createWorkspace({ 'flags/a.yaml': flags(1) });
    const ran = await cli(['serve', '--port', '0', ...argv], { cwd: root });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(words) as string]);
  });
});

test('the key is in no output and no file, whatever the verbosity', async () => {
  const env = await slowService(0);
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
  const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));

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
    ['plan', '-o', 'x.json'],
  ])('is named by %s', (...argv) => {
    expect(nowhere(...argv)).toMatchObject({
      status: 1,
      stdout: '',
      stderr:
        'error  The working directory no longer exists.\n  → Change to a folder that exists, and run the same command again.\n',
    });
  });

  test('comes as a document, too', () => {
    const { status, stdout } = nowhere('plan', '-f', 'json');
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'file' } }]);
  });

  test('needs nobody who asks for help or for the version', () => {
    expect(nowhere('--version')).toMatchObject({ status: 0, stderr: '' });
    expect(nowhere('plan', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(nowhere('plam')).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown command') as string });
  });
});
