/** Another user edits at the worst moment: between the last read and the write, or right after the write. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { EditEffect, Profile } from '../../service/src/index.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, retired } from '../helpers/states.ts';
import { ROLE_IDS } from '../helpers/world.ts';
import { expectConvergence, look, startRig } from './rig.ts';

const groups = (rollout: number): JsonObject => ({ groups: [{ properties: [], rollout_percentage: rollout }] });
const patch = (body: JsonObject, when: 'before' | 'after' = 'before'): EditEffect => ({
  method: 'PATCH',
  path: 'feature_flags/{id}/',
  body,
  when,
});

interface Case {
  readonly edit: EditEffect;
  readonly wanted: JsonObject;
  readonly outcome: string;
  /** The flag afterwards. */
  readonly left: JsonObject;
  readonly remainder?: readonly JsonObject[];
}

const UPDATES: readonly [name: string, profiles: readonly Profile[], one: Case][] = [
  [
    'of another field is kept, and ours is applied',
    ['documented', 'posthog'],
    {
      edit: patch({ tags: ['theirs'] }),
      wanted: { name: 'ours' },
      outcome: 'applied',
      left: { name: 'ours', tags: ['theirs'] },
    },
  ],
  [
    'of the same field is kept if the service has a lock',
    ['posthog'],
    { edit: patch({ name: 'theirs' }), wanted: { name: 'ours' }, outcome: 'skipped', left: { name: 'theirs' } },
  ],
  [
    'of the same filters is kept if the service has a lock',
    ['posthog'],
    {
      edit: patch({ filters: groups(7) }),
      wanted: { filters: groups(50) },
      outcome: 'skipped',
      left: { filters: { groups: [{ rollout_percentage: 7 }] } },
    },
  ],
  [
    'to the wanted value is no conflict',
    ['documented', 'posthog'],
    { edit: patch({ name: 'ours' }), wanted: { name: 'ours' }, outcome: 'applied', left: { name: 'ours' } },
  ],
  [
    'after our write is in the remainder',
    ['documented', 'posthog'],
    {
      edit: patch({ name: 'theirs' }, 'after'),
      wanted: { name: 'ours' },
      outcome: 'applied',
      left: { name: 'theirs' },
      remainder: [{ path: '/name', wanted: 'ours', found: 'theirs' }],
    },
  ],
  [
    'that deletes the flag is in the remainder',
    ['documented', 'posthog'],
    {
      edit: patch({ deleted: true }),
      wanted: { name: 'ours' },
      outcome: 'applied',
      left: {},
      remainder: [{ path: '', reason: 'not_found' }],
    },
  ],
];

const cases = UPDATES.flatMap(([name, profiles, one]) => profiles.map((profile) => ({ name, profile, ...one })));

test.concurrent.each(cases)('an edit $name ($profile)', async ({ profile, edit, wanted, outcome, left, remainder }) => {
  const rig = await startRig(profile);
  const { honest } = rig;
  const made = await honest.client.createFlag({ key: 'a', name: 'old', filters: groups(1) });
  const desired = desiredState(declared('a', wanted));
  const plan = await honest.plan(desired);
  const faulty = await rig.startFaulty([{ match: { operation: 'updateFlag' }, edit }]);
  const result = await faulty.apply(plan);
  expect(result.changes.map(({ result: { outcome: kind } }) => kind)).toEqual([outcome]);
  expect(result.remainder).toMatchObject(remainder ?? []);
  expect(result.remainder).toHaveLength(remainder?.length ?? 0);
  expect(await honest.client.getFlag(made.id)).toMatchObject(left);
  await expectConvergence(honest, desired);
  await rig.close();
});

test('moved fields are reported one by one', async () => {
  const rig = await startRig('posthog');
  await rig.honest.client.createFlag({ key: 'a', name: 'old', filters: groups(1) });
  const plan = await rig.honest.plan(desiredState(declared('a', { name: 'ours' })));
  const faulty = await rig.startFaulty([{ match: { operation: 'updateFlag' }, edit: patch({ name: 'theirs' }) }]);
  const { changes } = await faulty.apply(plan);
  expect(changes[0]?.result).toEqual({
    outcome: 'skipped',
    reason: { code: 'stale', moved: [{ path: '/name', before: 'old', after: 'theirs' }] },
  });
  await rig.close();
});

