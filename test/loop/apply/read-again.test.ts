/** What an apply reads before it writes: whichever way it reads, it writes and skips the same. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import { readAgain } from '../../../src/loop/apply/read-again.ts';
import type { ApplyResult } from '../../../src/loop/apply/result.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, dependsOn, desiredState, retired } from '../../helpers/states.ts';
import { grantRole } from '../../helpers/access.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';
import { holdsAsync } from '../../helpers/runs.ts';

const [ROLE = '', OTHER_ROLE = ''] = ROLE_IDS;
const ANY: JsonObject = { groups: [{ properties: [], rollout_percentage: 100 }] };
const FILLERS = Array.from({ length: 1_001 }, (_, index) => declared(`filler-${index}`));

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  let serial = 0;
  beforeAll(async () => {
    world = await startWorld(profile);
    await make(...FILLERS);
  });
  afterAll(() => world.close());

  async function make(...flags: DesiredFlag[]): Promise<void> {
    await world.apply(await world.plan(desiredState(...flags)));
  }

  async function countReads(plan: Plan): Promise<number> {
    const before = world.client.stats().requests;
    await readAgain(plan, world.client);
    return world.client.stats().requests - before;
  }

  test('few changes read their flags, many read the list', async () => {
    const few = await world.plan(desiredState(declared('filler-1', { name: 'x' }), retired('filler-2')));
    expect(few.changes).toHaveLength(2);
    expect(await countReads(few)).toBe(2);
    const many = await world.plan(desiredState(...FILLERS.slice(0, 3).map(({ key }) => declared(key, { name: 'x' }))));
    expect(await countReads(many)).toBe(3);
    const more = await world.plan(desiredState(...FILLERS.slice(0, 9).map(({ key }) => declared(key, { name: 'x' }))));
    expect(await countReads(more)).toBe(3);
  });

  test.each<[string, readonly DesiredFlag[], number]>([
    ['a create', [declared('new')], 3],
    ['a condition that names a flag outside the plan', [declared('filler-1', { filters: dependsOn('filler-2') })], 3],
    ['role access', [declared('filler-1', {}, { roles: [ROLE] })], 2],
  ])('%s', async (_, flags, reads) => {
    expect(await countReads(await world.plan(desiredState(...flags)))).toBe(reads);
  });

  test('a flag that is out of reach is looked for in the list', async () => {
    await make(declared('lost'));
    const plan = await world.plan(desiredState(declared('lost', { name: 'x' })));
    const elsewhere = startWorld(profile);
    try {
      const result = await applyPlan(plan, (await elsewhere).client);
      expect(result.changes[0]?.result).toMatchObject({ outcome: 'skipped', reason: { code: 'stale' } });
      // The flag, the list and the archive.
      expect(result.requests).toBe(3);
    } finally {
      await (await elsewhere).close();
    }
    await make(retired('lost'));
  });

  const EDITS = {
    nothing: async () => undefined,
    name: (key: string) => world.edit(key, { name: 'theirs' }),
    key: (key: string) => world.edit(key, { key: `${key}-renamed` }),
    deleted: (key: string) => world.edit(key, { deleted: true }),
    replaced: async (key: string) => {
      await world.edit(key, { deleted: true });
      await world.client.createFlag({ key });
    },
    dependency: (key: string) => world.edit(`${key}-base`, { key: `${key}-moved` }),
    role: async (key: string) => {
      const flag = (await world.client.listFlags()).find((candidate) => candidate.key === key);
      await grantRole(world.client, flag?.id ?? 0, OTHER_ROLE);
    },
  };

  const CHANGES: Record<string, (key: string) => DesiredFlag> = {
    update: (key) => declared(key, { name: 'new' }),
    delete: (key) => retired(key),
    rename: (key) => declared(`${key}-new`, { name: 'old' }, { previousKeys: [key] }),
    grant: (key) => declared(key, { name: 'new' }, { roles: [ROLE] }),
  };

  /** One flag that depends on another, a plan for it, an edit of another user, and the apply: by id or by the list. */
  async function run(change: string, edit: keyof typeof EDITS, byList: boolean): Promise<unknown> {
    serial += 1;
    const key = `p${serial}`;
    const base = await world.client.createFlag({ key: `${key}-base`, filters: ANY });
    const filters = profile === 'posthog' ? { filters: dependsOn(String(base.id)) } : {};
    await world.client.createFlag({ key, name: 'old', ...filters });
    const plan = await world.plan(desiredState((CHANGES[change] as (key: string) => DesiredFlag)(key)));
    await EDITS[edit](key);
    const summary = { ...plan.summary, ...(byList ? { unmanaged: 0 } : {}) };
    const result = await applyPlan({ ...plan, summary }, world.client);
    return describeResult(result, key);
  }

  function describeResult(result: ApplyResult, key: string): unknown {
    const told = result.changes.map(({ change, result }) => [change.action, result]);
    return JSON.parse(
      JSON.stringify(told, (name, value: unknown) =>
        ['id', 'version', 'created_at'].includes(name) ? undefined : value,
      )
        .replaceAll(new RegExp(`${key}(?![0-9])`, 'g'), 'KEY')
        .replaceAll(/"value":"?\d+"?/g, '"value":"ID"'),
    );
  }

  test('both ways of reading have the same outcomes', () =>
    holdsAsync(
      15,
      [
        fc.constantFrom(...Object.keys(CHANGES)),
        fc
          .constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[]))
          .filter((edit) => edit !== 'dependency' || profile === 'posthog'),
      ],
      async (change, edit) => {
        expect(await run(change, edit, false)).toEqual(await run(change, edit, true));
      },
    ));
});

test.each(['documented', 'posthog'] as const)(
  'an edit just before the write is not overwritten: %s',
  async (profile) => {
    const world = await startWorld(profile);
    try {
      const flags = ['a', 'b'].map((key) => declared(key, { name: 'old' }));
      await world.apply(await world.plan(desiredState(...flags)));
      const plan = await world.plan(desiredState(...flags.map(({ key }) => declared(key, { name: 'new' }))));
      let edited = false;
      const result = await applyPlan(plan, world.client, {
        concurrency: 1,
        recorder: {
          sending: async () => {
            // Live state was read, and the first change is about to be sent.
            if (!edited) await world.edit('b', { name: 'theirs' });
            edited = true;
          },
          settled: () => undefined,
        },
      });
      expect(result.outcomes).toMatchObject({ applied: 1, skipped: 1 });
      expect(result.changes[1]?.result).toMatchObject({
        reason: { code: 'stale', moved: [{ path: '/name', before: 'old', after: 'theirs' }] },
      });
      const { flags: live } = await world.live();
      expect(Object.fromEntries(live.map(({ key, name }) => [key, name]))).toEqual({ a: 'new', b: 'theirs' });
    } finally {
      await world.close();
    }
  },
);
