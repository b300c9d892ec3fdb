/** Flags that somebody deleted or renamed in the service: the same flag comes back, with its id and history. */

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { forecastOf } from '../../src/loop/apply/read-again.ts';
import type { Profile } from '../../service/src/index.ts';
import { readLiveState } from '../../src/posthog/reading/live-state.ts';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import type { Plan, PlanWarning } from '../../src/posthog/plan.ts';
import { selectionOf } from '../../src/posthog/live-selection.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState, planFor } from '../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';

const PROFILES: readonly Profile[] = ['documented', 'posthog'];
const [ROLE = ''] = ROLE_IDS;

/** Where the plan finds the flag: in the records of earlier runs, in the activity log, in both, or nowhere. */
interface Sources {
  readonly recorded: boolean;
  readonly logged: boolean;
}

const SOURCES: readonly (readonly [string, Sources])[] = [
  ['the journal alone', { recorded: true, logged: false }],
  ['the activity log alone', { recorded: false, logged: true }],
  ['both', { recorded: true, logged: true }],
];

let world: World;
afterEach(() => world.close());

const FORBIDDEN = {
  match: { path: '**/feature_flags/activity' },
  count: 1000,
  answer: { status: 403, code: 'permission_denied', detail: "API key missing required scope 'activity_log:read'" },
};

async function start(profile: Profile, { logged }: Pick<Sources, 'logged'>): Promise<void> {
  world = await startWorld(profile, undefined, logged ? {} : { faults: { faults: [FORBIDDEN] } });
}

interface Read {
  readonly live: LiveState;
  readonly plan: Plan;
}

async function read(flags: readonly DesiredFlag[], recorded: Readonly<Record<string, number>> = {}): Promise<Read> {
  const desired = desiredState(...flags);
  const findRecorded = async (): Promise<ReadonlyMap<string, number>> => new Map(Object.entries(recorded));
  const live = await readLiveState(world.client, selectionOf(desired), { findRecorded });
  return { live, plan: planFor(desired, live) };
}

/** Applies without failures, at the price that was forecast. The next plan is empty. */
async function applyAll({ plan, live }: Read, flags: readonly DesiredFlag[]): Promise<void> {
  const result = await world.apply(plan);
  expect(result.changes.map(({ result: { outcome } }) => outcome)).toEqual(plan.changes.map(() => 'applied'));
  expect(result.remainder).toEqual([]);
  expect(forecastOf(plan, { flags: live.flags, concurrency: 4 }).requests).toBe(result.requests);
  expect((await read(flags)).plan.changes).toEqual([]);
}

async function create(...flags: DesiredFlag[]): Promise<Readonly<Record<string, number>>> {
  await applyAll(await read(flags), flags);
  return Object.fromEntries((await world.client.listFlags()).map(({ key, id }) => [key, id]));
}

const shape = ({ changes }: Plan): unknown =>
  changes.map(({ action, key, ...change }) => ({ action, key, ...('id' in change ? { id: change.id } : {}) }));
const codes = ({ warnings }: Plan): readonly PlanWarning['code'][] => warnings.map(({ code }) => code);
const find = async (key: string): Promise<Flag | undefined> =>
  (await world.client.listFlags()).find((flag) => flag.key === key);
const history = async (id: number): Promise<readonly unknown[]> =>
  (await world.client.flagActivity(id, { limit: 100 })).results.map(({ activity }) => activity);

const A = declared('a', { name: 'A', active: true }, { roles: [ROLE] });
const B = declared('b', { active: true });

