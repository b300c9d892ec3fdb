/** `serve --manifests`: serves flags that are not merged yet, and reloads them after edits. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { freePort } from '../../helpers/free-port.ts';
import { runCli } from '../../helpers/run.ts';
import { POLL_MS } from '../../../src/cli/project/follow-manifests.ts';
import { holdTimers } from '../../helpers/timers.ts';
import { until } from '../../helpers/until.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const CONFIG = `
default_project: local
projects:
  local: { service: embedded, roles: { engineering: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 } }
  staging: { host: 'http://127.0.0.1:9', project_id: '7', roles: { engineering: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 } }
`;

const MANIFEST = `
flags:
  checkout:
    description: One-page checkout
    filters:
      groups: [{ rollout_percentage: 100 }]
      multivariate: { variants: [{ key: blue, rollout_percentage: 100 }] }
      payloads: { blue: { size: 3 } }
    role_access: [engineering]
    projects: { staging: { active: false } }
  banner:
    filters: { groups: [{ properties: [{ key: checkout, type: flag, operator: flag_evaluates_to, value: blue }] }] }
  gone: { rollout_percentage: 100 }
  retired: { deleted: true }
`;

const WITH_EXPERIMENT = {
  flags: [{ key: 'seeded' }],
  experiments: [{ id: 7, flag: 'seeded' }],
  persons: [{ distinct_ids: ['x'] }],
};

interface Serving {
  readonly workspace: Workspace;
  readonly url: string;
  /** The flag values of a person. */
  readonly flags: () => Promise<JsonObject>;
  /** Resolves once stderr contains the text that many times. */
  readonly said: (words: string, times: number) => Promise<void>;
  readonly stop: () => Promise<{ readonly code: number; readonly stderr: string }>;
}

async function serve(argv: readonly string[] = [], files: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const workspace = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': MANIFEST, ...files });
  let interrupt = (): void => undefined;
  let stderr = '';
  const ended = runCli(['serve', '--manifests', '--port', '0', '-f', 'json', '-o', 'served.json', ...argv], {
    cwd: workspace.root,
    onStart: (stop) => (interrupt = stop),
    onStderr: (written) => (stderr = written),
  });
  await expect.poll(() => existsSync(path.join(workspace.root, 'served.json'))).toBe(true);
  const { url } = JSON.parse(workspace.read('served.json')) as { url: string };
  return {
    workspace,
    url,
    flags: async () => {
      const body = JSON.stringify({ token: 'phc_1', distinct_id: 'x' });
      const answered = await fetch(`${url}/flags/`, { method: 'POST', body });
      return ((await answered.json()) as JsonObject)['featureFlags'] as JsonObject;
    },
    said: (words, times) => until(() => expect(stderr.split(words)).toHaveLength(times + 1)),
    stop: async () => {
      interrupt();
      return ended;
    },
  };
}

test.each([
  ['the default project', [], { checkout: 'blue', banner: true, gone: true }],
  ['another project', ['-p', 'staging'], { banner: false, gone: true }],
  ['posthog', ['--profile', 'posthog'], { checkout: 'blue', banner: true, gone: true }],
])('serves the desired state: %s', async (_what, argv, values) => {
  const { flags, url, stop } = await serve(argv);
  expect(await flags()).toEqual(values);
  const headers = { authorization: 'Bearer x' };
  expect(await (await fetch(`${url}/api/projects/1/feature_flags/`, { headers })).json()).toMatchObject({ count: 3 });
  expect((await stop()).stderr).toContain('Serving 3 flags from flags/**/*.{yaml,yml}.');
});

test('unchecked filters are served unchanged', async () => {
  const { flags, stop } = await serve([], {
    'flags/b.yaml': `flags:
  legacy:
    fields:
      filters:
        groups: [{ properties: [{ key: checkout, type: flag, operator: flag_evaluates_to, value: true }] }, null]
        multivariate: { variants: [{ key: a, rollout_percentage: 100 }, { key: b, rollout_percentage: 99.99 }] }
  tree: { fields: { filters: { groups: [{ properties: { type: AND, values: [] } }] } } }
`,
  });
  expect(await flags()).toEqual({ checkout: 'blue', banner: true, gone: true, legacy: 'a', tree: false });
  await stop();
});

