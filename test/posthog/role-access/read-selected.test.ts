/** A plan is the same whether access was read by role or flag by flag, and reading by role takes few requests. */

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readLiveState, readWholeState } from '../../../src/posthog/reading/live-state.ts';
import type { DeclaredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { heldAccess, LEVELS } from '../../../src/posthog/role-access/access.ts';
import type { UnlistedAccess } from '../../../src/posthog/role-access/read.ts';
import { selectionOf } from '../../../src/posthog/live-selection.ts';
import { holdsAsync } from '../../helpers/runs.ts';
import { declared, desiredState, planFor } from '../../helpers/states.ts';
import { ROLE_IDS, startWorld, type World, type WorldOptions } from '../../helpers/world.ts';

const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };
const ADA = 'ada@example.org';

/** The rules of one flag; null for no rule. */
interface Rules {
  readonly roles: readonly (string | null)[];
  readonly everyone: string | null;
  readonly member: string | null;
}

/** What is declared of it. */
interface Wish {
  readonly rules: Rules;
  readonly isAsHeld: boolean;
  readonly manages: 'roles' | 'everyone' | 'both' | 'nothing';
}

function anyRules(levels: readonly string[], hasMore: boolean): fc.Arbitrary<Rules> {
  const level = fc.option(fc.constantFrom(...levels), { nil: null, freq: 2 });
  const more = hasMore ? level : fc.constant(null);
  return fc.record({
    roles: fc.array(level, { minLength: ROLE_IDS.length, maxLength: ROLE_IDS.length }),
    everyone: more,
    member: more,
  });
}

function seedOf(all: readonly Rules[], more: JsonObject = {}): JsonValue {
  const entries = all.flatMap(({ roles, everyone, member }, index): JsonObject[] => [
    ...roles.flatMap((level, role) => (level === null ? [] : [{ flag: index + 1, role: ROLE_IDS[role] ?? '', level }])),
    ...(everyone === null ? [] : [{ flag: index + 1, level: everyone }]),
    ...(member === null ? [] : [{ flag: index + 1, member: ADA, level: member }]),
  ]);
  return {
    flags: all.map((_, index) => ({ id: index + 1, key: `f${index + 1}`, active: true, filters: { groups: [{}] } })),
    members: [{ email: ADA }],
    role_access: entries,
    ...more,
  };
}

function declare(index: number, { roles, everyone }: Rules, manages: Wish['manages']): DeclaredFlag {
  const roleAccess = roles.flatMap((level, role) =>
    level === null ? [] : [{ id: ROLE_IDS[role] ?? '', ...(level === 'editor' ? {} : { level }), place: PLACE }],
  );
  return {
    ...declared(`f${index + 1}`, { active: true }),
    ...(manages === 'roles' || manages === 'both' ? { roleAccess } : {}),
    ...(manages === 'everyone' || manages === 'both' ? { everyone: { level: everyone, place: PLACE } } : {}),
  };
}

interface Rig extends World {
  readonly sent: string[];
  readonly unlisted: UnlistedAccess[];
  readonly read: (desired: DesiredState) => Promise<LiveState>;
}

async function rig(profile: 'documented' | 'posthog', seed: JsonValue, options: WorldOptions = {}): Promise<Rig> {
  const sent: string[] = [];
  const world = await startWorld(profile, seed, {
    ...options,
    onRequest: ({ method, path }) => sent.push(`${method} ${path}`),
  });
  const unlisted: UnlistedAccess[] = [];
  const read: Rig['read'] = async (desired) =>
    readLiveState(world.client, selectionOf(desired), { onUnlistedAccess: (one) => unlisted.push(one) });
  return { ...world, sent, unlisted, read };
}

async function readSingly({ client }: World, desired: DesiredState): Promise<LiveState> {
  const { roleAccess: { expected: _, ...access } = {}, ...wanted } = selectionOf(desired);
  return readLiveState(client, { ...wanted, roleAccess: access });
}

