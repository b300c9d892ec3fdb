/** Writing one flag: the body, the look-up after a lost answer, and the number of attempts. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyPlan, type ApplyOptions } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyResult, Outcome } from '../../../src/loop/apply/result.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../../../service/src/index.ts';
import type { Change, Plan, UpdateFlag } from '../../../src/posthog/plan.ts';
import { planOff } from '../../../src/posthog/planning/off-plan.ts';
import { startLiar, type Liar, type Lie } from '../../helpers/liar.ts';
import { declared, dependsOn, desiredState, retired } from '../../helpers/states.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../client/support/server.ts';

const groups = (rollout: number): JsonObject => ({ groups: [{ properties: [], rollout_percentage: rollout }] });
const CONFLICT: Reply = { status: 409, body: { code: 'conflict', detail: 'Somebody was first.' } };
const UNIQUE: Reply = { status: 400, body: { code: 'unique', attr: 'key', detail: 'Taken.' } };
const PAGE: Reply = { status: 200, body: '<html>' };
const FORBIDDEN: Reply = { status: 403, body: { detail: 'No.' } };

let world: World;
const start = async (profile: Profile = 'posthog'): Promise<void> => {
  world = await startWorld(profile);
};
beforeEach(() => start());
afterEach(() => world.close());

async function run(
  plan: Plan,
  { client }: Pick<Liar, 'client'>,
  options: Partial<ApplyOptions> = {},
): Promise<ApplyResult> {
  return applyPlan(plan, client, { concurrency: 1, ...options });
}

const outcomesOf = ({ changes }: ApplyResult): Outcome[] => changes.map(({ result }) => result);

/** Bodies of the writes that were sent. */
function sent({ seen }: Liar): JsonObject[] {
  return seen.flatMap(({ method, body }) => (method === 'GET' ? [] : [JSON.parse(body) as JsonObject]));
}

/** The n-th write gets the n-th reply, whether it is executed or not; reads pass through. */
function lies(...replies: readonly (Reply | Lie | undefined)[]): (write: number) => Lie | undefined {
  return (write) => {
    const lie = write === 0 ? undefined : replies[write - 1];
    return lie === undefined || 'carriedOut' in lie ? lie : { reply: lie, carriedOut: false };
  };
}

const done = (reply: Reply): Lie => ({ reply, carriedOut: true });

describe('the body of an update', () => {
  test('has the version and the flag as it was just read, without the fields that reads add', async () => {
    const cohort = { key: 'id', type: 'cohort', operator: 'in', value: 42 };
    const filters = { groups: [{ properties: [cohort], rollout_percentage: 5 }] };
    const { id } = await world.client.createFlag({ key: 'a', name: 'old', filters });
    const plan = await world.plan(desiredState(declared('a', { name: 'new' })));
    await world.client.updateFlag(id, { name: 'old' });
    const before = await world.client.getFlag(id);
    expect(JSON.stringify(before)).toContain('cohort_name');
    const liar = await startLiar(world, () => undefined);
    await run(plan, liar);
    const [body = {}] = sent(liar);
    expect(body).toMatchObject({ name: 'new', version: before['version'] });
    const original = body['original_flag'] as JsonObject;
    expect(original).toMatchObject({ id, key: 'a', name: 'old', version: before['version'] });
    expect(JSON.stringify(original)).not.toContain('cohort_name');
  });

  test('has no version and no original flag if the flag has no version', async () => {
    await world.close();
    await start('documented');
    await world.client.createFlag({ key: 'a', name: 'old', filters: groups(5) });
    const plan = await world.plan(desiredState(declared('a', { name: 'new' })));
    const liar = await startLiar(world, () => undefined);
    await run(plan, liar);
    expect(sent(liar)).toEqual([{ name: 'new' }]);
  });

  test('has the current flag after a conflict over a field that the plan does not compare', async () => {
    const { id } = await world.client.createFlag({ key: 'a', filters: groups(1) });
    const plan = await world.plan(desiredState(declared('a', { filters: groups(50) })));
    // The same conditions in another form: an edit to the service, but no change.
    const rewritten = { groups: [{ properties: [], rollout_percentage: 1, variant: null }] };
    const liar = await startLiar(world, async (write) => {
      if (write === 1) await world.client.updateFlag(id, { filters: rewritten });
      return undefined;
    });
    expect(outcomesOf(await run(plan, liar))).toEqual([{ outcome: 'applied', id }]);
    const [first, second, ...others] = sent(liar);
    expect(others).toEqual([]);
    expect(second?.['version']).toBe(Number(first?.['version']) + 1);
    expect(second).toMatchObject({ original_flag: { filters: rewritten } });
  });
});

