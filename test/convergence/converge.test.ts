/** The guarantees of a reconciler as properties, over real HTTP and a real database, in both profiles. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { DeclaredFlag, DesiredFlag } from '../../src/posthog/desired.ts';
import { filters, flagFields } from '../helpers/arbitraries.ts';
import { declared, desiredState, retired } from '../helpers/states.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';
import { grantRole, revokeRole } from '../helpers/access.ts';
import { holdsAsync, runs } from '../helpers/runs.ts';

const RUNS = { numRuns: runs(40) };
let serial = 0;

/** Unused keys, so that one service serves all runs of a property. */
function freshKeys(count: number): string[] {
  serial += 1;
  return Array.from({ length: count }, (_, index) => `f${serial}-${index}`);
}

const roles = fc.option(fc.subarray([...ROLE_IDS]), { nil: undefined });
const wish = fc.record({ fields: flagFields(), roles });
type Wish = { readonly fields: JsonObject; readonly roles: readonly string[] | undefined };

function flagOf(key: string, { fields, roles: wanted }: Wish): DeclaredFlag {
  return declared(key, fields, wanted === undefined ? {} : { roles: wanted.toSorted() });
}

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  // One for each test: every plan reads all flags, including those of earlier tests.
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  async function expectInSync(...flags: DesiredFlag[]): Promise<void> {
    const again = await world.plan(desiredState(...flags));
    expect(again.changes.map(({ action, ref }) => ({ action, ref, fields: [] as JsonValue[] }))).toEqual([]);
  }

  async function makeSo(...flags: DesiredFlag[]): Promise<void> {
    const result = await world.apply(await world.plan(desiredState(...flags)));
    expect(result.changes.filter(({ result: { outcome } }) => outcome !== 'applied')).toEqual([]);
    expect(result).toMatchObject({ remainder: [], verified: true });
  }

  it('a plan after apply is empty, from nothing', () =>
    fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 4 }), async (wishes) => {
        const keys = freshKeys(wishes.length);
        const flags = wishes.map((one, index) => flagOf(keys[index] ?? '', one));
        await makeSo(...flags);
        await expectInSync(...flags);
      }),
      RUNS,
    ));

  it('a plan after apply is empty, from any other state', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(wish, wish), { minLength: 1, maxLength: 3 }), async (pairs) => {
        const keys = freshKeys(pairs.length);
        await makeSo(...pairs.map(([before], index) => flagOf(keys[index] ?? '', before)));
        const flags = pairs.map(([, after], index) => flagOf(keys[index] ?? '', after));
        await makeSo(...flags);
        await expectInSync(...flags);
      }),
      RUNS,
    ));

  it('apply writes nothing if nothing differs', () =>
    holdsAsync(10, [wish], async (one) => {
      const [key = ''] = freshKeys(1);
      const flag = flagOf(key, one);
      await makeSo(flag);
      const before = JSON.stringify(await world.live(desiredState(flag)));
      await world.apply(await world.plan(desiredState(flag)));
      expect(JSON.stringify(await world.live(desiredState(flag)))).toBe(before);
    }));

  /** Each changes a managed part of a flag into a value that evaluates or reads differently. */
  const EDITS: readonly [name: string, edit: (flag: JsonObject) => JsonObject][] = [
    ['the description', () => ({ name: 'edited by hand' })],
    ['the switch', (flag) => ({ active: flag['active'] !== true })],
    [
      'a condition added',
      (flag) => withGroups(flag, (groups) => [...groups, { properties: [], rollout_percentage: 7 }]),
    ],
    [
      'a condition added in front',
      (flag) => withGroups(flag, (groups) => [{ properties: [], rollout_percentage: 7 }, ...groups]),
    ],
    [
      "a condition's description",
      (flag) => withGroups(flag, ([first, ...rest]) => [{ ...(first as JsonObject), description: 'by hand' }, ...rest]),
    ],
    [
      "a condition's rollout",
      (flag) =>
        withGroups(flag, ([first, ...rest]) => [{ ...(first as JsonObject), rollout_percentage: 12.5 }, ...rest]),
    ],
    ['the tags', () => ({ tags: ['by-hand'] })],
  ];

  function withGroups(flag: JsonObject, edit: (groups: readonly JsonValue[]) => readonly JsonValue[]): JsonObject {
    const current = flag['filters'] as JsonObject;
    return { filters: { ...current, groups: edit(current['groups'] as JsonValue[]) } };
  }

  it.each(EDITS)('an edit in the service shows as drift and is reverted: %s', (_name, edit) =>
    holdsAsync(8, [filters(), fc.boolean()], async (wanted, active) => {
      const [key = ''] = freshKeys(1);
      const flag = declared(key, { name: 'as declared', active, filters: wanted, tags: ['a'] });
      await makeSo(flag);
      const live = (await world.live()).flags.find((candidate) => candidate.key === key) as JsonObject;
      await world.edit(key, edit(live));
      expect((await world.plan(desiredState(flag))).changes).toMatchObject([{ action: 'update', key }]);
      await makeSo(flag);
      await expectInSync(flag);
    }),
  );

  it('role access that was edited in the service shows as drift and is reverted', async () => {
    const [key = ''] = freshKeys(1);
    const flag = declared(key, {}, { roles: ROLE_IDS.slice(0, 2) });
    await makeSo(flag);
    const live = await world.live(desiredState(flag));
    const [id = ''] = Object.keys(live.roleAccess);
    await revokeRole(world.client, Number(id), ROLE_IDS[0] ?? '');
    await grantRole(world.client, Number(id), ROLE_IDS[2] ?? '');
    const plan = await world.plan(desiredState(flag));
    expect(plan.changes.map((change) => change.action)).toEqual(['grant', 'revoke']);
    await makeSo(flag);
    await expectInSync(flag);
  });

  it('retired flags are deleted once, and restored when they are declared again', async () => {
    const [key = ''] = freshKeys(1);
    const flag = declared(key, { active: true, name: 'back again' });
    await makeSo(flag);
    await makeSo(retired(key));
    await expectInSync(retired(key));
    await makeSo(flag);
    await expectInSync(flag);
  });

  it('a rename keeps the flag', async () => {
    const [before = '', after = ''] = freshKeys(2);
    await makeSo(declared(before, { name: 'same' }));
    const id = (await world.live()).flags.find((flag) => flag.key === before)?.id;
    const renamed = declared(after, { name: 'same' }, { previousKeys: [before] });
    await makeSo(renamed);
    await expectInSync(renamed);
    expect((await world.live()).flags.find((flag) => flag.key === after)?.id).toBe(id);
  });
});
