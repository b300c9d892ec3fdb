/** Changes that the service is to make by itself, in plan, drift and apply over HTTP. */

import { expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import type { Profile } from '../../service/src/index.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { startWorld } from '../helpers/world.ts';

const SEED: JsonValue = {
  flags: [
    { id: 1, key: 'search', active: false, filters: { groups: [{ rollout_percentage: 5 }] } },
    { id: 2, key: 'other', filters: { groups: [{ rollout_percentage: 5 }] } },
  ],
  scheduled_changes: [
    {
      id: 12,
      flag: 'search',
      payload: { operation: 'update_status', value: true },
      scheduled_at: '2026-12-01T09:00:00Z',
    },
    {
      id: 13,
      flag: 'other',
      payload: { operation: 'update_status', value: false },
      scheduled_at: '2026-12-01T09:00:00Z',
    },
    {
      id: 14,
      flag: 1,
      payload: { operation: 'update_status', value: true },
      scheduled_at: '2026-11-01T09:00:00Z',
      executed_at: '2026-11-01T09:00:10Z',
    },
  ],
};
const TEXT = 'Schedule 12 changes search on 2026-12-01 09:00:00 UTC (turns it on).';
const IN_SYNC = 'flags:\n  search: { active: false, rollout_percentage: 5 }\n';

async function stage(
  profile: Profile,
  { manifest = IN_SYNC, faults }: { readonly manifest?: string; readonly faults?: JsonValue } = {},
): Promise<{ readonly paths: readonly string[]; readonly run: (...argv: string[]) => Promise<Ran> }> {
  const paths: string[] = [];
  const onRequest = ({ path }: { readonly path: string }): void => void paths.push(path);
  const world = await startWorld(profile, SEED, { onRequest, ...(faults === undefined ? {} : { faults }) });
  onTestFinished(async () => world.close());
  const workspace = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  return { paths, run: async (...argv) => runCli(argv, { cwd: workspace.root, env }) };
}

function asksIn(paths: readonly string[]): number {
  return paths.filter((path) => path.includes('scheduled_changes')).length;
}

test.each(['plan', 'drift'])('%s warns of what is scheduled for a declared flag', async (command) => {
  const { run, paths } = await stage('posthog');
  const ran = await run(command);
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).toContain(TEXT);
  expect(ran.stdout + ran.stderr).not.toContain('Schedule 13');
  expect(asksIn(paths)).toBe(1);
  expect((await run(command, '-f', 'markdown')).stdout).toContain('Schedule 12 changes');
  const { warnings } = JSON.parse((await run(command, '-f', 'json')).stdout) as { warnings: unknown };
  expect(warnings).toEqual([
    { code: 'scheduled', key: 'search', id: 12, at: '2026-12-01T09:00:00Z', operation: 'update_status', value: true },
  ]);
});

test('apply does not ask, and a saved plan with the warning is applied', async () => {
  const { run, paths } = await stage('posthog', { manifest: IN_SYNC.replace('5', '7') });
  expect((await run('plan', '--out', 'plan.json')).stdout).toContain(TEXT);
  expect(asksIn(paths)).toBe(1);
  expect(await run('apply', '-y', 'plan.json')).toMatchObject({ code: 0 });
  expect(await run('apply', '-y')).toMatchObject({ code: 0 });
  expect(asksIn(paths)).toBe(1);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a service of 2023 is not asked', async () => {
  const { run, paths } = await stage('documented');
  const ran = await run('plan');
  expect(ran.code).toBe(0);
  expect(ran.stdout).not.toContain('Schedule');
  expect(asksIn(paths)).toBe(0);
});

test.each([403, 404])('an answer %i changes nothing else', async (status) => {
  const faults = { faults: [{ match: { operation: 'listScheduledChanges' }, answer: { status } }] };
  const { run, paths } = await stage('posthog', { faults });
  const ran = await run('drift');
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).not.toMatch(/schedule/i);
  expect(asksIn(paths)).toBe(1);
});
