/** Reading back after the writes: the effect of each applied change, found by id, in as few requests as possible. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRun } from '../../../src/posthog/run-state.ts';
import type { ChangeResult, Outcome } from '../../../src/loop/apply/result.ts';
import type { Remainder } from '../../../src/core/engine/diff.ts';
import { findRemainder } from '../../../src/loop/apply/apply-plan.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { readLiveState } from '../../../src/posthog/reading/live-state.ts';
import { joinSelections, selectionOf } from '../../../src/posthog/live-selection.ts';
import { startLiar } from '../../helpers/liar.ts';
import { declared, desiredState, liveState, planOptions, retired } from '../../helpers/states.ts';
import { grantRole } from '../../helpers/access.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';

const ANY: JsonObject = { groups: [{ properties: [], rollout_percentage: 100 }] };
const [ROLE = '', OTHER_ROLE = ''] = ROLE_IDS;

let world: World;
beforeEach(async () => {
  world = await startWorld('posthog');
});
afterEach(() => world.close());

interface Looked {
  readonly remainder: readonly Remainder[];
  /** Requests of reading back, as path and query below the flags. */
  readonly asked: readonly string[];
}

interface LookOptions {
  readonly outcome?: Outcome;
  readonly flagCount?: number;
  /** Whether this run sent the changes itself; default true. */
  readonly isOwn?: boolean;
}

/** Verifies the changes of the plan as if each had been applied, without applying any. */
async function lookAt({ changes }: Pick<Plan, 'changes'>, options: LookOptions = {}): Promise<Looked> {
  const { outcome = { outcome: 'applied' }, flagCount = 1000, isOwn = true } = options;
  const liar = await startLiar(world, () => undefined);
  const flags = await world.client.listFlags();
  const results = changes.map((change): ChangeResult => ({ change, result: outcome }));
  const state = openRun(liveState(flags), changes, { resumed: false });
  for (const flag of flags) state.flags.keep(flag.key, flag);
  const sent = new Set(isOwn ? changes.map(({ ref }) => ref) : []);
  const remainder = await findRemainder(results, {
    client: liar.client,
    state,
    total: flagCount,
    sent,
  });
  return { remainder, asked: liar.seen.map(({ url }) => url.split('/feature_flags/')[1] ?? '').sort() };
}

const planFor = (...flags: DesiredFlag[]): Promise<Plan> => world.plan(desiredState(...flags));
const make = async (key: string, fields: JsonObject = {}): Promise<number> =>
  (await world.client.createFlag({ key, filters: ANY, ...fields })).id;

describe('an update', () => {
  test('that is not in effect is reported value by value', async () => {
    await make('a', { name: 'old', tags: ['x'] });
    const plan = await planFor(declared('a', { name: 'new', tags: ['y'], ensure_experience_continuity: true }));
    const { remainder } = await lookAt(plan);
    expect(remainder.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      {
        ref: 'flag:a',
        key: 'a',
        path: '/ensure_experience_continuity',
        wanted: true,
        found: false,
        reason: 'service_changed_value',
      },
      { ref: 'flag:a', key: 'a', path: '/name', wanted: 'new', found: 'old', reason: 'service_changed_value' },
      { ref: 'flag:a', key: 'a', path: '/tags', wanted: ['y'], found: ['x'], reason: 'service_changed_value' },
    ]);
  });

  test('that is in effect leaves no remainder, whatever else differs', async () => {
    const id = await make('a', { name: 'old' });
    const plan = await planFor(declared('a', { name: 'new' }));
    await world.client.updateFlag(id, { name: 'new', tags: ['theirs'] });
    expect((await lookAt(plan)).remainder).toEqual([]);
  });

  test('of a flag that was renamed since reports the key', async () => {
    const id = await make('a', { name: 'old' });
    const plan = await planFor(declared('a', { name: 'new' }));
    await world.client.updateFlag(id, { name: 'new', key: 'b' });
    expect((await lookAt(plan)).remainder).toEqual([
      { ref: 'flag:a', key: 'a', path: '/key', wanted: 'a', found: 'b', reason: 'service_changed_value' },
    ]);
  });

  test.each<[string, (id: number) => Promise<unknown>]>([
    ['deleted', (id) => world.client.updateFlag(id, { deleted: true })],
    [
      'destroyed by a create with its key',
      async (id) => {
        await world.client.updateFlag(id, { deleted: true });
        await world.client.createFlag({ key: 'a', filters: ANY, name: 'new' });
      },
    ],
  ])('of a flag that was %s since is not found', async (_name, remove) => {
    const id = await make('a', { name: 'old' });
    const plan = await planFor(declared('a', { name: 'new' }));
    await remove(id);
    for (const flagCount of [1000, 1]) {
      expect((await lookAt(plan, { flagCount })).remainder).toEqual([
        { ref: 'flag:a', key: 'a', path: '', reason: 'not_found' },
      ]);
    }
  });
});

