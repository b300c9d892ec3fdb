/** The forecast of a run equals the requests that the run makes, in both profiles. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { DesiredFlag, DesiredState } from '../../src/posthog/desired.ts';
import { forecastOf } from '../../src/loop/apply/read-again.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { declared, desiredState, liveState, planFor, planOptions, retired } from '../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';
import { holdsAsync } from '../helpers/runs.ts';

/** The first and the second state of a flag; `undefined` where it does not exist. */
interface Course {
  readonly from: Shape | undefined;
  readonly to: Shape | undefined;
}

interface Shape {
  readonly name: string;
  readonly roles: readonly string[] | undefined;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  roles: fc.option(fc.subarray([...ROLE_IDS]), { nil: undefined }),
});
const course: fc.Arbitrary<Course> = fc.record({
  from: fc.option(shape, { nil: undefined }),
  to: fc.option(shape, { nil: undefined }),
});

const desired = (key: string, shape: Shape | undefined): DesiredFlag =>
  shape === undefined
    ? retired(key)
    : declared(key, { name: shape.name }, shape.roles === undefined ? {} : { roles: shape.roles });

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  let serial = 0;
  beforeAll(async () => {
    world = await startWorld(profile);
  });
  afterAll(() => world.close());

  /** Applies and compares; `flags` are those that the plan was made from. */
  async function expectExact(plan: Plan, flags: Awaited<ReturnType<World['live']>>['flags']): Promise<void> {
    const forecast = forecastOf(plan, { flags, concurrency: 4 });
    const result = await world.apply(plan);
    expect(result.outcomes.applied).toBe(plan.changes.length);
    expect(forecast.requests).toBe(result.requests);
  }

  async function makeSo(flags: readonly DesiredFlag[]): Promise<void> {
    const state = desiredState(...flags);
    await expectExact(await world.plan(state), (await world.live(state)).flags);
  }

  it('every request is predicted', () =>
    holdsAsync(60, [fc.array(course, { maxLength: 6 })], async (courses) => {
      serial += 1;
      const keyed = courses.map((one, index) => ({ key: `f${serial}-${index}`, ...one }));
      await makeSo(keyed.map(({ key, from }) => desired(key, from)));
      await makeSo(keyed.map(({ key, to }) => desired(key, to)));
    }));

  it.each([99, 100, 1, 205])('the forecast is exact with %i more flags', async (count) => {
    serial += 1;
    const flags = Array.from({ length: count }, (_, index) => declared(`m${serial}-${index}`));
    await makeSo(flags);
    await makeSo([declared(`m${serial}-0`, { name: 'one changed' })]);
    await makeSo(flags.slice(0, 50).map(({ key }) => retired(key)));
  });

  it('the forecast is exact for cohorts: a create is looked up before and after, and any other write before', async () => {
    const cohorts = (plan: string, last: JsonObject): DesiredState => {
      const filters = {
        properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: plan }] },
      };
      const outer = {
        filters: { properties: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 'inner' }] } },
      };
      return desiredOf({ flags: {}, cohorts: { inner: { filters }, last: { filters, ...last }, outer } });
    };
    for (const [wanted, requests] of [
      // The list, three creates with two look-ups each, and the list.
      [cohorts('pro', {}), 1 + 3 * 3 + 1],
      [cohorts('free', {}), 1 + 2 * 2 + 1],
      [cohorts('free', { deleted: true }), 1 + 2 + 1],
    ] as const) {
      const plan = await world.plan(wanted);
      await expectExact(plan, (await world.live(wanted)).flags);
      expect(forecastOf(plan, { flags: [], concurrency: 4 }).requests).toBe(requests);
    }
  });

  it('the forecast is exact for a rename with its roles', async () => {
    await makeSo([declared('before', {}, { roles: ROLE_IDS.slice(0, 2) })]);
    await makeSo([declared('after', {}, { roles: ROLE_IDS.slice(1), previousKeys: ['before'] })]);
  });

  it('the forecast is exact for a delete that is undone', async () => {
    await makeSo([declared('gone')]);
    const plan = await world.plan(desiredState(retired('gone')));
    const { changes } = await world.apply(plan);
    const ids = plan.changes.flatMap((change) => (change.action === 'delete' ? [change.id] : []));
    const live = await readLiveState(world.client, { flags: { keys: ['gone'], ids } });
    const inverse = invertPlan(changes, live, planOptions());
    expect(inverse.plan.changes).toMatchObject([{ action: 'restore' }]);
    await expectExact(inverse.plan, live.flags);
  });

  if (profile === 'posthog')
    it('the forecast is exact for an archived flag that is restored', async () => {
      await makeSo([declared('shelved', { active: true })]);
      await world.edit('shelved', { active: false, archived: true });
      await makeSo([declared('shelved', { active: true })]);
    });
});

it('an empty plan costs nothing', async () => {
  const plan = planFor(desiredState(), liveState([]));
  expect(forecastOf(plan, { flags: [], concurrency: 8, latencyMs: 50 })).toEqual({ requests: 0, seconds: 0 });
});

it.each([
  [
    { concurrency: 1, latencyMs: 100 },
    { requests: 4, seconds: 0.4 },
  ],
  [
    { concurrency: 8, latencyMs: 1000 },
    { requests: 4, seconds: 3 },
  ],
  [
    { concurrency: 8, latencyMs: 1000, budget: { requestsPerHour: 480, leastMs: (count: number) => count * 5000 } },
    { requests: 4, seconds: 20, hour_percent: 0.8 },
  ],
])('takes as long as latency or budget require: %j', async (basis, expected) => {
  const world = await startWorld('documented');
  const plan = await world.plan(desiredState(declared('a'), declared('b')));
  await world.close();
  expect(forecastOf(plan, { flags: [], ...basis })).toEqual(expected);
});
