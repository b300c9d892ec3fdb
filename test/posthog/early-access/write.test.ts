/** Writing one early access feature: the look-up after a lost answer, what others did meanwhile, and the number of attempts. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { desiredOf } from '../../helpers/cohorts.ts';
import { startLiar, type Liar, type Lie } from '../../helpers/liar.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../client/support/server.ts';
import { dropped, failed, FORBIDDEN, lies, LOST, PAGE, run, unknown, writesTo } from '../lies.ts';

const FLAG_ID = 5;
const OTHER_ID = 6;
const CONFLICT: Reply = { status: 409, body: { detail: 'No.' } };
const BETA = { name: 'Sharing', stage: 'beta' };
const ALPHA = { name: 'Sharing', stage: 'alpha' };

let world: World;
let otherId: string;
beforeEach(async () => {
  const flags = [FLAG_ID, OTHER_ID].map((id) => ({
    id,
    key: id === FLAG_ID ? 'sharing' : 'other',
    filters: { groups: [{}] },
  }));
  world = await startWorld('posthog', { flags });
  ({ id: otherId } = await world.client.createEarlyAccessFeature({ ...BETA, feature_flag_id: OTHER_ID }));
});
afterEach(async () => {
  // Whatever happens to a feature, that of another flag stays as it is.
  expect(await world.client.getEarlyAccessFeature(otherId)).toMatchObject(BETA);
  await world.close();
});

const planOf = (members: JsonObject): Promise<Plan> =>
  world.plan(desiredOf({ flags: { sharing: {} }, early_access: { share: { flag: 'sharing', ...members } } }));
const make = (fields: JsonObject) => () =>
  world.client.createEarlyAccessFeature({ ...fields, feature_flag_id: FLAG_ID });
const writes = (liar: Liar): string[] => writesTo('early_access_feature', liar);
const stages = async (): Promise<readonly unknown[]> =>
  (await world.client.listEarlyAccessFeatures())
    .filter(({ feature_flag }) => feature_flag?.['id'] === FLAG_ID)
    .map(({ stage }) => stage);

const APPLIED = { outcome: 'applied', id: FLAG_ID };

describe('a create', () => {
  test.each<[string, readonly Lie[], Parameters<typeof lies>[1], object, number, readonly string[]]>([
    ['nothing happens', [], {}, APPLIED, 1, ['beta']],
    ['its answer is lost', [LOST], {}, APPLIED, 2, ['beta']],
    ['only its answer is lost', [{ reply: PAGE, carriedOut: true }], {}, APPLIED, 1, ['beta']],
    [
      'its answer names no flag',
      [{ reply: { status: 201, body: { id: 'x', ...BETA } }, carriedOut: true }],
      {},
      APPLIED,
      1,
      ['beta'],
    ],
    ['it is refused', [dropped(FORBIDDEN)], {}, failed('forbidden'), 1, []],
    ['it conflicts', [dropped(CONFLICT)], {}, failed('conflict'), 1, []],
    ['its answer is lost and the look-up fails', [LOST], { blind: true }, unknown('invalid_answer'), 1, []],
    [
      'its answer is lost while another process makes the same',
      [LOST],
      { meanwhile: () => make(BETA)() },
      APPLIED,
      1,
      ['beta'],
    ],
    [
      'it conflicts with the same of another process',
      [dropped(CONFLICT)],
      { meanwhile: () => make(BETA)() },
      { ...APPLIED, already: true },
      1,
      ['beta'],
    ],
    [
      'its answer is lost while another process makes another one of the flag',
      [LOST],
      { meanwhile: () => make(ALPHA)() },
      unknown('invalid_answer'),
      1,
      ['alpha'],
    ],
    [
      'it conflicts with another one of the flag',
      [dropped(CONFLICT)],
      { meanwhile: () => make(ALPHA)() },
      failed('conflict'),
      1,
      ['alpha'],
    ],
  ])(
    'when %s has its outcome, number of writes, and features of the flag',
    async (_, replies, more, outcome, count, held) => {
      const plan = await planOf(BETA);
      const liar = await startLiar(world, lies(replies, more));
      const { changes, remainder } = await run(plan, liar);
      expect(changes).toMatchObject([{ result: outcome }]);
      expect(writes(liar)).toEqual(Array.from({ length: count }, () => 'POST '));
      expect(await stages()).toEqual(held);
      expect(remainder).toEqual([]);
    },
  );

  test.each([
    ['as planned, is not sent and in effect', BETA, APPLIED],
    [
      'of another stage, is not sent and stale',
      ALPHA,
      { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '', before: ALPHA, after: BETA }] } },
    ],
  ])('of a flag that got a feature after the plan, %s', async (_what, fields, outcome) => {
    const plan = await planOf(BETA);
    await make(fields)();
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: outcome }]);
    expect(writes(liar)).toEqual([]);
    expect(await stages()).toEqual([fields.stage]);
  });

  test('whose flag does not exist is not sent', async () => {
    const plan = await world.plan(desiredOf({ early_access: { absent: { stage: 'draft' } } }));
    const liar = await startLiar(world, lies([]));
    const message = 'The early access feature offers the flag absent, which does not exist.';
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'failed', error: { code: 'flag_missing', message, field: 'feature_flag_id' } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('sees the feature that the flag got after the run began', async () => {
    const plan = await planOf(BETA);
    let isMade = false;
    const liar = await startLiar(world, async (_write, { url }) => {
      if (!url.includes('early_access_feature') || isMade) return undefined;
      isMade = true;
      const answer = { reply: { body: { count: 0, next: null, previous: null, results: [] } }, carriedOut: false };
      await make(ALPHA)();
      return answer;
    });
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale' } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });
});

describe.each<[string, JsonObject, JsonObject]>([
  ['an update', ALPHA, ALPHA],
  ['a delete', { deleted: true }, { stage: 'archived' }],
])('%s', (_what, members, wanted) => {
  let id: string;
  let plan: Plan;
  beforeEach(async () => {
    ({ id } = await make(BETA)());
    plan = await planOf(members);
    expect(plan.changes).toHaveLength(1);
  });

  test.each<[string, readonly Lie[], boolean, object, number]>([
    ['nothing happens', [], false, APPLIED, 1],
    ['its answer is lost', [LOST], false, APPLIED, 2],
    ['only its answer is lost', [{ reply: PAGE, carriedOut: true }], false, APPLIED, 1],
    ['it conflicts once', [dropped(CONFLICT)], false, APPLIED, 2],
    ['every answer is lost', [LOST, LOST, LOST, LOST], false, failed('invalid_answer'), 3],
    ['it is refused', [dropped(FORBIDDEN)], false, failed('forbidden'), 1],
    ['its answer is lost and the look-up fails', [LOST], true, unknown('invalid_answer'), 1],
  ])('when %s has its outcome, and is sent to its feature so many times', async (_, replies, blind, outcome, count) => {
    const liar = await startLiar(world, lies(replies, { blind }));
    const { changes, remainder } = await run(plan, liar);
    expect(changes).toMatchObject([{ result: outcome }]);
    expect(writes(liar)).toEqual(Array.from({ length: count }, () => `PATCH ${id}/`));
    expect(await world.client.getEarlyAccessFeature(id)).toMatchObject('error' in outcome ? BETA : wanted);
    expect(remainder).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>, readonly object[]]>([
    [
      'edited',
      () => world.client.updateEarlyAccessFeature(id, { description: 'By hand' }),
      [{ path: '/description', before: '', after: 'By hand' }],
    ],
    ['removed', () => world.client.deleteEarlyAccessFeature(id), [{ path: '', before: BETA }]],
  ])('is not sent where another user %s the feature since the plan', async (_how, edit, moved) => {
    await edit();
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([
      { result: { outcome: 'skipped', reason: { code: 'stale', moved } } },
    ]);
    expect(writes(liar)).toEqual([]);
  });

  test('whose feature is removed while its answer is lost is not sent again', async () => {
    const meanwhile = () => world.client.deleteEarlyAccessFeature(id);
    const liar = await startLiar(world, lies([LOST], { meanwhile }));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: unknown('invalid_answer') }]);
    expect(writes(liar)).toHaveLength(1);
  });

  test('that is in effect already is not sent', async () => {
    await world.client.updateEarlyAccessFeature(id, wanted);
    const liar = await startLiar(world, lies([]));
    expect((await run(plan, liar)).changes).toMatchObject([{ result: { ...APPLIED, already: true } }]);
    expect(writes(liar)).toEqual([]);
  });

  test('that the service accepts and does not store is reported as a remainder', async () => {
    const stored = await world.client.getEarlyAccessFeature(id);
    const liar = await startLiar(world, lies([dropped({ status: 200, body: stored })]));
    const { remainder } = await run(plan, liar);
    expect(remainder).toMatchObject([{ key: 'share', path: '/stage', wanted: wanted['stage'], found: 'beta' }]);
  });

  test('whose feature is removed after it is reported as a remainder', async () => {
    const stored = { ...(await world.client.getEarlyAccessFeature(id)), ...wanted };
    const meanwhile = () => world.client.deleteEarlyAccessFeature(id);
    const liar = await startLiar(world, lies([dropped({ status: 200, body: stored })], { meanwhile }));
    expect((await run(plan, liar)).remainder).toMatchObject([{ key: 'share', path: '', reason: 'not_found' }]);
  });
});
