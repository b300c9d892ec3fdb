/** A run parses each text once, however many of its steps need it. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { TextMemo } from '../../src/base/text-memo.ts';
import { gitStage, LATER } from '../helpers/git-stage.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const SEED = {
  flags: ['checkout', 'search', 'more'].map((key, index) => ({
    id: index + 1,
    key,
    name: 'Theirs',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
  })),
};

test.each([
  ['plan', ['plan'], 2],
  ['accept, which reads the edited file, too', ['accept', '--patch'], 3],
  ['export, which reads what it writes', ['export', '--dir', 'more'], 1],
  ['export to manifests, which reads all of them', ['export', '--dir', 'flags'], 3],
  ['export --unmanaged, which reads both', ['export', '--unmanaged', '--dir', 'more'], 3],
  ['export --merge, which reads the edited files, too', ['export', '--merge', '--dry-run'], 4],
])('in %s', async (name, argv, texts) => {
  const world = await openWorld('posthog', SEED);
  const { root } = createWorkspace({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\n`,
    // No other test has read these texts in this process.
    'flags/search.yaml': `# ${name}\nflags: { search: { active: true, rollout_percentage: 10 } }\n`,
    'flags/checkout.yaml': `# ${name}\nflags:\n  checkout:\n    description: Ours\n    active: true\n`,
  });
  const parsing = vi.spyOn(TextMemo.prototype, 'get');
  const { code, stderr } = await runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  // Parsing a text again would return another object.
  expect(new Set(parsing.mock.calls.map(([, text]) => text)).size).toBe(texts);
  expect(new Set(parsing.mock.results.map(({ value }) => value as unknown)).size).toBe(texts);
});

test('off reads a manifest as what it declares and, after that, as what accept would edit', async () => {
  const world = await openWorld('posthog', { flags: SEED.flags.map((flag) => ({ ...flag, active: flag.id !== 2 })) });
  const { root } = createWorkspace({
    'flagwright.yaml': `projects: { production: { host: "${world.url}", project_id: "1" } }\n`,
    'flags/all.yaml': 'flags:\n  checkout:\n    active: true\n  search:\n    active: false\n',
  });
  const reading = vi.spyOn(fs.promises, 'readFile');
  syncBuiltinESMExports();
  const { stderr } = await runCli(['off', 'checkout', 'search', '-y'], {
    cwd: root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
  });
  const read = reading.mock.calls.filter(([file]) => file === path.join(root, 'flags/all.yaml'));
  reading.mockRestore();
  syncBuiltinESMExports();
  expect(stderr).toContain('+    active: false');
  expect(read).toHaveLength(2);
});

test('plan of several projects reads a manifest once for all, also for the cohorts that embedded ones borrow', async () => {
  const { root } = createWorkspace({
    'flagwright.yaml': 'projects: { a: { service: embedded }, b: { service: embedded } }\n',
    'flags/all.yaml': 'flags: { checkout: { active: true } }\n',
  });
  const reading = vi.spyOn(fs.promises, 'readFile');
  syncBuiltinESMExports();
  expect((await runCli(['plan', '--all-projects'], { cwd: root })).code).toBe(0);
  const read = reading.mock.calls.filter(([file]) => file === path.join(root, 'flags/all.yaml'));
  reading.mockRestore();
  syncBuiltinESMExports();
  expect(read).toHaveLength(1);
});

test('in apply of a saved plan, also the journals of earlier runs', async () => {
  const { run, commit } = await gitStage();
  expect((await run('apply', '--yes')).code).toBe(0);
  commit({ 'flags/main.yaml': LATER });
  expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
  const parsing = vi.spyOn(TextMemo.prototype, 'get');
  expect((await run('apply', 'plan.json')).code).toBe(0);
  const calls = parsing.mock.calls.map(([, text], index) => ({
    text,
    value: parsing.mock.results[index]?.value as unknown,
  }));
  const journals = calls.filter(({ text }) => text.startsWith('{"kind":"begun"'));
  const texts = new Set(journals.map(({ text }) => text));
  expect(journals.length).toBeGreaterThan(texts.size);
  expect(new Set(journals.map(({ value }) => value)).size).toBe(texts.size);
});
