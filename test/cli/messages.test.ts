/** Messages to a chat by the built command over HTTP: one of each command, in each form, and of each run only what it did. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';
import { hour } from '../helpers/timed-stage.ts';
import { begunRollout } from './begun-rollout.ts';

const FORMS = ['message', 'slack', 'teams'] as const;

async function open() {
  const world = await openWorld('posthog', {
    flags: [{ id: 1, key: 'banner', active: true, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }],
  });
  const { root, write } = createWorkspace({
    '.github/CODEOWNERS': '/flags/ @acme/shop\n',
    'flags/main.yaml':
      'flags:\n  banner: { active: false }\n  search: { active: true, rollout_percentage: 10, tags: ["team:search"] }\n',
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test', USER: 'ann' };
  const run = async (...argv: string[]) => {
    const reports = FORMS.flatMap((form) => ['--report', `${form}=${form}.out`]);
    const ran = await cli([...argv, ...reports], { cwd: root, env });
    const read = (form: string): string => readFileSync(path.join(root, `${form}.out`), 'utf8');
    // Both documents are JSON, and one line where the text is.
    const isQuiet = read('message').trimEnd().split('\n').length === 1;
    for (const form of ['slack', 'teams']) {
      expect(JSON.parse(read(form))).toBeTypeOf('object');
      expect(read(form).trimEnd().split('\n').length === 1).toBe(isQuiet);
    }
    return { code: ran.code, stderr: ran.stderr, text: read('message'), isQuiet };
  };
  return { world, run, write };
}

test('each command says what turned on and off, and whose it is', async () => {
  const { world, run, write } = await open();
  const planned = await run('plan');
  expect(planned.text).toContain('• Off for everybody: banner (owner: @\u2060acme/shop)');
  expect(planned.text).toContain('• New: search – on for 10% of everyone (owner: search)');

  const applied = await run('apply', '--yes');
  expect(applied.code).toBe(0);
  expect(applied.text).toMatch(/Applied 2 of 2 changes|Applied 2 changes/);
  expect(applied.text).toContain('• Off for everybody: banner');

  const again = await run('apply', '--yes');
  expect(again.isQuiet).toBe(true);
  expect((await run('drift')).isQuiet).toBe(true);

  const banner = (await world.client.listFlags()).find(({ key }) => key === 'banner');
  await world.client.updateFlag(banner?.id ?? 0, { active: true });
  const drifted = await run('drift', '--who');
  expect(drifted.code).toBe(2);
  expect(drifted.text).toMatch(/• On: banner – on for everyone, .*changed/);

  const off = await run('off', 'search', '--yes', '--reason', 'see https://evil.example <!here>');
  expect(off.text).toContain('with flagwright off, because: see https:\u2060//evil.\u2060example <\u2060!here>');
  expect(off.text).toContain('• Off for everybody: search');

  const undone = await run('undo', '--yes');
  expect(undone.text).toContain('• On: search – on for 10% of everyone');

  const stale = await run('stale', 'search', 'banner', '--days', '30');
  expect(stale.text).toMatch(/^\d+ flags? of 2 can go or need a decision/);

  write('flags/main.yaml', 'flags: [');
  const broken = await run('plan');
  expect(broken.code).toBe(1);
  expect(broken.text).toMatch(/^The run failed: /);
  expect(broken.isQuiet).toBe(false);
});

test('a run of due steps says what it made, and what comes next', async () => {
  const steps = [1, 2, 30].map((hours, index) => `        - { at: '${hour(hours)}', to: ${[20, 50, 100][index]} }\n`);
  const staged = await begunRollout(
    `flags:\n  search:\n    active: true\n    rollout_percentage:\n      from: 10\n      steps:\n${steps.join('')}`,
  );
  const made = await staged.runAt(2, 'apply', '--due', '--format', 'message');
  expect(made.stdout).toContain('• Wider: search – condition 1 (everyone): 20% → 50%');
  expect(made.stdout).toContain('Next step: search to 100% on 2026-12-02 14:00:00 UTC');
  expect((await staged.runAt(3, 'apply', '--due', '--format', 'message')).stdout).toBe(
    'main: In sync: 1 flag matches the manifests.\n',
  );
});
