/** `flagwright serve --faults FILE`: a script in JSON or YAML takes effect; an invalid one is refused. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../helpers/free-port.ts';
import { runCli } from '../../helpers/run.ts';
import { until } from '../../helpers/until.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

async function statusOf(url: string): Promise<number> {
  let status = 0;
  await until(async () => {
    ({ status } = await fetch(url, { headers: { authorization: 'Bearer k', connection: 'close' } }));
  });
  return status;
}

test.each([
  ['faults.yaml', 'faults:\n  - match: { operation: listFlags }\n    answer: { status: 503, body: html }\n'],
  ['faults.json', '{"faults": [{"answer": {"status": 503}}]}'],
])('serves with the faults of %s', async (name, text) => {
  const { root } = createWorkspace({ [name]: text });
  const port = await freePort();
  let stop = (): void => undefined;
  const onStart = (interrupt: () => void): void => {
    stop = interrupt;
  };
  const ended = runCli(['serve', '--port', String(port), '--faults', name], { cwd: root, onStart });
  const url = `http://127.0.0.1:${port}/api/projects/1/feature_flags/`;
  expect([await statusOf(url), await statusOf(url)]).toEqual([503, 200]);
  stop();
  expect((await ended).code).toBe(0);
});

test.each([
  ['no file', undefined, 'Cannot read faults.yaml'],
  ['broken YAML', 'faults: [', 'is not a single JSON or YAML document'],
  ['nothing', '', 'is not a single JSON or YAML document'],
  ['two documents', 'faults: []\n---\nfaults: []\n', 'is not a single JSON or YAML document'],
  ['a rule that does nothing', 'faults: [{ from: 2 }]', '/faults/0: The rule does nothing'],
  ['a name that is not known', 'faults: [{ resett: {} }]', 'Did you mean "reset"'],
])('refuses %s', async (_what, text, words) => {
  const { root } = createWorkspace(text === undefined ? {} : { 'faults.yaml': text });
  const ran = await runCli(['serve', '--port', '0', '--faults', 'faults.yaml'], { cwd: root });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(words);
});

const EMBEDDED = 'projects:\n  local: { service: embedded, profile: posthog }\n';
const FROM_ENVIRONMENT = 'projects:\n  production: { roles: { a: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 } }\n';

test.each([
  ['the profile of the embedded project', EMBEDDED, [], 400],
  ['--profile, which precedes it', EMBEDDED, ['--profile', 'documented'], 201],
  ['a project whose host is left to the environment', FROM_ENVIRONMENT, [], 201],
])('serves with %s', async (_, config, argv, status) => {
  const { root } = createWorkspace({ 'flagwright.yaml': config });
  const port = await freePort();
  let stop = (): void => undefined;
  const onStart = (interrupt: () => void): void => {
    stop = interrupt;
  };
  const ended = runCli(['serve', '--port', String(port), ...argv], { cwd: root, onStart });
  const url = `http://127.0.0.1:${port}/api/projects/1/feature_flags/`;
  await statusOf(url);
  const body = JSON.stringify({ key: 'a', filters: { groups: [{ properties: [], rollout_percentage: 200 }] } });
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json', connection: 'close' };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(status);
  stop();
  expect((await ended).code).toBe(0);
});

test('validate needs no host for a project that leaves it to the environment', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': FROM_ENVIRONMENT, 'flags/a.yaml': 'flags: { a: {} }\n' });
  expect((await runCli(['validate'], { cwd: root })).code).toBe(0);
  expect((await runCli(['plan'], { cwd: root })).stderr).toContain('host');
});

test('serves several projects in memory, each with flags of its own', async () => {
  const seed = JSON.stringify({ project_id: '20', flags: [{ key: 'seeded' }] });
  const { root } = createWorkspace({ 'seed.json': seed });
  const port = await freePort();
  let stop = (): void => undefined;
  const onStart = (interrupt: () => void): void => {
    stop = interrupt;
  };
  const args = ['--project-id', '10', '--project-id', '20', '--data', ':memory:', '--seed', 'seed.json'];
  const ended = runCli(['serve', '--port', String(port), ...args], { cwd: root, onStart });
  const url = `http://127.0.0.1:${port}/api/projects`;
  expect(await statusOf(`${url}/10/feature_flags/`)).toBe(200);
  const counts = await Promise.all(
    ['10', '20'].map(async (id) => {
      const answered = await fetch(`${url}/${id}/feature_flags/`, { headers: { authorization: 'Bearer k' } });
      return ((await answered.json()) as { count: number }).count;
    }),
  );
  expect(counts).toEqual([0, 1]);
  expect(await statusOf(`${url}/1/feature_flags/`)).toBe(404);
  stop();
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('POSTHOG_PROJECT_ID=10');
  expect(stderr).toContain('projects 10, 20; data in memory');
  expect(stderr).toContain(
    `new OFREPProvider({ baseUrl: 'http://127.0.0.1:${port}', headers: [['X-API-Key', 'phc_10']] })`,
  );
  expect(existsSync(path.join(root, ':memory:'))).toBe(false);
});

test.each([
  ['a/b', 'is not an id of a project'],
  ['', 'It is empty'],
])('refuses the project id %j', async (id, words) => {
  const ran = await runCli(['serve', '--port', '0', '--project-id', id], { cwd: createWorkspace().root });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(words);
});

test('the clock starts where it is told, and requests move it', async () => {
  const port = await freePort();
  let stop = (): void => undefined;
  const onStart = (interrupt: () => void): void => {
    stop = interrupt;
  };
  const argv = ['serve', '--port', String(port), '--profile', 'posthog', '--clock', '2126-12-01T09:00+01:00'];
  const ended = runCli(argv, { cwd: createWorkspace().root, onStart });
  const url = `http://127.0.0.1:${port}`;
  await statusOf(`${url}/api/projects/1/feature_flags/`);
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json', connection: 'close' };
  const body = JSON.stringify({ advance_seconds: 86_400 });
  const moved = await fetch(`${url}/_flagwright/clock`, { method: 'POST', headers, body });
  expect(((await moved.json()) as { now: string }).now).toMatch(/^2126-12-02T08:0/);
  expect(moved.headers.get('date')).toMatch(/^Sun, 01 Dec 2126 08:0/);
  stop();
  const { code, stderr } = await ended;
  expect([code, stderr.includes(`POST ${url}/_flagwright/clock`)]).toEqual([0, true]);
});

test.each(['2126-12-01', '2126-12-01T09:00', '2126-02-30T09:00Z', 'tomorrow'])('refuses the clock %s', async (time) => {
  const ran = await runCli(['serve', '--port', '0', '--clock', time], { cwd: createWorkspace().root });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('is not a time with an offset');
});