describe.each(PROFILES)('in the profile %s', (profile) => {
  describe.each(SOURCES)('with %s,', (_name, sources) => {
    it('a deleted flag is restored with its id, its history and what else differs', async () => {
      await start(profile, sources);
      const { a = 0, ...others } = await create(A, B);
      await world.edit('a', { name: 'edited', deleted: true });
      const found = await read([A, B], sources.recorded ? { a, ...others } : {});
      expect(shape(found.plan)).toEqual([{ action: 'restore', key: 'a', id: a }]);
      expect(found.plan.changes[0]).toMatchObject({ body: { deleted: false, name: 'A' } });
      expect(codes(found.plan)).toEqual([]);
      await applyAll(found, [A, B]);
      expect(await find('a')).toMatchObject({ id: a, name: 'A', deleted: false });
      expect((await history(a)).at(-1)).toBe('created');
    });

    it('a renamed flag gets its key back', async () => {
      await start(profile, sources);
      const { a = 0 } = await create(A, B);
      await world.edit('a', { key: 'renamed' });
      const found = await read([A, B], sources.recorded ? { a } : {});
      expect(shape(found.plan)).toEqual([{ action: 'update', key: 'a', id: a }]);
      expect(found.plan.unmanaged).toEqual([]);
      expect(found.plan.warnings).toMatchObject([{ code: 'renamed_back', key: 'a', id: a, current: 'renamed' }]);
      await applyAll(found, [A, B]);
      expect(await find('a')).toMatchObject({ id: a });
      expect(await find('renamed')).toBeUndefined();
    });

    it('a flag that was renamed and then deleted is restored with its key', async () => {
      await start(profile, sources);
      const { a = 0 } = await create(A, B);
      await world.edit('a', { key: 'renamed' });
      await world.edit('renamed', { deleted: true });
      const found = await read([A, B], sources.recorded ? { a } : {});
      expect(shape(found.plan)).toEqual([{ action: 'restore', key: 'a', id: a }]);
      await applyAll(found, [A, B]);
      expect(await find('a')).toMatchObject({ id: a });
    });

    it('a flag that somebody created again under the key is managed from now on', async () => {
      await start(profile, sources);
      const { a = 0 } = await create(A, B);
      await world.edit('a', { deleted: true });
      const other = await world.client.createFlag({ key: 'a', name: 'another' });
      const found = await read([A, B], sources.recorded ? { a } : {});
      expect(shape(found.plan)).toContainEqual({ action: 'update', key: 'a', id: other.id });
      expect(codes(found.plan)).toEqual([]);
      await applyAll(found, [A, B]);
    });
  });

  it('two flags that swapped their keys are managed by their keys', async () => {
    await start(profile, { logged: true });
    const flags = [declared('a', { name: 'A' }), declared('b', { name: 'B' })];
    const { a = 0, b = 0 } = await create(...flags);
    await world.edit('a', { key: 'tmp' });
    await world.edit('b', { key: 'a' });
    await world.edit('tmp', { key: 'b' });
    const found = await read(flags, { a, b });
    expect(shape(found.plan)).toEqual([
      { action: 'update', key: 'a', id: b },
      { action: 'update', key: 'b', id: a },
    ]);
    await applyAll(found, flags);
  });

  it('a renamed flag that differs is left alone where only the log names it, and the plan says so', async () => {
    await start(profile, { logged: true });
    const { a = 0 } = await create(A, B);
    await world.edit('a', { key: 'renamed', name: 'another purpose' });
    const logged = await read([A, B]);
    expect(logged.plan.warnings).toMatchObject([
      { code: 'renamed_away', key: 'a', id: a, current: 'renamed', why: 'differs' },
    ]);
    expect(shape(logged.plan)).toContainEqual({ action: 'create', key: 'a' });
    const recorded = await read([A, B], { a });
    expect(shape(recorded.plan)).toEqual([{ action: 'update', key: 'a', id: a }]);
    await applyAll(recorded, [A, B]);
  });

  it('a renamed flag whose new key is declared is left alone, and the plan says so', async () => {
    await start(profile, { logged: true });
    const { a = 0 } = await create(A);
    await world.edit('a', { key: 'b' });
    const found = await read([A, B], { a });
    expect(found.plan.warnings).toMatchObject([
      { code: 'renamed_away', key: 'a', id: a, current: 'b', why: 'declared' },
    ]);
    expect(shape(found.plan)).toContainEqual({ action: 'create', key: 'a' });
    await applyAll(found, [A, B]);
  });

  it('without journal and log, the plan says that a create could destroy a deleted flag', async () => {
    await start(profile, { logged: false });
    await create(B);
    const found = await read([A, B]);
    expect(shape(found.plan)).toContainEqual({ action: 'create', key: 'a' });
    expect(found.plan.warnings).toEqual([{ code: 'deleted_unknown', key: 'a', why: 'forbidden' }]);
    await applyAll(found, [A, B]);
  });

  it('a flag that never existed is created without a warning', async () => {
    await start(profile, { logged: true });
    await create(B);
    const found = await read([A, B], { a: 4711 });
    expect(codes(found.plan)).toEqual([]);
    await applyAll(found, [A, B]);
  });

  it('a rename in the manifests warns before it destroys a deleted flag', async () => {
    await start(profile, { logged: true });
    const { a = 0 } = await create(declared('old', { active: true }), declared('a'));
    await world.edit('a', { deleted: true });
    const flags = [declared('a', { active: true }, { previousKeys: ['old'] })];
    const found = await read(flags);
    expect(found.plan.warnings).toEqual([{ code: 'destroys_deleted', key: 'a', id: a }]);
    await applyAll(found, flags);
  });
});

/** What other users do to one flag, in this order. */
const DEEDS: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
  edit: (id) => world.client.updateFlag(id, { name: 'theirs' }),
  disable: (id) => world.client.updateFlag(id, { active: false }),
  rename: (id) => world.client.updateFlag(id, { key: `renamed-${id}` }),
  delete: (id) => world.client.updateFlag(id, { deleted: true }),
  restore: (id) => world.client.updateFlag(id, { deleted: false }),
};

it.each(PROFILES)(
  'whatever other users do to flags that were applied, the next apply brings the same flags back (%s)',
  async (profile) => {
    await start(profile, { logged: true });
    let round = 0;
    const deeds = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...Object.keys(DEEDS))), { maxLength: 8 });
    await holdsAsync(12, [deeds], async (all) => {
      round += 1;
      const keys = ['a', 'b', 'c'].map((key) => `${key}-${round}`);
      const flags = keys.map((key) => declared(key, { name: key, active: true }));
      const ids = await create(...flags);
      for (const [index, deed] of all) await DEEDS[deed]?.(ids[keys[index] ?? ''] ?? 0);
      const found = await read(flags, Object.fromEntries(keys.map((key) => [key, ids[key] ?? 0])));
      await applyAll(found, flags);
      const after = new Map((await world.client.listFlags()).map(({ key, id }) => [key, id]));
      expect(keys.map((key) => after.get(key))).toEqual(keys.map((key) => ids[key]));
      expect(codes(found.plan).filter((code) => code !== 'renamed_back')).toEqual([]);
    });
  },
);

it('a deleted flag with experiments gives its key away and gets it back', async () => {
  const seed = { flags: [{ key: 'a', name: 'A', active: true, experiment_set: [5] }] } as JsonObject;
  world = await startWorld('posthog', seed);
  const id = (await find('a'))?.id ?? 0;
  await world.edit('a', { deleted: true });
  expect((await world.client.getFlag(id)).key).toBe(`a:deleted:${id}`);
  const flags = [declared('a', { name: 'A' })];
  const found = await read(flags);
  expect(shape(found.plan)).toEqual([{ action: 'restore', key: 'a', id }]);
  expect(found.plan.changes[0]).toMatchObject({ body: { deleted: false } });
  await applyAll(found, flags);
});
