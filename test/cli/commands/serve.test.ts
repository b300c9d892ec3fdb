/** `flagwright serve --faults FILE`: a script in JSON or YAML takes effect; an invalid one is refused. */

import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { until } from '../../helpers/until.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

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
