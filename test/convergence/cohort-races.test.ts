/** Two applies at once: each runs until it is about to create a cohort, and then both go on. */

import type { ResourceId } from '../../src/core/engine/snapshot.ts';
import { expect, onTestFinished, test } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import { createClient } from '../../src/posthog/service-client.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { startGate } from '../helpers/gate.ts';
import { createRepository, GIT_ENV } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { openWorld } from '../helpers/world.ts';

const DEFINITION = {
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
};
const on = (value: string): JsonObject => ({ groups: [{ properties: [{ key: 'id', type: 'cohort', value }] }] });
const MANIFEST = {
  cohorts: {
    beta: { name: 'Beta', filters: DEFINITION },
    crew: { filters: DEFINITION },
    outer: { filters: { properties: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 'beta' }] } } },
  },
  flags: { checkout: { filters: on('beta') }, search: { filters: on('outer') } },
};

test.each([2, 3])('%i runs in one process make each cohort once, and each says truly who made it', async (runs) => {
  const world = await openWorld('posthog');
  const gate = await startGate(world.url);
  const before = (await world.client.listCohorts()).length;
  const desired = desiredOf(MANIFEST);
  const plan = await world.plan(desired);
  // The first two creates of each run: `outer` waits for `beta`.
  const hold = gate.hold(
    ({ method, url }, number) => method === 'POST' && url.includes('/cohorts/') && number <= 2 * runs,
  );
  const clients = Array.from({ length: runs }, () =>
    createClient({ host: gate.host, projectId: '1', apiKey: 'phx_test' }),
  );
  onTestFinished(async () => void (await Promise.all(clients.map(async (client) => client.close()))));
  const applying = clients.map(async (client) => applyPlan(plan, client));
  await hold.arrived(2 * runs);
  hold.open();
  const results = await Promise.all(applying);
  const all = results.flatMap(({ changes }) => changes);
  expect(all.filter(({ result }) => result.outcome !== 'applied')).toEqual([]);
  expect(results.flatMap(({ remainder }) => remainder)).toEqual([]);
  for (const ref of plan.changes.map((change) => change.ref)) {
    const ids = results.map((result) => madeBy(result, ref));
    expect(new Set(ids.map(({ id }) => id)).size, ref).toBe(1);
    expect(
      ids.filter(({ already }) => !already),
      ref,
    ).toHaveLength(1);
  }
  expect((await world.client.listCohorts()).length - before).toBe(3);
  expect((await world.plan(desired)).changes).toEqual([]);
});

function madeBy(
  { changes }: ApplyResult,
  ref: string,
): { readonly id: ResourceId | undefined; readonly already: boolean } {
  const result = changes.find(({ change }) => change.ref === ref)?.result;
  return result?.outcome === 'applied'
    ? { id: result.id, already: result.already === true }
    : { id: -1, already: false };
}

test('two clones that apply at once both succeed, the next plan is empty, and undo of the later run leaves the cohort', async () => {
  const world = await openWorld('posthog');
  const gate = await startGate(world.url);
  const files = {
    'flagwright.yaml': `projects: { main: { host: ${gate.host}, project_id: "1" } }\n`,
    '.gitignore': '.flagwright/\n',
    'flags/main.yaml': JSON.stringify({ cohorts: { beta: MANIFEST.cohorts.beta } }),
  };
  const clones = [createRepository(files), createRepository(files)];
  const run = async (index: number, ...argv: string[]): Promise<Ran> => {
    const root = clones[index]?.root ?? '';
    return runCli(argv, { cwd: root, env: { ...GIT_ENV, HOME: root, POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
  };
  const hold = gate.hold(({ method, url }) => method === 'POST' && url.includes('/cohorts/'));
  const applying = clones.map(async (_clone, index) => run(index, 'apply', '--yes'));
  await hold.arrived(2);
  hold.open();
  const ran = await Promise.all(applying);
  expect(ran.map(({ code }) => code)).toEqual([0, 0]);
  const later = ran.findIndex(({ stdout }) => stdout.includes('already up to date'));
  expect([later, ran[1 - later]?.stdout.includes('already up to date')]).toEqual([expect.any(Number), false]);
  expect((await run(0, 'plan', '--detailed-exitcode')).code).toBe(0);
  await run(later, 'undo', '--yes');
  expect((await run(0, 'plan', '--detailed-exitcode')).code).toBe(0);
  await run(1 - later, 'undo', '--yes');
  expect((await world.client.listCohorts()).some(({ name }) => name === 'Beta')).toBe(false);
});
