/** Granting and revoking one role: the look-up after a lost answer, and the number of attempts. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyResult, Outcome } from '../../../src/loop/apply/result.ts';
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
  world = await startWorld('documented');
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
    ['its answer is lost once', [PAGE], false, { outcome: 'applied' }, 2],
    ['its answer is lost twice', [PAGE, SERVER_ERROR], false, { outcome: 'applied' }, 3],
    ['every answer is lost', [PAGE, PAGE, PAGE, PAGE], false, failed('invalid_answer'), 3],
    ['its answer is lost and the look-up fails', [PAGE], true, unknown('invalid_answer'), 1],
    ['it is refused', [FORBIDDEN], false, failed('forbidden'), 1],
    ['its answer is lost and the next attempt is refused', [PAGE, FORBIDDEN], false, failed('forbidden'), 2],
    ['it is refused as a duplicate of a missing entry', [UNIQUE, UNIQUE, UNIQUE, UNIQUE], false, failed('unique'), 3],
    ['it is refused as a duplicate and the look-up fails', [UNIQUE], true, failed('unique'), 1],
    ['its flag is not found', [NOT_FOUND], false, failed('not_found'), 1],
  ])('has the expected outcome and number of attempts when %s', async (_name, replies, blind, outcome, count) => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(replies, blind));
    expect(await run(plan, liar)).toMatchObject([outcome]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => POST));
    const entries = await world.client.listRoleAccess(flagId);
    expect(entries.map(({ role }) => role.id)).toEqual('error' in outcome ? [] : [ROLE]);
  });

  test('reports the lost attempt if the next is refused as a duplicate and the look-up fails', async () => {
    const plan = await planOf();
    let asked = 0;
    const liar = await startLiar(world, (write) => {
      asked = Math.max(asked, write);
      if (write > 0) return { reply: write === 1 ? PAGE : UNIQUE, carriedOut: false };
      return asked === 2 ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    });
    expect(await run(plan, liar)).toMatchObject([unknown('invalid_answer')]);
  });

  test('is applied with the id of its own entry if its answer was lost', async () => {
    await world.client.createRoleAccess(flagId, OTHER_ROLE);
    const plan = await world.plan(desiredState(declared('a', {}, { roles: [ROLE, OTHER_ROLE] })));
    const liar = await startLiar(world, (write) => (write === 1 ? { reply: PAGE, carriedOut: true } : undefined));
    const [outcome] = await run(plan, liar);
    const entry = (await world.client.listRoleAccess(flagId)).find(({ role }) => role.id === ROLE);
    expect(outcome).toEqual({ outcome: 'applied', id: entry?.id });
  });

  test('fails with the flag key if the flag that an earlier run created is missing', async () => {
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
    ['its answer is lost once', [PAGE], false, { outcome: 'applied', id: 2 }, 2],
    ['its answer is lost twice', [PAGE, PAGE], false, { outcome: 'applied', id: 2 }, 3],
    ['every answer is lost', [PAGE, PAGE, PAGE, PAGE], false, failed('invalid_answer'), 3],
    ['its answer is lost and the look-up fails', [PAGE], true, unknown('invalid_answer'), 1],
    ['it is refused', [FORBIDDEN], false, failed('forbidden'), 1],
    ['its answer is lost and the next attempt is refused', [PAGE, FORBIDDEN], false, failed('forbidden'), 2],
    [
      'it is answered with 404 although its entry exists',
      [NOT_FOUND, NOT_FOUND, NOT_FOUND, NOT_FOUND],
      false,
      failed('not_found'),
      3,
    ],
    ['it is answered with 404 and the look-up fails', [NOT_FOUND], true, failed('not_found'), 1],
    ['it is refused as a duplicate', [UNIQUE], false, failed('unique'), 1],
  ])('has the expected outcome and number of attempts when %s', async (_name, replies, blind, outcome, count) => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(replies, blind));
    expect(await run(plan, liar)).toMatchObject([outcome]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => DELETE));
    const entries = await world.client.listRoleAccess(flagId);
    expect(entries.map(({ role }) => role.id)).toEqual('error' in outcome ? [OTHER_ROLE, ROLE] : [OTHER_ROLE]);
  });

  test('is not sent again if it was executed and its answer was lost', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, (write) => (write === 1 ? { reply: PAGE, carriedOut: true } : undefined));
    expect(await run(plan, liar)).toEqual([{ outcome: 'applied', id: 2 }]);
    expect(writes(liar)).toEqual([DELETE]);
  });

  test('reports the lost attempt if the next is answered with 404 and the look-up fails', async () => {
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

  test.each(plans)('is made before each attempt of a %s, which is not sent if recording fails', async (_name, make) => {
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
