/** Somebody else edits at the worst moment: between the last look and the write, or right after it. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { EditEffect } from '../../src/embedded/faults/script.ts';
import type { Profile } from '../../src/embedded/service.ts';
import type { Flag } from '../../src/model/flag.ts';
import { declared, desiredState } from '../helpers/states.ts';
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
  /** What the flag is afterwards. */
  readonly left: JsonObject;
  readonly remainder?: readonly JsonObject[];
}

const UPDATES: readonly [name: string, profiles: readonly Profile[], one: Case][] = [
  [
    'of another field is kept, and ours is made',
    ['documented', 'posthog'],
    {
      edit: patch({ tags: ['theirs'] }),
      wanted: { name: 'ours' },
      outcome: 'applied',
      left: { name: 'ours', tags: ['theirs'] },
    },
  ],
  [
    'of the same field is kept where the service has a lock',
    ['posthog'],
    { edit: patch({ name: 'theirs' }), wanted: { name: 'ours' }, outcome: 'skipped', left: { name: 'theirs' } },
  ],
  [
    'of the same filters is kept where the service has a lock',
    ['posthog'],
    {
      edit: patch({ filters: groups(7) }),
      wanted: { filters: groups(50) },
      outcome: 'skipped',
      left: { filters: { groups: [{ rollout_percentage: 7 }] } },
    },
  ],
  [
    'to what we want is no conflict',
    ['documented', 'posthog'],
    { edit: patch({ name: 'ours' }), wanted: { name: 'ours' }, outcome: 'applied', left: { name: 'ours' } },
  ],
  [
    'after ours shows in the remainder',
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
    'that deletes the flag shows in the remainder',
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

test('what moved is told field by field', async () => {
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

describe.each(['documented', 'posthog'] as const)('somebody is first (%s)', (profile) => {
  const theirFlag: EditEffect = {
    method: 'POST',
    path: 'feature_flags/',
    body: { key: 'a', name: 'theirs', filters: groups(1) },
  };

  test.each([
    ['refused', {}, 'failed'],
    // Theirs is found under our key and is not what we sent: nobody can say whether ours was there in between.
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

  test('with a grant: it counts as applied, and the role has one entry', async () => {
    const rig = await startRig(profile);
    await rig.honest.client.createFlag({ key: 'a', filters: groups(1) });
    const [role = ''] = ROLE_IDS;
    const desired = desiredState(declared('a', {}, { roles: [role] }));
    const plan = await rig.honest.plan(desired);
    const edit = { method: 'POST', path: 'feature_flags/{id}/role_access/', body: { role_id: role } } as const;
    const faulty = await rig.startFaulty([{ match: { operation: 'createRoleAccess' }, edit }]);
    const result = await faulty.apply(plan);
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [], verified: true });
    const seen = await look(rig.honest);
    expect(seen.rolesOf(seen.flags[0])).toEqual([role]);
    await expectConvergence(rig.honest, desired);
    await rig.close();
  });
});