describe('an update', () => {
  const prepare = async (wanted: JsonObject = { name: 'new' }): Promise<{ id: number; plan: Plan }> => {
    const { id } = await world.client.createFlag({ key: 'a', name: 'old', filters: groups(1) });
    return { id, plan: await world.plan(desiredState(declared('a', wanted))) };
  };

  test('is tried three times and fails with the service’s error if it conflicts and nothing has moved', async () => {
    const { plan } = await prepare();
    const liar = await startLiar(world, lies(CONFLICT, CONFLICT, CONFLICT, CONFLICT));
    expect(outcomesOf(await run(plan, liar))).toEqual([
      { outcome: 'failed', error: { code: 'conflict', message: 'Somebody was first.', status: 409 } },
    ]);
    expect(sent(liar)).toHaveLength(3);
  });

  test('is applied if the third attempt succeeds', async () => {
    const { id, plan } = await prepare();
    const liar = await startLiar(world, lies(CONFLICT, PAGE));
    expect(outcomesOf(await run(plan, liar))).toEqual([{ outcome: 'applied', id }]);
    expect(sent(liar)).toHaveLength(3);
  });

  test('that is refused is not looked up', async () => {
    const { plan } = await prepare();
    const liar = await startLiar(world, lies(FORBIDDEN));
    const { requests } = await run(plan, liar);
    // The list at the start, and the one write.
    expect(requests).toBe(2);
  });

  test('is unknown if its answer was lost and another user overwrote it', async () => {
    const { id, plan } = await prepare();
    const liar = await startLiar(world, async (write) => {
      if (write !== 1) return undefined;
      await world.client.updateFlag(id, { name: 'theirs' });
      return { reply: PAGE, carriedOut: false };
    });
    expect(outcomesOf(await run(plan, liar))).toMatchObject([
      { outcome: 'unknown', error: { code: 'invalid_answer' } },
    ]);
    expect(sent(liar)).toHaveLength(1);
  });

  test('reports the lost attempt if the next conflicts and the look-up fails', async () => {
    const { plan } = await prepare();
    const liar = await startLiar(world, (write, { url }) => {
      if (write === 1) return { reply: PAGE, carriedOut: false };
      if (write === 2) isBlind = true;
      return write === 2 || (isBlind && url.includes('/feature_flags/'))
        ? { reply: CONFLICT, carriedOut: false }
        : undefined;
    });
    let isBlind = false;
    expect(outcomesOf(await run(plan, liar))).toMatchObject([
      { outcome: 'unknown', error: { code: 'invalid_answer' } },
    ]);
  });

  test('fails if it conflicts and the look-up fails', async () => {
    const { plan } = await prepare();
    let isBlind = false;
    const liar = await startLiar(world, (write) => {
      isBlind ||= write === 1;
      return isBlind ? { reply: CONFLICT, carriedOut: false } : undefined;
    });
    expect(outcomesOf(await run(plan, liar))).toMatchObject([{ outcome: 'failed', error: { code: 'conflict' } }]);
    expect(sent(liar)).toHaveLength(1);
  });

  test.each<[string, Reply, object]>([
    ['a conflict: it has moved', CONFLICT, { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '' }] } }],
    ['a lost answer', PAGE, { outcome: 'unknown', error: { code: 'invalid_answer' } }],
  ])('of a flag that is missing after %s', async (_name, reply, outcome) => {
    const { plan } = await prepare();
    let isGone = false;
    const liar = await startLiar(world, (write) => {
      isGone ||= write === 1;
      if (!isGone) return undefined;
      return { reply: write === 1 ? reply : { status: 404, body: { detail: 'Not found.' } }, carriedOut: false };
    });
    expect(outcomesOf(await run(plan, liar))).toMatchObject([outcome]);
  });

  test('that deletes a flag is applied if the flag is missing after a lost answer', async () => {
    const { id } = await prepare();
    const plan = await world.plan(desiredState(retired('a')));
    let isGone = false;
    const liar = await startLiar(world, (write) => {
      isGone ||= write === 1;
      if (!isGone) return undefined;
      return { reply: write === 1 ? PAGE : { status: 404, body: { detail: 'Not found.' } }, carriedOut: true };
    });
    expect(outcomesOf(await run(plan, liar))).toEqual([{ outcome: 'applied', id }]);
  });

  test('is not sent if a dependency does not exist', async () => {
    await prepare();
    const plan = await world.plan(desiredState(declared('a', { filters: dependsOn('nowhere') })));
    const liar = await startLiar(world, () => undefined);
    expect(outcomesOf(await run(plan, liar))).toEqual([
      {
        outcome: 'failed',
        error: {
          code: 'dependency_missing',
          message: 'A condition names the flag nowhere, which does not exist.',
          field: 'filters',
        },
      },
    ]);
    expect(sent(liar)).toEqual([]);
  });
});

