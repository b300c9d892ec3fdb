/** A plan applied twice, archived flags, fields that the service ignores, and secrets in results. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import { declared, desiredState, retired } from '../../helpers/states.ts';
import { rolesOf } from '../../helpers/access.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';

const ONE = { groups: [{ properties: [], rollout_percentage: 10 }] };

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  const make = async (...flags: DesiredFlag[]): ReturnType<World['apply']> =>
    world.apply(await world.plan(desiredState(...flags)));

  it('a change that is already in effect counts as applied and is not sent', async () => {
    await make(
      declared('changed', { name: 'old' }),
      declared('doomed'),
      declared('shared', {}, { roles: ROLE_IDS.slice(0, 1) }),
    );
    const plan = await world.plan(
      desiredState(
        declared('changed', { name: 'new' }),
        retired('doomed'),
        declared('made', { name: 'x', filters: ONE }, { roles: ROLE_IDS.slice(0, 1) }),
        declared('shared', {}, { roles: ROLE_IDS.slice(1, 2) }),
      ),
    );
    expect((await world.apply(plan)).outcomes).toMatchObject({ applied: plan.changes.length });
    const before = JSON.stringify(await world.client.projectFlagActivity({ limit: 100 }));
    const second = await world.apply(plan);
    expect(second.changes.map(({ result }) => result)).toEqual(
      plan.changes.map(() => expect.objectContaining({ outcome: 'applied', already: true }) as unknown),
    );
    expect(second.remainder).toEqual([]);
    expect(JSON.stringify(await world.client.projectFlagActivity({ limit: 100 }))).toBe(before);
  });

  it('a flag that changed to another value is still refused', async () => {
    await make(declared('a', { name: 'old' }));
    const plan = await world.plan(desiredState(declared('a', { name: 'new' })));
    await world.edit('a', { name: 'theirs' });
    expect((await world.apply(plan)).changes[0]?.result).toMatchObject({
      outcome: 'skipped',
      reason: { code: 'stale' },
    });
  });
});

describe('today', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld('posthog');
  });
  afterEach(() => world.close());

  it('verifies archived flags, which are not listed', async () => {
    await world.apply(
      await world.plan(
        desiredState(declared('a', { active: false, filters: ONE }), declared('other', { filters: ONE })),
      ),
    );
    await world.edit('a', { archived: true });
    const result = await world.apply(await world.plan(desiredState(declared('a', { name: 'still here' }))));
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [], verified: true });
  });

  it('does not report parts of other products that the service removes', async () => {
    const supers = [
      { properties: [{ key: 'x', type: 'person', value: ['y'], operator: 'exact' }], rollout_percentage: 100 },
    ];
    const seeded = { flags: [{ id: 5, key: 'a', filters: { groups: ONE.groups, super_groups: supers } }] };
    const own = await startWorld('posthog', seeded);
    const plan = await own.plan(desiredState(declared('a', { filters: { groups: [{ rollout_percentage: 20 }] } })));
    expect(JSON.stringify(plan.changes)).toContain('super_groups');
    expect(await own.apply(plan)).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
    expect((await own.apply(plan)).changes[0]?.result).toMatchObject({ outcome: 'applied', already: true });
    await own.close();
  });

  it('never counts unread role access as absent', async () => {
    const flags = [
      declared('a', { active: false, filters: ONE }, { roles: ROLE_IDS.slice(0, 1) }),
      declared('b', { filters: ONE }),
    ];
    await world.apply(await world.plan(desiredState(...flags)));
    const plan = await world.plan(desiredState(declared('a', {}, { roles: [] })));
    const [change] = plan.changes;
    const hidden = { ...plan, changes: plan.changes.map((one) => ({ ...one, key: 'nowhere' })) };
    const result = await world.apply(hidden);
    expect(result.changes[0]?.result).toMatchObject({ outcome: 'skipped', reason: { code: 'stale' } });
    expect(await rolesOf(world.client, change?.resource === 'role_access' ? (change.id ?? 0) : 0)).toHaveLength(1);
  });

  it('finds archived flags even when no other flag is listed', async () => {
    await world.apply(await world.plan(desiredState(declared('a', { active: false, filters: ONE }))));
    await world.edit('a', { archived: true });
    const plan = await world.plan(desiredState(declared('a', { name: 'still here' })));
    expect(plan.changes).toMatchObject([{ action: 'update', key: 'a' }]);
  });

  it('gives every change its outcome when a listener throws', async () => {
    const plan = await world.plan(desiredState(declared('a', { filters: ONE }), declared('b', { filters: ONE })));
    const onProgress = (): never => {
      throw new Error('a listener');
    };
    const result = await applyPlan(plan, world.client, { concurrency: 2, onProgress });
    expect(result.outcomes).toMatchObject({ applied: 2 });
  });

  it('reports a field that the service ignores', async () => {
    const flag = declared('a', { filters: ONE, performed_rollback: true });
    const result = await world.apply(await world.plan(desiredState(flag)));
    expect(result.remainder).toMatchObject([{ path: '/performed_rollback', reason: 'service_ignores_field' }]);
    expect(await world.plan(desiredState(flag))).toMatchObject({
      changes: [],
      warnings: [{ code: 'field_unsupported', field: 'performed_rollback' }],
    });
  });

  it('creates a flag without conditions', async () => {
    const flag = declared('nobody', { active: true, filters: { groups: [] } });
    const result = await world.apply(await world.plan(desiredState(flag)));
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
    expect((await world.plan(desiredState(flag))).changes).toEqual([]);
  });

  it('keeps encrypted payloads out of the result, although they are sent', async () => {
    const secret = declared('a', {
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      filters: { ...ONE, payloads: { true: '"THE-SECRET"' } },
    });
    const result = await world.apply(await world.plan(desiredState(secret)));
    expect(result).toMatchObject({ outcomes: { applied: 1 }, remainder: [] });
    expect(JSON.stringify(result)).not.toContain('THE-SECRET');
    expect((await world.plan(desiredState(secret))).changes).toEqual([]);
  });
});