describe('a difference blames the service only for what this run sent', () => {
  test.each<[name: string, isOwn: boolean, reasons: readonly string[]]>([
    ['its own', true, ['not_found', 'service_changed_value', 'service_dropped_value']],
    ['an earlier one', false, ['changed_afterwards', 'changed_afterwards', 'not_found']],
  ])('%s', async (_name, isOwn, reasons) => {
    for (const key of ['changed', 'dropped', 'gone']) await make(key, { name: 'old' });
    const plan = await planFor(
      declared('changed', { name: 'new' }),
      declared('dropped', { filters: { ...ANY, payloads: { true: '1' } } }),
      declared('gone', { name: 'new' }),
    );
    const gone = (await world.client.listFlags()).find(({ key }) => key === 'gone');
    await world.client.updateFlag(gone?.id ?? 0, { deleted: true });
    const { remainder } = await lookAt(plan, { isOwn });
    expect(remainder.map(({ reason }) => reason).toSorted()).toEqual(reasons);
  });
});

describe('a create', () => {
  test('is found by the id that the service gave it', async () => {
    const plan = await planFor(declared('a', { name: 'new', filters: ANY }));
    await world.apply(plan);
    const { remainder, asked } = await lookAt(plan);
    expect(remainder).toEqual([]);
    expect(asked).toEqual(['1/']);
  });

  test('without a known id is not found, and costs no request', async () => {
    const plan = await planFor(declared('a', { name: 'new', filters: ANY }));
    const { remainder, asked } = await lookAt(plan);
    expect(remainder).toEqual([{ ref: 'flag:a', key: 'a', path: '', reason: 'not_found' }]);
    expect(asked).toEqual([]);
  });
});

describe('a delete', () => {
  test.each([1000, 1])('of a flag that is still live is reported (%i flags)', async (flagCount) => {
    await make('a');
    const plan = await planFor(retired('a'));
    expect((await lookAt(plan, { flagCount })).remainder).toEqual([
      { ref: 'flag:a', key: 'a', path: '/deleted', wanted: true, found: false, reason: 'service_changed_value' },
    ]);
  });

  test.each<[string, (id: number) => Promise<unknown>]>([
    ['that is made', (id) => world.client.updateFlag(id, { deleted: true })],
    [
      'after which the key went to another flag',
      async (id) => {
        await world.client.updateFlag(id, { deleted: true });
        await world.client.createFlag({ key: 'a', filters: ANY });
      },
    ],
  ])('%s leaves no remainder', async (_name, remove) => {
    const id = await make('a');
    const plan = await planFor(retired('a'));
    await remove(id);
    for (const flagCount of [1000, 1]) expect((await lookAt(plan, { flagCount })).remainder).toEqual([]);
  });

  test('a restored flag must exist', async () => {
    const id = await make('a', { deleted: true });
    const desired = desiredState(declared('a', { active: true }));
    const live = await readLiveState(world.client, joinSelections([selectionOf(desired), { flags: { ids: [id] } }]));
    const plan = buildPlan(desired, live, planOptions());
    expect(plan.changes.map(({ action }) => action)).toEqual(['restore']);
    expect((await lookAt(plan)).remainder).toEqual([{ ref: 'flag:a', key: 'a', path: '', reason: 'not_found' }]);
    await world.client.updateFlag(id, { deleted: false });
    expect((await lookAt(plan)).remainder).toEqual([]);
  });
});

test('only applied changes are verified', async () => {
  const id = await make('a', { name: 'old' });
  await grantRole(world.client, id, ROLE);
  const plan = await planFor(declared('a', { name: 'new' }, { roles: [OTHER_ROLE] }));
  expect(plan.changes).toHaveLength(3);
  const error = { code: 'x', message: 'x' };
  for (const outcome of [
    { outcome: 'failed', error },
    { outcome: 'unknown', error },
    { outcome: 'pending', error },
    { outcome: 'skipped', reason: { code: 'interrupted' } },
  ] as const) {
    expect(await lookAt(plan, { outcome })).toEqual({ remainder: [], asked: [] });
  }
});