const singleReads = (sent: readonly string[]): number =>
  sent.filter((line) => /feature_flags\/\d+\/(access_controls|role_access)\//.test(line)).length;

describe.each([
  ['documented', 'entries', ['editor'], false, true],
  ['posthog', 'levels', LEVELS, true, true],
  // Neither service shows by its flags how it holds access, so that each flag is asked.
  ['posthog', 'entries', ['editor'], false, false],
  ['documented', 'levels', ['editor'], false, false],
] as const)('in profile %s with %s', (profile, accessRoutes, levels, hasMore, isListed) => {
  const rules = anyRules(levels, hasMore);
  const wish: fc.Arbitrary<Wish> = fc.record({
    rules,
    isAsHeld: fc.boolean(),
    manages: fc.constantFrom(
      ...(['roles', 'roles', 'nothing'] as const),
      ...(hasMore ? (['everyone', 'both', 'both'] as const) : []),
    ),
  });

  const several = (length: fc.ArrayConstraints): fc.Arbitrary<(readonly [Rules, Wish])[]> =>
    fc.array(fc.tuple(rules, wish), length);

  it('random rules make the same plan, and only a flag that differs is asked by itself', () =>
    holdsAsync(
      60,
      [
        fc.oneof(several({ minLength: 1, maxLength: 4 }), several({ minLength: 12, maxLength: 20 })),
        fc.constantFrom(true, false, false),
      ],
      async (flags, isUnpaid) => {
        const held = flags.map(([one]) => one);
        const missing = isUnpaid ? { missing_features: ['role_based_access'] } : {};
        const world = await rig(profile, seedOf(held, missing), { accessRoutes });
        const wanted = flags.map(([own, { rules: other, isAsHeld, manages }], index) =>
          declare(index, isAsHeld ? own : other, manages),
        );
        const desired = desiredState(...wanted);
        const singly = planFor(desired, await readSingly(world, desired));
        world.sent.length = 0;
        const plan = planFor(desired, await world.read(desired));
        const asked = singleReads(world.sent);
        await world.close();
        expect(plan).toEqual(singly);
        const managed = wanted.filter(({ roleAccess, everyone }) => roleAccess !== undefined || everyone !== undefined);
        const changed = new Set(singly.changes.map(({ key }) => key));
        if (!isListed) expect(asked).toBeGreaterThanOrEqual(managed.length);
        else if (managed.length > 8) expect(asked).toBe(changed.size);
        else if (managed.length <= 3) expect(asked).toBe(managed.length);
      },
    ));

  it('an inventory has the access that each flag says of itself', () =>
    holdsAsync(30, [several({ minLength: 1, maxLength: 20 })], async (flags) => {
      const world = await rig(profile, seedOf(flags.map(([one]) => one)), { accessRoutes });
      const ids = flags.map((_, index) => index + 1);
      const singly = await readLiveState(world.client, { flags: {}, roleAccess: { ids, organization: true } });
      world.sent.length = 0;
      const wanted = { flags: {}, roleAccess: { inventory: 'all', organization: true } } as const;
      const listed = await readLiveState(world.client, wanted);
      const asked = singleReads(world.sent);
      await world.close();
      expect(ids.map((id) => heldBy(listed, id))).toEqual(ids.map((id) => heldBy(singly, id)));
      if (isListed && flags.length > 8) expect(asked).toBe(0);
    }));

  it('an inventory of some flags is of those only', async () => {
    const world = await rig(profile, seedOf([EDITORS, EDITORS, EDITORS]), { accessRoutes });
    onTestFinished(() => world.close());
    const live = await readLiveState(world.client, { flags: {}, roleAccess: { inventory: [2] } });
    expect(Object.keys(live.roleAccess)).toEqual(['2']);
  });
});

function heldBy({ roleAccess, organization }: LiveState, id: number): unknown {
  const access = roleAccess[String(id)];
  const { roles = [], everyone, members = [] } = (access && heldAccess(access, organization)) ?? {};
  return { roles: roles.map(({ role, level }) => [role.id, role.name, level]), everyone, members: members.toSorted() };
}

const RULES: Rules = { roles: ['editor', null, 'manager'], everyone: 'viewer', member: null };
const EDITORS: Rules = { roles: ['editor', null, 'editor'], everyone: null, member: null };

describe.each([
  ['posthog', RULES, 'both'],
  ['documented', EDITORS, 'roles'],
] as const)('in profile %s', (profile, rules, manages) => {
  const many = Array.from({ length: 200 }, () => rules);
  const desired = desiredState(...many.map((one, index) => declare(index, one, manages)));

  it('a flag whose rules changed is the only one that is asked', async () => {
    const world = await rig(profile, seedOf([...many.slice(1), { ...rules, roles: [null, null, null] }]));
    onTestFinished(() => world.close());
    const live = await world.read(desired);
    expect(singleReads(world.sent)).toBe(1);
    expect(planFor(desired, live).changes.map(({ key }) => key)).toEqual(['f200', 'f200']);
    expect(world.unlisted).toEqual([]);
  });

  const LISTS =
    profile === 'documented'
      ? ['getProject', 'listRoles']
      : [
          'getProject',
          'getOrganization',
          'listRoles',
          'listMembers',
          'listDefaultAccess',
          'listAccessOfRole',
          'listAccessOfMember',
        ];

  it.each(LISTS.flatMap((operation) => [403, 404].map((status) => [operation, status] as const)))(
    'where %s answers %i, every flag is asked, and that is told once',
    async (operation, status) => {
      const faults = [{ match: { operation }, count: 1000, answer: { status } }];
      const world = await rig(profile, seedOf(many), { faults: { faults } });
      onTestFinished(() => world.close());
      const live = await world.read(desired);
      expect(planFor(desired, live).changes).toEqual([]);
      expect(singleReads(world.sent)).toBe(200);
      expect(world.unlisted).toMatchObject([{ flags: 200, refusal: { operation } }]);
    },
  );

  it.each(LISTS)(
    'any other failure of %s is an error, since what is unread does not count as absent',
    async (operation) => {
      const faults = [{ match: { operation }, count: 1000, answer: { status: 400 } }];
      const world = await rig(profile, seedOf(many), { faults: { faults } });
      onTestFinished(() => world.close());
      await expect(world.read(desired)).rejects.toMatchObject({ name: 'ServiceError', operation });
    },
  );
});

/** Two members and three roles: the members, everyone, each role and each member take seven requests. */
it.each([
  [6, { single: 6, lists: 0 }],
  [7, { single: 0, lists: 7 }],
])('of %i flags access is read in the way that takes the fewest requests', async (amount, requests) => {
  const some = Array.from({ length: amount }, () => RULES);
  const world = await rig('posthog', seedOf(some));
  onTestFinished(() => world.close());
  await world.read(desiredState(...some.map((one, index) => declare(index, one, 'both'))));
  const lists = world.sent.filter((line) => /\/members\/|\/access_control_\w+_objects\//.test(line)).length;
  expect({ single: singleReads(world.sent), lists }).toEqual(requests);
});

it('levels of members are counted where the access changes', async () => {
  const many = Array.from({ length: 20 }, (_, index): Rules => ({ ...RULES, member: index === 4 ? 'editor' : null }));
  const world = await rig('posthog', seedOf(many));
  onTestFinished(() => world.close());
  const changed = { ...RULES, everyone: 'editor' };
  const desired = desiredState(...many.map((one, index) => declare(index, index === 4 ? changed : one, 'both')));
  const plan = planFor(desired, await world.read(desired));
  expect(plan.changes).toHaveLength(1);
  expect(plan.warnings).toEqual([{ code: 'access_of_members', key: 'f5', members: 1 }]);
});

it('a snapshot has all that the service says of each flag, since later manifests may declare another access', async () => {
  const many = Array.from({ length: 20 }, () => RULES);
  const world = await rig('posthog', seedOf(many));
  onTestFinished(() => world.close());
  const desired = desiredState(...many.map((one, index) => declare(index, one, 'both')));
  const { live } = await readWholeState(world.client, selectionOf(desired), {});
  expect(Object.values(live.roleAccess).every((access) => 'inherited_access' in access)).toBe(true);
  expect(Object.keys(live.roleAccess)).toHaveLength(20);
});
