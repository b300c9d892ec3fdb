/** Declared secrets on a service without encryption: no record of a run shows them. */

import { expect, it } from 'vitest';
import { ENCRYPTED_PAYLOAD } from '../../../src/posthog/flag/model/encrypted-payloads.ts';
import { invertPlan } from '../../../src/posthog/planning/invert-plan.ts';
import { declared, desiredState, planOptions } from '../../helpers/states.ts';
import { startWorld } from '../../helpers/world.ts';
import { planDocument } from '../../../src/posthog/planning/plan-document.ts';

const SECRET = /(FIRST|SECOND|THIRD)-SECRET/;

it('plans, results and inversions hold no secret that the service answers in plain text', async () => {
  const world = await startWorld('documented');
  const flag = (payload: string, rollout: number): ReturnType<typeof declared> =>
    declared('a', {
      has_encrypted_payloads: true,
      filters: { groups: [{ rollout_percentage: rollout }], payloads: { true: payload } },
    });
  const records: unknown[] = [];
  for (const [payload, rollout] of [
    ['"FIRST-SECRET"', 10],
    ['"SECOND-SECRET"', 10],
    ['"SECOND-SECRET"', 20],
  ] as const) {
    const desired = desiredState(flag(payload, rollout));
    const plan = await world.plan(desired);
    const result = await world.apply(plan);
    expect(result).toMatchObject({ outcomes: { applied: 1, failed: 0 }, verified: true });
    expect(result.remainder.map(({ path }) => path).filter((path) => path.startsWith('/filters'))).toEqual([]);
    const live = await world.live(desired);
    const applied = result.changes.map(({ change, result: outcome }) => ({
      change,
      ...('id' in outcome && outcome.id !== undefined ? { id: outcome.id } : {}),
    }));
    const { plan: inverted, refused } = invertPlan(applied, live, planOptions());
    records.push(planDocument(plan), result, planDocument(inverted), refused);
    expect((await world.plan(desired)).changes).toEqual([]);
  }
  // Another user edits the secret between plan and apply.
  const plan = await world.plan(desiredState(flag('"THIRD-SECRET"', 30)));
  await world.edit('a', { filters: { groups: [{ rollout_percentage: 20 }], payloads: { true: '"FIRST-SECRET"' } } });
  const stale = await world.apply(plan);
  expect(stale).toMatchObject({ outcomes: { skipped: 1 } });
  records.push(planDocument(plan), stale);
  for (const record of records) expect(JSON.stringify(record)).not.toMatch(SECRET);
  await world.close();
});

it('the mark keeps the payload even where the service reads it as a payload', async () => {
  const world = await startWorld('documented');
  const flag = (payload: string, rollout: number): ReturnType<typeof desiredState> =>
    desiredState(
      declared('a', {
        has_encrypted_payloads: true,
        filters: { groups: [{ rollout_percentage: rollout }], payloads: { true: payload } },
      }),
    );
  await world.apply(await world.plan(flag('"FIRST-SECRET"', 10)));
  const plan = await world.plan(flag(ENCRYPTED_PAYLOAD, 20));
  const { changes } = await world.apply(plan);
  const live = await world.live();
  expect(live.flags[0]?.filters).toEqual({
    groups: [{ rollout_percentage: 20 }],
    payloads: { true: '"FIRST-SECRET"' },
  });
  expect(JSON.stringify([planDocument(plan), changes])).not.toMatch(SECRET);

  const { plan: undo, refused } = invertPlan(
    changes.map(({ change }) => ({ change })),
    live,
    planOptions(),
  );
  expect(refused).toEqual([]);
  await world.apply(undo);
  expect((await world.live()).flags[0]?.filters).toEqual({
    groups: [{ rollout_percentage: 10 }],
    payloads: { true: '"FIRST-SECRET"' },
  });
  expect(JSON.stringify(planDocument(undo))).not.toMatch(SECRET);
  await world.close();
});