test('roles of the manifests have access', async () => {
  const { url, stop } = await serve();
  const headers = { authorization: 'Bearer x' };
  const path = `${url}/api/projects/1/feature_flags/`;
  const list = (await (await fetch(path, { headers })).json()) as { results: { id: number; key: string }[] };
  const id = list.results.find(({ key }) => key === 'checkout')?.id;
  const access = await (await fetch(`${path}${id}/role_access/`, { headers })).json();
  expect(access).toMatchObject({ results: [{ role: { name: 'engineering' } }] });
  await stop();
});

test('an edit takes effect; an invalid edit is reported and changes nothing', async () => {
  const { flags, workspace, said, stop } = await serve();
  const edited = MANIFEST.replace('rollout_percentage: 100 }]\n      multi', 'rollout_percentage: 0 }]\n      multi');
  workspace.write('flags/a.yaml', edited.replace('  gone: { rollout_percentage: 100 }\n', ''));
  await expect.poll(flags).toEqual({ checkout: false, banner: false });
  workspace.write('flags/b.yaml', 'flags: { bad: { rollout_percentage: many, active: 7 } }');
  await said('The flags are unchanged', 1);
  expect(await flags()).toEqual({ checkout: false, banner: false });
  workspace.write('flags/b.yaml', 'flags: { good: { rollout_percentage: 100 } }');
  await expect.poll(flags).toEqual({ checkout: false, banner: false, good: true });
  const { code, stderr } = await stop();
  expect(code).toBe(0);
  expect(stderr.match(/The flags are unchanged/g)).toHaveLength(1);
  expect(stderr).toContain(`flags/b.yaml:1:17  error  Expected a number or a mapping, found a string.  type-wrong
  1 | flags: { bad: { rollout_percentage: many, active: 7 } }
    |                 ^
  → Write a number or a mapping.

This is the first of 2 problems. The flags are unchanged.
`);
});

const ON = 'flags: { a: { rollout_percentage: 100 } }';
const OFF = 'flags: { a: { active: false, rollout_percentage: 100 } }';
const WRONG = 'flags: { a: { rollout_percentage: many } }';
const KEPT = 'The flags are unchanged';
const SERVING = 'Serving ';

async function serveOne(): Promise<Serving> {
  const serving = await serve();
  serving.workspace.write('flags/a.yaml', ON);
  await expect.poll(serving.flags).toEqual({ a: true });
  return serving;
}

test('a value removed from a manifest is as if it had never been declared', async () => {
  const { flags, workspace, stop } = await serveOne();
  workspace.write('flags/a.yaml', OFF);
  await expect.poll(flags).toEqual({});
  workspace.write('flags/a.yaml', ON);
  await expect.poll(flags).toEqual({ a: true });
  expect((await stop()).stderr).toContain('Serving 1 flag from');
});

test('a file emptied for a moment does not count as empty', async () => {
  const timers = holdTimers();
  const started = vi.spyOn(globalThis, 'setTimeout');
  const looks = (): number => started.mock.calls.filter(([, ms]) => ms === POLL_MS).length;
  const { flags, workspace, stop } = await serve();
  const look = async (): Promise<void> => {
    const before = looks();
    timers.pass(POLL_MS);
    await until(() => expect(looks()).toBe(before + 1));
  };
  await until(() => expect(looks()).toBe(1));
  for (const text of [ON, OFF, ON]) {
    // One look sees the empty file, the next the new text, the third that the text is stable.
    workspace.write('flags/a.yaml', '');
    await look();
    workspace.write('flags/a.yaml', text);
    await look();
    await look();
    expect(await flags()).toEqual(text === ON ? { a: true } : {});
  }
  vi.restoreAllMocks();
  expect((await stop()).stderr).not.toContain('Serving 0 flags');
});

