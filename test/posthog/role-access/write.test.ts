/** Granting and revoking one role: the look-up after a lost answer, and the number of attempts. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../../src/apply/apply-plan.ts';
import type { ApplyResult, Outcome } from '../../../src/apply/result.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { startLiar, type Liar, type Lie } from '../../helpers/liar.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../client/support/server.ts';

const [ROLE = '', OTHER_ROLE = ''] = ROLE_IDS;
const PAGE: Reply = { status: 200, body: '<html>' };
const SERVER_ERROR: Reply = { status: 500, body: { detail: 'Oh.' } };
const UNIQUE: Reply = { status: 400, body: { code: 'unique', detail: 'Twice.' } };
const FORBIDDEN: Reply = { status: 403, body: { detail: 'No.' } };
const NOT_FOUND: Reply = { status: 404, body: { detail: 'Not found.' } };

let world: World;
let flagId: number;
beforeEach(async () => {
  world = await startWorld('posthog');
  ({ id: flagId } = await world.client.createFlag({ key: 'a', filters: { groups: [{ rollout_percentage: 5 }] } }));
});
afterEach(() => world.close());

async function run(plan: Plan, { client }: Liar, options: Partial<ApplyOptions> = {}): Promise<Outcome[]> {
  const { changes }: ApplyResult = await applyPlan(plan, client, { concurrency: 1, ...options });
  return changes.map(({ result }) => result);
}

const writes = ({ seen }: Liar): string[] =>
  seen.flatMap(({ method, url, body }) =>
    method === 'GET' ? [] : [`${method} ${url.split('role_access/')[1]}${body}`],
  );

/** The n-th write gets the n-th reply and is not executed. With `blind`, reads fail from the first write on. */
function lies(replies: readonly Reply[], blind = false): (write: number) => Lie | undefined {
  let isWritten = false;
  return (write) => {
    isWritten ||= write > 0;
    if (write === 0) return isWritten && blind ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    const reply = replies[write - 1];
    return reply === undefined ? undefined : { reply, carriedOut: false };
  };
}

const failed = (code: string): object => ({ outcome: 'failed', error: { code } });
const unknown = (code: string): object => ({ outcome: 'unknown', error: { code } });

describe('a grant', () => {
  const planOf = (): Promise<Plan> => world.plan(desiredState(declared('a', {}, { roles: [ROLE] })));
  const POST = `POST {"role_id":"${ROLE}"}`;

  test.each<[string, readonly Reply[], boolean, object, number]>([
    ['lost once', [PAGE], false, { outcome: 'applied' }, 2],
    ['lost twice', [PAGE, SERVER_ERROR], false, { outcome: 'applied' }, 3],
    ['lost each time', [PAGE, PAGE, PAGE, PAGE], false, failed('invalid_answer'), 3],
    ['lost, and the look-up fails', [PAGE], true, unknown('invalid_answer'), 1],
    ['refused', [FORBIDDEN], false, failed('forbidden'), 1],
    ['lost, then refused', [PAGE, FORBIDDEN], false, failed('forbidden'), 2],
    ['refused as a duplicate that does not exist', [UNIQUE, UNIQUE, UNIQUE, UNIQUE], false, failed('unique'), 3],
    ['refused as a duplicate, and the look-up fails', [UNIQUE], true, failed('unique'), 1],
    ['not found', [NOT_FOUND], false, failed('not_found'), 1],
  ])('%s', async (_name, replies, blind, outcome, count) => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(replies, blind));
    expect(await run(plan, liar)).toMatchObject([outcome]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => POST));
    const entries = await world.client.listRoleAccess(flagId);
    expect(entries.map(({ role }) => role.id)).toEqual('error' in outcome ? [] : [ROLE]);
  });

  test('lost, then refused as a duplicate without a look-up, reports the lost attempt', async () => {
    const plan = await planOf();
    let asked = 0;
    const liar = await startLiar(world, (write) => {
      asked = Math.max(asked, write);
      if (write > 0) return { reply: write === 1 ? PAGE : UNIQUE, carriedOut: false };
      return asked === 2 ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    });
    expect(await run(plan, liar)).toMatchObject([unknown('invalid_answer')]);
  });

  test('whose answer was lost is applied with the id of its own entry', async () => {
    await world.client.createRoleAccess(flagId, OTHER_ROLE);
    const plan = await world.plan(desiredState(declared('a', {}, { roles: [ROLE, OTHER_ROLE] })));
    const liar = await startLiar(world, (write) => (write === 1 ? { reply: PAGE, carriedOut: true } : undefined));
    const [outcome] = await run(plan, liar);
    const entry = (await world.client.listRoleAccess(flagId)).find(({ role }) => role.id === ROLE);
    expect(outcome).toEqual({ outcome: 'applied', id: entry?.id });
  });

  test('to a flag that an earlier run created and that is missing fails with its key', async () => {
    const desired = desiredState(
      declared('b', { active: true, filters: { groups: [{ rollout_percentage: 5 }] } }, { roles: [ROLE] }),
    );
    const plan = await world.plan(desired);
    const liar = await startLiar(world, () => undefined);
    const earlier = {
      applied: new Map([['flag:b', { outcome: 'applied', id: 99 } as const]]),
      sent: new Set<string>(),
    };
    expect(await run(plan, liar, { earlier })).toEqual([
      { outcome: 'applied', id: 99 },
      { outcome: 'failed', error: { code: 'flag_missing', message: 'The flag b does not exist.' } },
    ]);
    expect(writes(liar)).toEqual([]);
  });
});