describe('a change that turns a flag off and leaves all else to others', () => {
  /** Method and action of each write that one change was sent as. */
  const sentAs = async (fields: JsonObject, edit: (change: UpdateFlag) => UpdateFlag): Promise<readonly string[]> => {
    const { id } = await world.client.createFlag({ key: 'a', active: true, filters: groups(5), ...fields });
    const { plan } = planOff({ flags: [await world.client.getFlag(id)], atZero: [], named: [] });
    const liar = await startLiar(world, () => undefined);
    const changes = plan.changes.map((change) => (isUpdateFlag(change) ? edit(change) : change));
    expect(outcomesOf(await run({ ...plan, changes }, liar))).toEqual([{ outcome: 'applied', id }]);
    return liar.seen.flatMap(({ method, url }) =>
      method === 'GET' ? [] : [`${method} ${url.endsWith('/disable/') ? 'disable' : 'update'}`],
    );
  };
  const isUpdateFlag = (change: Change): change is UpdateFlag =>
    change.resource === 'flag' && change.action === 'update';

  test('uses the action of the service', async () => {
    expect(await sentAs({}, (change) => change)).toEqual(['POST disable']);
  });

  test.each<[string, (change: UpdateFlag) => UpdateFlag]>([
    [
      'it writes more than that',
      ({ fields, body, ...change }) => ({
        ...change,
        fields: [...fields, { path: '/name', after: 'off' }],
        body: { ...body, name: 'off' },
      }),
    ],
    ['the plan was made of more than that', (change) => ({ ...change, keeps: [] })],
    ['it turns the flag on', (change) => ({ ...change, body: { active: true } })],
  ])('is an update where %s', async (_, edit) => {
    expect(await sentAs({}, edit)).toEqual(['PATCH update']);
  });

  test('is an update where the service has no such action', async () => {
    await world.close();
    await start('documented');
    expect(await sentAs({}, (change) => change)).toEqual(['PATCH update']);
  });
});

