/** `flags activity` over HTTP: what changed, in every format; the text of the log is data. */

import { expect, test } from 'vitest';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

async function edited(): Promise<(...argv: string[]) => Promise<Ran>> {
  const world = await openWorld('posthog');
  await world.client.createFlag({
    key: 'checkout',
    filters: {
      groups: [
        { properties: [], rollout_percentage: 10 },
        { properties: [], rollout_percentage: 20 },
      ],
    },
  });
  await world.edit('checkout', {
    filters: {
      groups: [
        { properties: [], rollout_percentage: 10 },
        { properties: [], rollout_percentage: 25 },
      ],
    },
  });
  await world.edit('checkout', { active: false, name: 'two\nlines \u001B[31m::error::' });
  const { root } = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${world.url}", project_id: "1" } }\n`,
    'flags/main.yaml': 'flags: { checkout: { active: true } }\n',
  });
  return async (...argv) => runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
}

test('text shows each value from → to, condition by condition, escaped', async () => {
  const run = await edited();
  const { stdout, code } = await run('flags', 'activity', 'checkout');
  expect(code).toBe(0);
  expect(stdout).toMatch(/active +true → false/);
  expect(stdout).toMatch(/condition 2 .*20% → 25%/);
  expect(stdout).not.toContain('condition 1');
  expect(stdout).not.toContain('\u001B');
  expect(stdout).not.toMatch(/^::error::/m);
  expect(stdout.match(/^\S.* checkout +id 1 /gm)).toHaveLength(3);
});

test('a write of flagwright is named as one, and nothing is said of a journal that is not read', async () => {
  const run = await edited();
  expect((await run('apply', '-y')).code).toBe(0);
  expect((await run('flags', 'activity', 'checkout', '--limit', '1')).stdout).toMatch(/, with flagwright$/m);
});

test('json, jsonl and csv have the differences beside what the service answered', async () => {
  const run = await edited();
  const [newest] = JSON.parse((await run('flags', 'activity', 'checkout', '-f', 'json')).stdout) as readonly object[];
  expect(newest).toMatchObject({
    activity: 'updated',
    detail: { name: 'checkout' },
    differences: expect.arrayContaining([{ path: '/active', before: true, after: false }]) as unknown,
  });
  const lines = (await run('flags', 'activity', '1', '-f', 'jsonl')).stdout.trim().split('\n');
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    differences: [{ path: '/filters/groups/1/rollout_percentage', before: 20, after: 25 }],
  });
  expect((await run('flags', 'activity', '-f', 'csv')).stdout).toContain('""path"":""/active""');
  const table = await run('flags', 'activity', '--columns', 'activity,item_id');
  expect(table.stdout).toMatch(/^activity +item_id\nupdated +1\n/);
  expect((await run('flags', 'activity', '-f', 'table')).stdout).toMatch(/^created_at +user\.email/);
});

test('history and explain lead to it', async () => {
  const run = await edited();
  expect((await run('apply', '-y')).code).toBe(0);
  const line = 'flagwright flags activity checkout -p main';
  expect((await run('history', 'last')).stdout).toContain(line);
  expect((await run('history')).stdout).toContain('flagwright flags activity KEY');
  expect((await run('explain', 'checkout')).stdout).toContain(line);
});