describe('a revoke', () => {
  const planOf = async (): Promise<Plan> => {
    await world.client.createRoleAccess(flagId, OTHER_ROLE);
    await world.client.createRoleAccess(flagId, ROLE);
    return world.plan(desiredState(declared('a', {}, { roles: [OTHER_ROLE] })));
  };
  const DELETE = 'DELETE 2/';

  test.each<[string, readonly Reply[], boolean, object, number]>([
    ['lost once', [PAGE], false, { outcome: 'applied', id: 2 }, 2],
    ['lost twice', [PAGE, PAGE], false, { outcome: 'applied', id: 2 }, 3],
    ['lost each time', [PAGE, PAGE, PAGE, PAGE], false, failed('invalid_answer'), 3],
    ['lost, and the look-up fails', [PAGE], true, unknown('invalid_answer'), 1],
    ['refused', [FORBIDDEN], false, failed('forbidden'), 1],
    ['lost, then refused', [PAGE, FORBIDDEN], false, failed('forbidden'), 2],
    [
      'answered with 404 although it exists',
      [NOT_FOUND, NOT_FOUND, NOT_FOUND, NOT_FOUND],
      false,
      failed('not_found'),
      3,
    ],
    ['answered with 404, and the look-up fails', [NOT_FOUND], true, failed('not_found'), 1],
    ['refused as a duplicate, which says nothing', [UNIQUE], false, failed('unique'), 1],
  ])('%s', async (_name, replies, blind, outcome, count) => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(replies, blind));
    expect(await run(plan, liar)).toMatchObject([outcome]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => DELETE));
    const entries = await world.client.listRoleAccess(flagId);
    expect(entries.map(({ role }) => role.id)).toEqual('error' in outcome ? [OTHER_ROLE, ROLE] : [OTHER_ROLE]);
  });

  test('that was executed is not sent again after a lost answer, whatever entries other roles have', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, (write) => (write === 1 ? { reply: PAGE, carriedOut: true } : undefined));
    expect(await run(plan, liar)).toEqual([{ outcome: 'applied', id: 2 }]);
    expect(writes(liar)).toEqual([DELETE]);
  });

  test('lost, then answered with 404 without a look-up, reports the lost attempt', async () => {
    const plan = await planOf();
    let asked = 0;
    const liar = await startLiar(world, (write) => {
      asked = Math.max(asked, write);
      if (write > 0) return { reply: write === 1 ? PAGE : NOT_FOUND, carriedOut: false };
      return asked === 2 ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    });
    expect(await run(plan, liar)).toMatchObject([unknown('invalid_answer')]);
  });
});

describe('the record of a write', () => {
  const plans: readonly (readonly [name: string, make: () => Promise<Plan>])[] = [
    ['grant', () => world.plan(desiredState(declared('a', {}, { roles: [ROLE] })))],
    [
      'revoke',
      async () => {
        await world.client.createRoleAccess(flagId, ROLE);
        return world.plan(desiredState(declared('a', {}, { roles: [] })));
      },
    ],
  ];

  test.each(plans)('is kept before each attempt of a %s, which is not sent without it', async (_name, make) => {
    const plan = await make();
    const liar = await startLiar(world, lies([PAGE]));
    const told: string[] = [];
    const recorder = {
      sending: async (): Promise<void> => {
        told.push('sending');
        if (told.length === 2) throw new FlagwrightError('file', 'disk full');
      },
      settled: () => undefined,
    };
    expect(await run(plan, liar, { recorder })).toMatchObject([
      { outcome: 'failed', error: { code: 'invalid_answer' } },
    ]);
    expect(told).toEqual(['sending', 'sending']);
    expect(writes(liar)).toHaveLength(1);
  });
});
