/** From any valid graph of flags to any other, and back with undo: newer services refuse no write in between. */

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import { NO_RECORDER, type ApplyRecorder } from '../../src/loop/apply/recorder.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { EarlierRun } from '../../src/loop/apply/resume.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import { forecastOf } from '../../src/loop/apply/read-again.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { desiredGraph, graphs, isReversed, reachable, type Naming } from '../helpers/flag-graphs.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, dependsOn, desiredState, planOptions } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

let world: World;
let serial = 0;
beforeAll(async () => {
  world = await startWorld('posthog');
});
afterAll(() => world.close());

async function apply(plan: Plan, concurrency: number): Promise<ApplyResult> {
  const result = await applyPlan(plan, world.client, { concurrency });
  expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
  expect(result).toMatchObject({ remainder: [], verified: true });
  return result;
}

async function makeSo(desired: DesiredState, concurrency: number): Promise<ApplyResult> {
  const result = await apply(await world.plan(desired), concurrency);
  expect((await world.plan(desired)).changes).toEqual([]);
  return result;
}

async function undo({ changes }: ApplyResult): Promise<Plan> {
  const ids = changes.flatMap(({ change, result }) =>
    change.resource === 'flag' && 'id' in change ? (change.id ?? []) : 'id' in result ? Number(result.id) : [],
  );
  const live = await readLiveState(world.client, { flags: { ids } });
  const { plan, refused } = invertPlan(
    changes.map(({ change, result }) => ({ change, ...('id' in result && { id: result.id }) })),
    live,
    planOptions(),
  );
  expect(refused).toEqual([]);
  return plan;
}

async function thereAndBack(before: DesiredState, after: DesiredState, concurrency: number): Promise<void> {
  await makeSo(before, concurrency);
  const made = await makeSo(after, concurrency);
  const undone = await apply(await undo(made), concurrency);
  expect((await world.plan(before)).changes).toEqual([]);
  await apply(await undo(undone), concurrency);
  expect((await world.plan(after)).changes).toEqual([]);
}

describe.each([1, 4])('with %i writes at a time', (concurrency) => {
  it('a run leads from any graph to any other, and undo leads back', () =>
    holdsAsync(12, [graphs(5), graphs(5)], async (first, second) => {
      serial += 1;
      const before = reachable(first);
      const after = reachable(second, before);
      fc.pre(!isReversed(before, after) && !isReversed(after, before));
      const naming: Naming = { prefix: `f${serial}-`, count: 5 };
      await thereAndBack(desiredGraph(before, naming, after), desiredGraph(after, naming, before), concurrency);
      // Makes room for the next ones: a project has a maximum of flags.
      await makeSo(desiredGraph([], naming, after), concurrency);
    }));
});

const PLAIN = { groups: [{ properties: [], rollout_percentage: 100 }] };
let key = (name: string): string => name;
beforeEach(() => {
  serial += 1;
  const prefix = `e${serial}-`;
  key = (name) => prefix + name;
});

it('disables a flag that gets a dependency that the same run creates', () =>
  thereAndBack(
    desiredState(declared(key('old'), { active: true })),
    desiredState(declared(key('old'), { active: false, filters: dependsOn(key('new')) }), declared(key('new'))),
    4,
  ));

it('undo reverts a rename together with the change of a flag that depends on it', () =>
  thereAndBack(
    desiredState(declared(key('base')), declared(key('top'), { filters: dependsOn(key('base')) })),
    desiredState(
      declared(key('renamed'), {}, { previousKeys: [key('base')] }),
      declared(key('top'), { name: 'new', filters: PLAIN }),
    ),
    4,
  ));

describe('an update in two writes', () => {
  /** Both are disabled, and top has a condition on base: the service does not enable top while it has it. */
  const before = (): DesiredState =>
    desiredState(
      declared(key('base'), { active: false, filters: PLAIN }),
      declared(key('top'), { active: false, filters: dependsOn(key('base')) }),
    );
  const after = (): DesiredState =>
    desiredState(
      declared(key('base'), { active: true }),
      declared(key('top'), { name: 'on', active: true, filters: PLAIN }),
    );
  const REFS = ['flag:base', 'flag:top', 'flag_active:top'];
  const refsOf = ({ changes }: Pick<Plan, 'changes'>): string[] => changes.map(({ ref }) => ref.replace(key(''), ''));

  async function planned(): Promise<Plan> {
    const [, top] = before().flags;
    await makeSo(desiredState(declared(key('base'), { filters: PLAIN }), top as DesiredFlag), 4);
    await makeSo(before(), 4);
    return world.plan(after());
  }

  it('enables the flag last, and works both ways', async () => {
    const plan = await planned();
    expect(refsOf(plan)).toEqual(REFS);
    expect(plan.summary).toMatchObject({ update: 2 });
    await thereAndBack(before(), after(), 4);
  });

  it('is one update when it is undone', async () => {
    const made = await apply(await planned(), 1);
    const back = await undo(made);
    expect(refsOf(back)).toEqual(['flag:top', 'flag:base']);
    expect(back.changes[0]).toMatchObject({ body: { active: false, name: '', filters: dependsOn(key('base')) } });
  });

  it('costs two requests and one read afterwards', async () => {
    const plan = await planned();
    const live = await world.live(after());
    expect(forecastOf(plan, { flags: live.flags, concurrency: 4 }).requests).toBe((await apply(plan, 4)).requests);
  });

  const refusing = (ref: string): ApplyRecorder => ({
    ...NO_RECORDER,
    sending: (change) => (change.ref === ref ? Promise.reject(new FlagwrightError('file', 'full')) : Promise.resolve()),
  });

  it('skips the rest when the first write fails', async () => {
    const plan = await planned();
    const recorder = refusing(`flag:${key('top')}`);
    const { changes } = await applyPlan(plan, world.client, { concurrency: 1, recorder });
    expect(changes.map(({ result }) => result.outcome)).toEqual(['applied', 'skipped', 'skipped']);
    expect(changes[2]?.result).toMatchObject({ reason: { code: 'needs_failed', refs: [`flag:${key('top')}`] } });
    await makeSo(after(), 4);
  });

  it('can be resumed between the two', async () => {
    const plan = await planned();
    const recorder = refusing(`flag_active:${key('top')}`);
    const first = await applyPlan(plan, world.client, { concurrency: 1, recorder });
    const done = first.changes.filter(({ result }) => result.outcome === 'applied');
    expect(first.remainder).toEqual([]);
    const earlier: EarlierRun = {
      applied: new Map(done.map(({ change, result }) => [change.ref, result])),
      sent: new Set([`flag_active:${key('top')}`]),
    };
    const second = await applyPlan(plan, world.client, { concurrency: 4, earlier });
    expect(second).toMatchObject({ outcomes: { applied: plan.changes.length }, remainder: [] });
    expect((await world.plan(after())).changes).toEqual([]);
  });

  it.each([
    ['the description', { name: 'theirs' }],
    ['the switch', { active: true }],
  ])('does not overwrite another user’s change of %s between the two', async (_name, edit) => {
    const plan = await planned();
    const recorder: ApplyRecorder = {
      ...NO_RECORDER,
      sending: async (change) => {
        if (change.ref === `flag_active:${key('top')}`) await world.edit(key('top'), edit);
      },
    };
    await applyPlan(plan, world.client, { concurrency: 1, recorder });
    // The service merges changes that do not collide.
    expect((await world.live()).flags.find((flag) => flag.key === key('top'))).toMatchObject({ active: true, ...edit });
  });
});
