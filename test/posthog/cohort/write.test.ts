/** Writing one cohort: the look-up after a lost answer, what others did meanwhile, and the number of attempts. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';
import { COHORTS } from '../../../src/posthog/cohort/family.ts';
import { cohortWriter } from '../../../src/posthog/cohort/write.ts';
import type { RunState } from '../../../src/posthog/run-state.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { desiredOf } from '../../helpers/cohorts.ts';
import { startLiar, type Liar, type Lie } from '../../helpers/liar.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../client/support/server.ts';
import { dropped, failed, FORBIDDEN, lies, LOST, PAGE, run, unknown, writesTo } from '../lies.ts';

const INVALID: Reply = { status: 400, body: { type: 'validation_error', code: 'invalid', detail: 'No.' } };
const definition = (value: string): JsonObject => ({
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
});
const PRO = { name: 'Beta', filters: definition('pro') };
const FREE = { name: 'Beta', filters: definition('free') };

let world: World;
beforeEach(async () => {
  world = await startWorld('posthog');
});
afterEach(() => world.close());

const writes = (liar: Liar): string[] => writesTo('cohorts', liar);
const named = async (): Promise<readonly unknown[]> =>
  (await world.client.listCohorts()).filter(({ name }) => name === 'Beta').map(({ filters }) => filters);

describe('a create', () => {
  const planOf = (): Promise<Plan> => world.plan(desiredOf({ cohorts: { beta: PRO }, flags: {} }));
  const create = (fields: JsonObject) => () => world.client.createCohort(fields);

  test.each<[string, readonly Lie[], Parameters<typeof lies>[1], object, number, number]>([
    ['nothing happens', [], {}, { outcome: 'applied' }, 1, 1],
    ['its answer is lost', [LOST], {}, { outcome: 'applied' }, 2, 1],
    ['only its answer is lost', [{ reply: PAGE, carriedOut: true }], {}, { outcome: 'applied' }, 1, 1],
    ['it is refused', [dropped(FORBIDDEN)], {}, failed('forbidden'), 1, 0],
    ['it is invalid', [dropped(INVALID)], {}, failed('invalid'), 1, 0],
    ['its answer is lost and the look-up fails', [LOST], { blind: true }, unknown('invalid_answer'), 1, 0],
    [
      'its answer is lost while another process creates the same',
      [LOST],
      { meanwhile: () => create(PRO)() },
      { outcome: 'applied' },
      1,
      1,
    ],
    [
      'its answer is lost while another process creates another with its name',
      [LOST],
      { meanwhile: () => create(FREE)() },
      unknown('invalid_answer'),
      1,
      1,
    ],
    [
      'another process creates the same first, so that its own goes',
      [],
      { meanwhile: () => create(PRO)() },
      { outcome: 'applied', already: true },
      2,
      1,
    ],
    [
      'another process creates another with its name, so that neither goes',
      [],
      { meanwhile: () => create(FREE)() },
      unknown('name_shared'),
      1,
      2,
    ],
  ])('when %s has its outcome, number of writes and of cohorts', async (_, replies, more, outcome, count, held) => {
    const plan = await planOf();
    const liar = await startLiar(world, lies(replies, more));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: outcome }]);
    expect(writes(liar)).toHaveLength(count);
    expect(await named()).toHaveLength(held);
  });

  test('is not sent where another process took the name after the plan was made', async () => {
    const plan = await planOf();
    await world.client.createCohort(FREE);
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name', after: 'Beta' }] } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('is named with both ids where two have the name', async () => {
    const plan = await planOf();
    const liar = await startLiar(world, lies([], { meanwhile: create(FREE) }));
    const [change] = (await run(plan, liar)).changes;
    const ids = (await world.client.listCohorts()).flatMap(({ id, name }) => (name === 'Beta' ? [id] : []));
    expect(change?.result).toMatchObject({
      error: { message: expect.stringContaining(`there are 2 (ids ${ids.toSorted((a, b) => a - b).join(', ')})`) },
    });
  });

  test('that names a cohort which failed is skipped, and one of two that does not is made', async () => {
    const inner = { properties: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 'beta' }] } };
    const cohorts = { beta: PRO, outer: { filters: inner }, another: { filters: definition('free') } };
    const plan = await world.plan(desiredOf({ cohorts, flags: {} }));
    const first = plan.changes.findIndex(({ key }) => key === 'beta') + 1;
    const liar = await startLiar(world, (write) => Promise.resolve(write === first ? dropped(FORBIDDEN) : undefined));
    const outcomes = Object.fromEntries(
      (await run(plan, liar)).changes.map(({ change, result }) => [change.key, result.outcome]),
    );
    expect(outcomes).toEqual({ beta: 'failed', outer: 'skipped', another: 'applied' });
  });
});

describe.each<[string, JsonObject, JsonObject]>([
  ['an update', { cohorts: { beta: FREE }, flags: {} }, FREE],
  ['a delete', { cohorts: { beta: { name: 'Beta', deleted: true } }, flags: {} }, { deleted: true }],
])('%s', (_what, manifest, wanted) => {
  let id: number;
  let plan: Plan;
  beforeEach(async () => {
    ({ id } = await world.client.createCohort(PRO));
    await world.client.createCohort({ name: 'Another', filters: definition('pro') });
    plan = await world.plan(desiredOf(manifest));
    expect(plan.changes).toHaveLength(1);
  });

  test.each<[string, readonly Lie[], boolean, object, number]>([
    ['nothing happens', [], false, { outcome: 'applied' }, 1],
    ['its answer is lost', [LOST], false, { outcome: 'applied' }, 2],
    ['only its answer is lost', [{ reply: PAGE, carriedOut: true }], false, { outcome: 'applied' }, 1],
    ['every answer is lost', [LOST, LOST, LOST, LOST], false, failed('invalid_answer'), 3],
    ['it is refused', [dropped(FORBIDDEN)], false, failed('forbidden'), 1],
    ['its answer is lost and the look-up fails', [LOST], true, unknown('invalid_answer'), 1],
  ])('when %s has its outcome, and is sent to its cohort so many times', async (_, replies, blind, outcome, count) => {
    const liar = await startLiar(world, lies(replies, { blind }));
    const { changes, remainder } = await run(plan, liar);
    expect(changes).toMatchObject([{ result: 'error' in outcome ? outcome : { ...outcome, id } }]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => `PATCH ${id}/`));
    expect(await world.client.getCohort(id)).toMatchObject('error' in outcome ? PRO : wanted);
    expect(remainder).toEqual([]);
  });

  test('is not sent over what another user did since the plan', async () => {
    await world.client.updateCohort(id, { filters: definition('team') });
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: { outcome: 'skipped' } }]);
    expect(writes(liar)).toEqual([]);
    expect(await world.client.getCohort(id)).toMatchObject({ filters: definition('team') });
  });

  test('that the service accepts and does not store is reported as a remainder', async () => {
    const stored = await world.client.getCohort(id);
    const liar = await startLiar(world, lies([dropped({ status: 200, body: stored })]));
    const { remainder } = await run(plan, liar);
    expect(new Set(remainder.map(({ key, path }) => `${key} ${path.split('/')[1]}`))).toEqual(
      new Set([`beta ${Object.keys(wanted).at(-1)}`]),
    );
  });
});

describe('reading back', () => {
  const changeOf = (id: number): CohortChange => ({
    action: 'update',
    resource: 'cohort',
    ref: `cohort:c${id}`,
    key: `c${id}`,
    id,
    fields: [],
    body: { description: 'New.' },
    base: { cohort: {}, former: {} },
    needs: [],
  });
  const open = (changes: readonly CohortChange[]) => COHORTS.openRun({ flags: [], roleAccess: {} }, changes, {});

  test('one cohort that is gone, or of two the one that the list no longer has, is not found', async () => {
    const { id } = await world.client.createCohort({ name: 'A', description: 'New.', filters: definition('pro') });
    const left = async (...ids: number[]): Promise<unknown> => {
      const changes = ids.map(changeOf);
      const state = { cohorts: open(changes) } as unknown as RunState;
      const remainders = await cohortWriter.readBack(changes, { client: world.client, state, total: changes.length });
      return remainders.map(({ key, reason }) => [key, reason]);
    };
    expect(await left(id)).toEqual([]);
    expect(await left(999)).toEqual([['c999', 'not_found']]);
    expect(await left(id, 999)).toEqual([['c999', 'not_found']]);
  });
});

describe('a rename', () => {
  const NEW = { name: 'New', previous_names: ['Beta'], filters: definition('pro') };
  const planRename = (): Promise<Plan> => world.plan(desiredOf({ cohorts: { beta: NEW }, flags: {} }));
  let id: number;
  beforeEach(async () => {
    ({ id } = await world.client.createCohort(PRO));
  });

  test('is not made to a name that another cohort gets during the run', async () => {
    const plan = await planRename();
    let reads = 0;
    const liar = await startLiar(world, async (write) => {
      if (write === 0) reads += 1;
      if (write === 0 && reads === 2) await world.client.createCohort({ name: 'New', filters: definition('free') });
      return undefined;
    });
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name', after: 'New' }] } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('is not made to a name that another cohort got since the plan', async () => {
    const plan = await planRename();
    await world.client.createCohort({ name: 'New', filters: definition('free') });
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name', after: 'New' }] } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('is made to a name that another cohort gives up in the same run', async () => {
    const other = await world.client.createCohort({ name: 'Other', filters: definition('free') });
    const names = async (): Promise<readonly unknown[]> =>
      Promise.all([id, other.id].map(async (one) => (await world.client.getCohort(one)).name));
    const swapped = { beta: { ...PRO, name: 'Other' }, other: { ...FREE, name: 'Beta' } };
    const ids = { beta: id, other: other.id };
    const plan = await world.plan(desiredOf({ cohorts: swapped, flags: {} }, ids));
    expect((await run(plan, await startLiar(world, lies([])))).changes).toMatchObject([
      { change: { base: { namesakes: [other.id] } }, result: { outcome: 'applied' } },
      { change: { base: { namesakes: [id] } }, result: { outcome: 'applied' } },
    ]);
    expect(await names()).toEqual(['Other', 'Beta']);
  });

  test('is not made of a cohort that is gone', async () => {
    const plan = await planRename();
    await world.client.updateCohort(id, { deleted: true });
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale' } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('changes the name of its own cohort alone', async () => {
    const liar = await startLiar(world, lies([]));
    expect((await run(await planRename(), liar)).changes).toMatchObject([{ result: { outcome: 'applied', id } }]);
    expect(await world.client.getCohort(id)).toMatchObject({ name: 'New', filters: definition('pro') });
  });
});

test.each([
  ['taken', true, 'skipped'],
  ['free', false, 'applied'],
])(
  'a restored cohort has its name again, unless another user took it since the plan: %s',
  async (_, isTaken, outcome) => {
    const { id } = await world.client.createCohort(PRO);
    await world.client.updateCohort(id, { deleted: true });
    const plan = await world.plan(
      desiredOf({ cohorts: { beta: { filters: definition('free') } }, flags: {} }, { beta: id }),
    );
    expect(plan.changes).toMatchObject([{ action: 'restore', id }]);
    if (isTaken) await world.client.createCohort(PRO);
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: { outcome } }]);
    expect(writes(liar)).toHaveLength(isTaken ? 0 : 1);
    expect(await named()).toHaveLength(1);
  },
);

test('a condition on a cohort that does not exist is not sent', async () => {
  const change: CohortChange = {
    action: 'create',
    resource: 'cohort',
    ref: 'cohort:outer',
    key: 'outer',
    fields: [],
    body: { name: 'Outer', filters: { properties: { type: 'AND', values: [{ type: 'cohort', value: 'gone' }] } } },
    needs: [],
  };
  const state = { cohorts: COHORTS.openRun({ flags: [], roleAccess: {} }, [change], {}) } as unknown as RunState;
  const prepared = cohortWriter.prepare(change, state, world.client);
  expect(prepared).not.toHaveProperty('send');
  expect(JSON.stringify(prepared)).toContain('gone');
});

test('a create is confirmed, and reading back takes one request for each cohort, or the list for several', () => {
  const [create, update] = [{ action: 'create' }, { action: 'update' }] as CohortChange[];
  if (create === undefined || update === undefined) throw new Error('two changes');
  expect([create, update].map((change) => cohortWriter.needsConfirming?.(change))).toEqual([true, false]);
  const [one, two] = [cohortWriter.countReadBack([update], []), cohortWriter.countReadBack([update, update], [])];
  expect(one).toHaveLength(1);
  expect(two).toHaveLength(1);
  expect(one).not.toEqual(two);
});

test('a delete whose answer is lost is not taken for made where the service has no such cohort', async () => {
  const { id } = await world.client.createCohort(PRO);
  const plan = await world.plan(desiredOf({ cohorts: { beta: { name: 'Beta', deleted: true } }, flags: {} }));
  let isWritten = false;
  const liar = await startLiar(world, async (write, { url }) => {
    isWritten ||= write > 0;
    if (write > 0) return Promise.resolve(LOST);
    const isAbsent = isWritten && url.includes(`/cohorts/${id}/`);
    return Promise.resolve(isAbsent ? dropped({ status: 404, body: { detail: 'Not found.' } }) : undefined);
  });
  const { changes } = await run(plan, liar);
  expect(changes).toHaveLength(1);
  expect(changes[0]?.result.outcome).not.toBe('applied');
});