describe('requests', () => {
  const three = async (): Promise<Plan> => {
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await make(key, { name: 'old' });
    return planFor(...keys.map((key) => declared(key, { name: 'new' })));
  };

  test.each<[string, number, string[]]>([
    ['one by one while that costs no more than the list', 1_500, ['1/', '2/', '3/']],
    ['as a list where that is cheaper', 1_499, ['?limit=500']],
  ])('%s', async (_name, flagCount, asked) => {
    expect((await lookAt(await three(), { flagCount })).asked).toEqual(asked);
  });

  test('read a flag by its own id, whichever flag has its key now', async () => {
    const id = await make('a', { name: 'old' });
    const plan = await planFor(declared('a', { name: 'new' }));
    await world.client.updateFlag(id, { key: 'z' });
    await make('a', { name: 'new' });
    const { remainder, asked } = await lookAt(plan);
    expect(asked).toEqual([`${id}/`]);
    expect(remainder.map(({ path }) => path).sort()).toEqual(['/key', '/name']);
  });

  test('are none when nothing was applied', async () => {
    expect((await lookAt({ changes: [] })).asked).toEqual([]);
  });

  test('do not read a deleted flag that is not listed, but an archived one', async () => {
    const gone = await make('gone');
    const hidden = await make('hidden', { name: 'old', active: false });
    await make('plain', { name: 'old' });
    const plan = await planFor(
      retired('gone'),
      declared('hidden', { name: 'new' }),
      declared('plain', { name: 'new' }),
    );
    await world.client.updateFlag(gone, { deleted: true });
    await world.client.updateFlag(hidden, { archived: true });
    const { remainder, asked } = await lookAt(plan, { flagCount: 3 });
    expect(asked).toEqual([`${hidden}/`, '?limit=500']);
    expect(remainder.map(({ key, path }) => `${key}${path}`).sort()).toEqual(['hidden/name', 'plain/name']);
  });

  test('are one list for each flag whose roles changed', async () => {
    const first = await make('a');
    const second = await make('b');
    await grantRole(world.client, first, ROLE);
    const plan = await planFor(
      declared('a', {}, { roles: ROLE_IDS.slice(1) }),
      declared('b', {}, { roles: ROLE_IDS.slice(0, 1) }),
    );
    expect(plan.changes).toHaveLength(4);
    expect((await lookAt(plan)).asked).toEqual([`${first}/access_controls/`, `${second}/access_controls/`]);
  });
});

describe('role access', () => {
  test('is reported by role: a granted role is missing, a revoked one remains', async () => {
    const id = await make('a');
    await grantRole(world.client, id, ROLE);
    const plan = await planFor(declared('a', {}, { roles: [OTHER_ROLE] }));
    const { remainder } = await lookAt(plan);
    // Strictly: absent values are absent members, as the schema of the result requires.
    expect(remainder.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toStrictEqual([
      {
        ref: `role_access:a:${ROLE}`,
        key: 'a',
        path: `/access/${ROLE}`,
        found: 'editor',
        reason: 'service_changed_value',
      },
      {
        ref: `role_access:a:${OTHER_ROLE}`,
        key: 'a',
        path: `/access/${OTHER_ROLE}`,
        wanted: 'editor',
        reason: 'service_dropped_value',
      },
    ]);
  });

  test('in effect leaves no remainder, even on a flag that the plan created', async () => {
    const id = await make('a');
    await grantRole(world.client, id, ROLE);
    const plan = await planFor(
      declared('a', {}, { roles: [OTHER_ROLE] }),
      declared('b', { filters: ANY }, { roles: [ROLE] }),
    );
    await world.apply(plan);
    expect((await lookAt(plan)).remainder).toEqual([]);
  });

  test('of an unknown flag was not granted', async () => {
    const plan = await planFor(declared('b', { filters: ANY }, { roles: [ROLE] }));
    const grants = plan.changes.filter(({ action }) => action === 'grant');
    const { remainder, asked } = await lookAt({ changes: grants });
    expect(asked).toEqual([]);
    expect(remainder).toMatchObject([{ path: `/role_access/${ROLE}`, wanted: true }]);
  });
});