describe.each(['documented', 'posthog'] as const)('another user writes first (%s)', (profile) => {
  const theirFlag: EditEffect = {
    method: 'POST',
    path: 'feature_flags/',
    body: { key: 'a', name: 'theirs', filters: groups(1) },
  };

  test.each([
    ['refused', {}, 'failed'],
    // Their flag has our key and not our fields: ours may have existed in between.
    ['refused, and the answer lost', { reset: { when: 'after' } }, 'unknown'],
  ] as const)('with a create: ours is %s, theirs is left alone', async (_name, ending, outcome) => {
    const rig = await startRig(profile);
    const desired = desiredState(declared('a', { name: 'ours' }));
    const plan = await rig.honest.plan(desired);
    const faulty = await rig.startFaulty([{ match: { operation: 'createFlag' }, edit: theirFlag, ...ending }]);
    const { changes } = await faulty.apply(plan);
    expect(changes.map(({ result }) => result.outcome)).toEqual([outcome]);
    const [flag, ...others] = (await look(rig.honest)).flags as readonly [Flag, ...Flag[]];
    expect(others).toEqual([]);
    expect(flag.name).toBe('theirs');
    await expectConvergence(rig.honest, desired);
    await rig.close();
  });

  test('a grant counts as applied, and the role has one entry', async () => {
    const rig = await startRig(profile);
    await rig.honest.client.createFlag({ key: 'a', filters: groups(1) });
    const [role = ''] = ROLE_IDS;
    const desired = desiredState(declared('a', {}, { roles: [role] }));
    const plan = await rig.honest.plan(desired);
    const edit: EditEffect =
      profile === 'documented'
        ? { method: 'POST', path: 'feature_flags/{id}/role_access/', body: { role_id: role } }
        : { method: 'PUT', path: 'feature_flags/{id}/access_controls/', body: { role, access_level: 'editor' } };
    const operation = profile === 'documented' ? 'createRoleAccess' : 'setAccess';
    const faulty = await rig.startFaulty([{ match: { operation }, edit }]);
    expect(await faulty.apply(plan)).toMatchObject({ outcomes: { applied: 1 }, remainder: [], verified: true });
    const seen = await look(rig.honest);
    expect(seen.rolesOf(seen.flags[0])).toEqual([role]);
    await expectConvergence(rig.honest, desired);
    await rig.close();
  });
});

