/** Setting one level: the look-up after a lost answer, and the number of attempts. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import { grantRole, rolesOf } from '../../helpers/access.ts';
import { startLiar, type Lie } from '../../helpers/liar.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../client/support/server.ts';

const [ROLE = ''] = ROLE_IDS;
const PAGE: Reply = { status: 200, body: '<html>' };
const FORBIDDEN: Reply = { status: 403, body: { detail: 'No.' } };
const NOT_FOUND: Reply = { status: 404, body: { detail: 'Not found.' } };

let world: World;
let flagId: number;
beforeEach(async () => {
  world = await startWorld('posthog');
  ({ id: flagId } = await world.client.createFlag({ key: 'a', filters: { groups: [{ rollout_percentage: 5 }] } }));
});
afterEach(() => world.close());

/** Applies the only change; the n-th write gets the n-th reply. With `made`, the service makes it all the same. */
async function run(
  flag: DeclaredFlag,
  replies: readonly Reply[],
  { made = false, blind = false } = {},
): Promise<{ readonly outcome: Outcome | undefined; readonly writes: number }> {
  const plan = await world.plan(desiredState(flag));
  expect(plan.changes).toHaveLength(1);
  let isWritten = false;
  const lie = (write: number): Lie | undefined => {
    isWritten ||= write > 0;
    if (write === 0) return isWritten && blind ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    const reply = replies[write - 1];
    return reply === undefined ? undefined : { reply, carriedOut: made };
  };
  const liar = await startLiar(world, lie);
  const { changes } = await applyPlan(plan, liar.client, { concurrency: 1 });
  return { outcome: changes[0]?.result, writes: liar.seen.filter(({ method }) => method === 'PUT').length };
}

const granted = declared('a', {}, { roles: [ROLE] });
const failed = (code: string): object => ({ outcome: 'failed', error: { code } });

test.each<[string, readonly Reply[], object, object, number]>([
  ['its answer is lost once', [PAGE], {}, { outcome: 'applied' }, 2],
  ['its answer is lost and the service made it', [PAGE], { made: true }, { outcome: 'applied' }, 1],
  ['every answer is lost', [PAGE, PAGE, PAGE, PAGE], {}, failed('invalid_answer'), 3],
  ['its answer is lost and the look-up fails', [PAGE], { blind: true }, { outcome: 'unknown' }, 1],
  ['it is refused', [FORBIDDEN], {}, failed('forbidden'), 1],
  ['its flag is not found', [NOT_FOUND], {}, failed('not_found'), 1],
])('a grant has the expected outcome and number of attempts when %s', async (_name, replies, how, outcome, count) => {
  const made = await run(granted, replies, how);
  expect(made.outcome).toMatchObject(outcome);
  expect(made.writes).toBe(count);
  if (made.outcome?.outcome === 'applied') expect(await rolesOf(world.client, flagId)).toEqual([ROLE]);
});

test('a revoke whose answer is lost is looked up, and sent again only if it was not made', async () => {
  await grantRole(world.client, flagId, ROLE);
  expect(await run(declared('a', {}, { roles: [] }), [PAGE], { made: true })).toMatchObject({
    outcome: { outcome: 'applied', id: flagId },
    writes: 1,
  });
  await grantRole(world.client, flagId, ROLE);
  expect(await run(declared('a', {}, { roles: [] }), [PAGE])).toMatchObject({
    outcome: { outcome: 'applied' },
    writes: 2,
  });
  expect(await rolesOf(world.client, flagId)).toEqual([]);
});

test('a level of a flag that the plan creates is set on the new flag', async () => {
  const flag = declared('b', { filters: { groups: [{ rollout_percentage: 1 }] } }, { roles: [ROLE] });
  expect((await world.apply(await world.plan(desiredState(flag)))).outcomes).toMatchObject({ applied: 2 });
  const { id = 0 } = (await world.client.listFlags()).find(({ key }) => key === 'b') ?? {};
  expect(await rolesOf(world.client, id)).toEqual([ROLE]);
});