test('a repeated mistake is reported again', async () => {
  const { flags, workspace, said, stop } = await serveOne();
  workspace.write('flags/a.yaml', WRONG);
  await said(KEPT, 1);
  workspace.write('flags/a.yaml', ON);
  await said(SERVING, 3);
  workspace.write('flags/a.yaml', WRONG);
  await said(KEPT, 2);
  expect(await flags()).toEqual({ a: true });
  await stop();
});

test('edits of the configuration take effect, also after mistakes', async () => {
  const { flags, workspace, said, stop } = await serveOne();
  workspace.write('more/b.yaml', 'flags: { b: { rollout_percentage: 100 } }');
  workspace.write('flagwright.yaml', `${CONFIG}nonsense: 1\n`);
  await said(KEPT, 1);
  workspace.write('flagwright.yaml', `${CONFIG}manifests: ['*/*.yaml']\n`);
  await expect.poll(flags).toEqual({ a: true, b: true });
  workspace.write('flagwright.yaml', `${CONFIG}nonsense: 1\n`);
  await said(KEPT, 2);
  workspace.write('flagwright.yaml', CONFIG);
  await expect.poll(flags).toEqual({ a: true });
  await stop();
});

test.each([
  ['a seed document', WITH_EXPERIMENT, 1],
  ['a list of flags', [{ key: 'seeded' }], 0],
])('%s beside manifests loads no flags', async (_what, seed, persons) => {
  const { url, stop } = await serve(['--seed', 'seed.json'], { 'seed.json': JSON.stringify(seed) });
  const read = async (path: string): Promise<readonly JsonObject[]> => {
    const answered = await fetch(`${url}/api/projects/1/${path}/`, { headers: { authorization: 'Bearer x' } });
    return ((await answered.json()) as { results: JsonObject[] }).results;
  };
  const keys = (await read('feature_flags')).map(({ key }) => key);
  expect(new Set(keys)).toEqual(new Set(['banner', 'checkout', 'gone']));
  expect(await read('persons')).toHaveLength(persons);
  await stop();
});

test('a flag removed from the manifests is gone after a restart with the same data', async () => {
  const first = await serve(['--data', 'service.db']);
  expect(Object.keys(await first.flags())).toContain('gone');
  await first.stop();
  const data = path.join(first.workspace.root, 'service.db');
  const again = await serve(['--data', data], { 'flags/a.yaml': 'flags: { checkout: { rollout_percentage: 100 } }' });
  expect(await again.flags()).toEqual({ checkout: true });
  expect((await again.stop()).stderr).toContain('Serving 1 flag from');
});

test('manifests invalid from the start are refused with every diagnostic', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': 'flags: { a: { activ: true } }' });
  const { code, stderr } = await runCli(['serve', '--manifests', '--port', '0'], { cwd: root });
  expect([code, stderr]).toEqual([1, expect.stringContaining('flags/a.yaml:1') as string]);
});

test('an SDK that asks before the manifests are loaded gets no answer, and then the flags', async () => {
  const port = await freePort();
  const workspace = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': MANIFEST });
  let interrupt = (): void => undefined;
  const ended = runCli(['serve', '--manifests', '--port', String(port)], {
    cwd: workspace.root,
    onStart: (stop) => (interrupt = stop),
  });
  const body = JSON.stringify({ context: { targetingKey: 'x' } });
  const ask = async (): Promise<number> => {
    const asked = fetch(`http://127.0.0.1:${port}/ofrep/v1/evaluate/flags`, { method: 'POST', body });
    const answered = await asked.catch(() => undefined);
    return answered === undefined ? ask() : ((await answered.json()) as { flags: unknown[] }).flags.length;
  };
  expect(await ask()).toBe(3);
  interrupt();
  await ended;
});