describe.each(['documented', 'posthog'] as const)('a create (%s)', (profile) => {
  beforeEach(async () => {
    await world.close();
    await start(profile);
  });

  const FLAG = { name: 'ours', active: true, filters: groups(5) };
  const planOf = (fields: JsonObject = FLAG): Promise<Plan> => world.plan(desiredState(declared('a', fields)));

  test('is found under its exact key if its answer was lost, despite a key that differs in case', async () => {
    await world.client.createFlag({ key: 'A', ...FLAG });
    const plan = await planOf();
    const liar = await startLiar(world, lies(PAGE));
    const [outcome] = outcomesOf(await run(plan, liar));
    const flags = await world.client.listFlags();
    expect(flags.map(({ key }) => key).sort()).toEqual(['A', 'a']);
    expect(outcome).toEqual({ outcome: 'applied', id: flags.find(({ key }) => key === 'a')?.id });
    expect(sent(liar)).toHaveLength(2);
  });

  test('is not found in a deleted flag if its answer was lost, even if the service lists deleted flags', async () => {
    const plan = await planOf();
    let isLost = false;
    const deleted = { id: 99, key: 'a', ...FLAG, deleted: true };
    const liar = await startLiar(world, (write) => {
      if (write === 1) {
        isLost = true;
        return { reply: PAGE, carriedOut: false };
      }
      const isLookUp = write === 0 && isLost;
      if (write > 1) isLost = false;
      return isLookUp
        ? { reply: { status: 200, body: { count: 1, results: [deleted] } }, carriedOut: false }
        : undefined;
    });
    const [outcome] = outcomesOf(await run(plan, liar));
    expect(outcome).toEqual({ outcome: 'applied', id: (await world.client.listFlags())[0]?.id });
    expect(sent(liar)).toHaveLength(2);
  });

  test('is tried three times if every answer is lost and no look-up finds the flag', async () => {
    const liar = await startLiar(world, lies(PAGE, PAGE, PAGE, PAGE));
    expect(outcomesOf(await run(await planOf(), liar))).toMatchObject([
      { outcome: 'failed', error: { code: 'invalid_answer' } },
    ]);
    expect(sent(liar)).toHaveLength(3);
  });

  test('is found if it was executed late and the next attempt is refused', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, async (write) => {
      if (write === 2) await world.client.createFlag({ key: 'a', ...FLAG });
      return write === 1 ? { reply: PAGE, carriedOut: false } : undefined;
    });
    const [flag] = [outcomesOf(await run(plan, liar)), await world.client.listFlags()].flat();
    expect(flag).toMatchObject({ outcome: 'applied' });
    expect(flag).not.toHaveProperty('already');
    expect(sent(liar)).toHaveLength(2);
  });

  test('fails with the service’s error if another user took the key', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, async (write) => {
      if (write === 1) await world.client.createFlag({ key: 'a', ...FLAG, name: 'theirs' });
      return undefined;
    });
    expect(outcomesOf(await run(plan, liar))).toMatchObject([
      { outcome: 'failed', error: { code: 'unique', field: 'key' } },
    ]);
    expect(sent(liar)).toHaveLength(1);
  });

  test.each<[string, boolean]>([
    ['that finds no flag', false],
    ['that fails', true],
  ])('fails if its key is reported as taken, with a look-up %s', async (_name, isBlind) => {
    const plan = await planOf();
    let isRefused = false;
    const liar = await startLiar(world, (write) => {
      isRefused ||= write === 1;
      if (write === 1) return { reply: UNIQUE, carriedOut: false };
      return isRefused && isBlind ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    });
    expect(outcomesOf(await run(plan, liar))).toEqual([
      { outcome: 'failed', error: { code: 'unique', message: 'Taken.', status: 400, field: 'key' } },
    ]);
    expect(sent(liar)).toHaveLength(1);
  });

  test('that is refused is not looked up', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(FORBIDDEN));
    const before = liar.seen.length;
    const result = await run(plan, liar);
    expect(outcomesOf(result)).toMatchObject([{ outcome: 'failed', error: { code: 'forbidden' } }]);
    const after = liar.seen.slice(before);
    expect(after.findIndex(({ method }) => method === 'POST')).toBe(after.length - 1);
  });
});