describe('another user makes the same change first, and the service refuses ours', () => {
  const [role = ''] = ROLE_IDS;
  const conflict = { answer: { status: 409 } } as const;

  test.each<[string, EditEffect, JsonObject]>([
    ['the same name', patch({ name: 'ours' }), { name: 'ours' }],
    ['the same conditions', patch({ filters: groups(50) }), { filters: groups(50) }],
    ['equivalent conditions', patch({ filters: { groups: [{ rollout_percentage: 50 }] } }), { filters: groups(50) }],
    ['the wanted value and another one', patch({ name: 'ours', tags: ['theirs'] }), { name: 'ours' }],
    ['a deletion', patch({ deleted: true }), {}],
  ])('409 after %s: the change was already made, and not by us', async (name, edit, wanted) => {
    const rig = await startRig('posthog');
    const { id } = await rig.honest.client.createFlag({ key: 'a', name: 'old', filters: groups(1) });
    const desired = desiredState(name === 'a deletion' ? retired('a') : declared('a', wanted));
    const plan = await rig.honest.plan(desired);
    const before = (await look(rig.honest)).ourActivity;
    const faulty = await rig.startFaulty([{ match: { operation: 'updateFlag' }, edit, ...conflict }]);
    const result = await faulty.apply(plan);
    expect(result).toMatchObject({ remainder: [], verified: true });
    expect(result.changes[0]?.result).toEqual({ outcome: 'applied', id, already: true });
    expect((await look(rig.honest)).ourActivity).toEqual(before);
    await expectConvergence(rig.honest, desired);
    await rig.close();
  });

  test('the service’s own lock refuses an equivalent value in another form', async () => {
    const rig = await startRig('posthog');
    await rig.honest.client.createFlag({ key: 'a', filters: groups(1) });
    const desired = desiredState(declared('a', { filters: groups(50) }));
    const plan = await rig.honest.plan(desired);
    const edit = patch({ filters: { groups: [{ properties: [], rollout_percentage: 50, variant: null }] } });
    const faulty = await rig.startFaulty([{ match: { operation: 'updateFlag' }, edit }]);
    const { changes, remainder } = await faulty.apply(plan);
    expect(changes[0]?.result).toMatchObject({ outcome: 'applied', already: true });
    expect(remainder).toEqual([]);
    await rig.close();
  });

  test('409 after an edit that makes half of our change is stale and reports what moved', async () => {
    const rig = await startRig('posthog');
    await rig.honest.client.createFlag({ key: 'a', name: 'old', filters: groups(1) });
    const desired = desiredState(declared('a', { name: 'ours', filters: groups(50) }));
    const plan = await rig.honest.plan(desired);
    const edit = patch({ name: 'ours' });
    const faulty = await rig.startFaulty([{ match: { operation: 'updateFlag' }, edit, ...conflict }]);
    expect((await faulty.apply(plan)).changes[0]?.result).toEqual({
      outcome: 'skipped',
      reason: { code: 'stale', moved: [{ path: '/name', before: 'old', after: 'ours' }] },
    });
    await expectConvergence(rig.honest, desired);
    await rig.close();
  });

  test('a create of the same flag counts as already applied', async () => {
    const rig = await startRig('posthog');
    const desired = desiredState(declared('a', { name: 'ours', active: true, filters: groups(5) }));
    const plan = await rig.honest.plan(desired);
    const body = { key: 'a', name: 'ours', active: true, filters: groups(5) };
    const edit: EditEffect = { method: 'POST', path: 'feature_flags/', body };
    const faulty = await rig.startFaulty([{ match: { operation: 'createFlag' }, edit }]);
    const result = await faulty.apply(plan);
    const seen = await look(rig.honest);
    expect(result.changes[0]?.result).toEqual({ outcome: 'applied', id: seen.flags[0]?.id, already: true });
    expect(result.remainder).toEqual([]);
    expect(seen.ourActivity).toEqual([]);
    await rig.close();
  });

  test('a grant of the same role, where the service refuses duplicates', async () => {
    const rig = await startRig('documented');
    await rig.honest.client.createFlag({ key: 'a', filters: groups(1) });
    const plan = await rig.honest.plan(desiredState(declared('a', {}, { roles: [role] })));
    const edit = { method: 'POST', path: 'feature_flags/{id}/role_access/', body: { role_id: role } } as const;
    const faulty = await rig.startFaulty([{ match: { operation: 'createRoleAccess' }, edit }]);
    expect((await faulty.apply(plan)).changes[0]?.result).toEqual({ outcome: 'applied', id: 1, already: true });
    await rig.close();
  });

  test('a revoke of the same entry counts as already made', async () => {
    const rig = await startRig('documented');
    const { id } = await rig.honest.client.createFlag({ key: 'a', filters: groups(1) });
    await rig.honest.client.createRoleAccess(id, role);
    const plan = await rig.honest.plan(desiredState(declared('a', {}, { roles: [] })));
    const edit = { method: 'DELETE', path: 'feature_flags/{id}/role_access/1/' } as const;
    const faulty = await rig.startFaulty([{ match: { operation: 'deleteRoleAccess' }, edit }]);
    expect((await faulty.apply(plan)).changes[0]?.result).toEqual({ outcome: 'applied', id: 1, already: true });
    await rig.close();
  });
});
