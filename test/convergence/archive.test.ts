/** Undeclared archived flags that others depend on: newer services list them only on request. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import { forecastOf } from '../../src/loop/apply/read-again.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { selectionForUndo } from '../../src/loop/journal/undo.ts';
import { declared, dependsOn, desiredState, planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const PLAIN = { groups: [{ properties: [], rollout_percentage: 100 }] };
let world: World;
beforeEach(async () => {
  world = await startWorld('posthog');
  await apply(await planOf(declared('base', { active: true }), declared('top', { active: false })));
});
afterEach(() => world.close());

const planOf = (...flags: DesiredFlag[]): Promise<Plan> => world.plan(desiredState(...flags));

async function apply(plan: Plan): Promise<void> {
  const flags = (await world.live(desiredState(declared('top', { filters: dependsOn('base') })))).flags;
  const result = await world.apply(plan);
  expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
  expect(result.remainder).toEqual([]);
  expect(forecastOf(plan, { flags, concurrency: 4 }).requests).toBe(result.requests);
}

const shelve = (): Promise<unknown> => world.edit('base', { active: false, archived: true });

describe('a dependency on an archived flag', () => {
  const top = declared('top', { active: false, name: 'x', filters: dependsOn('base') });

  it('is refused by the service, of which the plan warns', async () => {
    await shelve();
    const plan = await planOf(top);
    expect(plan.warnings).toEqual([{ code: 'dependency_disabled', key: 'top', dependency: 'base' }]);
    const { changes } = await world.apply(plan);
    expect(changes.map(({ result: { outcome } }) => outcome)).toEqual(['failed']);
  });

  it('is in sync when the flag was archived later', async () => {
    await apply(await planOf(top));
    await shelve();
    expect((await planOf(top)).changes).toEqual([]);
    expect((await planOf(declared('top', { filters: dependsOn(await baseId()) }))).changes).toEqual([]);
  });

  it('is shown by its key when it is removed', async () => {
    await apply(await planOf(top));
    await shelve();
    const plan = await planOf(declared('top', { filters: PLAIN }));
    expect(JSON.stringify(plan.changes)).toContain('"before":[{"key":"base"');
    await apply(plan);
  });

  it('is named by its key in an undo, with the same warning', async () => {
    await apply(await planOf(top));
    await shelve();
    const plan = await planOf(declared('top', { filters: PLAIN }));
    await apply(plan);
    const outcomes = new Map(plan.changes.map(({ ref }) => [ref, { outcome: 'applied' as const }]));
    const run = { name: 'r', startedAt: '', plan, outcomes, applied: outcomes, sent: new Set<string>() };
    const live = await readLiveState(world.client, selectionForUndo(run));
    const undo = invertPlan(
      plan.changes.map((change) => ({ change })),
      live,
      planOptions(),
    );
    expect(undo.plan.warnings).toEqual([{ code: 'dependency_disabled', key: 'top', dependency: 'base' }]);
    expect(undo.plan.changes).toMatchObject([{ body: { filters: dependsOn('base') } }]);
  });

  it('does not protect a flag from pruning that was read under other keys', async () => {
    await apply(await planOf(top));
    await shelve();
    const plan = await world.plan(desiredState(declared('kept')), { prune: true });
    expect(plan.changes.map(({ ref }) => ref)).toEqual(['flag:kept', 'flag:top']);
    expect(plan.unmanaged).toEqual(['top']);
    await apply(plan);
  });

  it('does not count as unmanaged', async () => {
    await apply(await planOf(top));
    await shelve();
    expect((await planOf(top)).summary.unmanaged).toBe(0);
  });

  it('costs no request without archived flags', async () => {
    await apply(await planOf(top));
    const before = world.client.stats().requests;
    await planOf(top);
    expect(world.client.stats().requests - before).toBe(1);
  });
});

async function baseId(): Promise<number> {
  return (await world.client.listFlags({ archived: true }))[0]?.id ?? 0;
}