describe('a flag that is created disabled and then enabled, since both need an approval,', () => {
  const SEVERAL: Reply = { status: 400, body: { code: 'policy_conflict', detail: 'Several approvals.' } };
  const FLAG = { name: 'ours', active: true, filters: groups(5) };
  const plan = (): Promise<Plan> => world.plan(desiredState(declared('a', FLAG)));
  const actives = (liar: Liar): unknown[] => sent(liar).map((body) => body['active']);

  test('is applied if the answer to the enabling was lost', async () => {
    const liar = await startLiar(world, lies(SEVERAL, undefined, done(PAGE)));
    expect(outcomesOf(await run(await plan(), liar))).toMatchObject([{ outcome: 'applied' }]);
    expect(actives(liar)).toEqual([true, false, true]);
    expect(await world.client.listFlags()).toMatchObject([{ key: 'a', ...FLAG }]);
  });

  test('is enabled again if the enabling was lost before the service had it', async () => {
    const liar = await startLiar(world, lies(SEVERAL, undefined, PAGE));
    expect(outcomesOf(await run(await plan(), liar))).toMatchObject([{ outcome: 'applied' }]);
    expect(actives(liar)).toEqual([true, false, true, true]);
  });

  test('is not said to be applied if somebody else changed it while the answer was lost', async () => {
    const made = await plan();
    const liar = await startLiar(world, async (write) => {
      if (write === 1) return { reply: SEVERAL, carriedOut: false };
      if (write !== 3) return undefined;
      const [flag] = await world.client.listFlags();
      await world.client.updateFlag(flag?.id as number, { active: true, filters: groups(99) });
      return { reply: PAGE, carriedOut: false };
    });
    const [outcome] = outcomesOf(await run(made, liar));
    expect(outcome?.outcome).not.toBe('applied');
    expect(actives(liar)).toEqual([true, false, true]);
    expect(await world.client.listFlags()).toMatchObject([{ filters: groups(99) }]);
  });
});

test('a create that a look-up found provides its id to its dependents', async () => {
  const plan = await world.plan(
    desiredState(
      declared('a', { active: true, filters: groups(5) }),
      declared('b', { active: true, filters: dependsOn('a') }),
    ),
  );
  const liar = await startLiar(world, lies(done(PAGE)));
  expect(await run(plan, liar)).toMatchObject({ outcomes: { applied: 2 }, remainder: [] });
  const [, second] = sent(liar);
  const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'a');
  expect(second).toMatchObject({ filters: { groups: [{ properties: [{ key: String(flag?.id) }] }] } });
});

test('the create of an archived flag is looked up in the archive if its answer was lost', async () => {
  const plan = await world.plan(desiredState(declared('a', { active: false, archived: true, filters: groups(5) })));
  const liar = await startLiar(world, lies(done(PAGE)));
  expect(await run(plan, liar)).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
  expect(sent(liar)).toHaveLength(1);
});

describe('the record of a write', () => {
  const recording = (onSending: () => Promise<void>): { told: string[]; options: Partial<ApplyOptions> } => {
    const told: string[] = [];
    return {
      told,
      options: {
        recorder: {
          sending: (change: Change) => {
            told.push(`sending ${change.ref}`);
            return onSending();
          },
          settled: (change, { outcome }) => void told.push(`${outcome} ${change.ref}`),
        },
      },
    };
  };

  const plans: readonly (readonly [name: string, make: () => Promise<Plan>])[] = [
    ['create', () => world.plan(desiredState(declared('a', { filters: groups(5) })))],
    [
      'update',
      async () => {
        await world.client.createFlag({ key: 'a', name: 'old', filters: groups(5) });
        return world.plan(desiredState(declared('a', { name: 'new' })));
      },
    ],
  ];

  test.each(plans)('is made before each attempt of a %s', async (_name, make) => {
    const plan = await make();
    const liar = await startLiar(world, lies(PAGE));
    const { told, options } = recording(() => Promise.resolve());
    await run(plan, liar, options);
    expect(told).toEqual(['sending flag:a', 'sending flag:a', 'applied flag:a']);
  });

  test.each(plans)('prevents sending a %s if it cannot be made', async (_name, make) => {
    const plan = await make();
    const liar = await startLiar(world, () => undefined);
    const { told, options } = recording(() => Promise.reject(new FlagwrightError('file', 'disk full')));
    expect(outcomesOf(await run(plan, liar, options))).toEqual([
      { outcome: 'skipped', reason: { code: 'not_recorded' } },
    ]);
    expect(sent(liar)).toEqual([]);
    expect(told).toEqual(['sending flag:a', 'skipped flag:a']);
  });
});
