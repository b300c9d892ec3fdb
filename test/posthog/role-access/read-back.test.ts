/** A level that the service accepts and does not store remains, for each of two roles and flags by itself. */

import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyResult } from '../../../src/loop/apply/result.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { grantRole } from '../../helpers/access.ts';
import { startLiar } from '../../helpers/liar.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { openWorld, ROLE_IDS } from '../../helpers/world.ts';

const [FIRST = '', SECOND = '', THIRD = ''] = ROLE_IDS;
const ACTIVE = { active: true };

interface Applied extends ApplyResult {
  /** The ref of the write that the service answered and did not make. */
  readonly unstored: string | undefined;
}

/** Grants two roles of flag `a` and revokes a third, and grants one role of flag `b`. The n-th write is answered and not made. */
async function applied(profile: 'documented' | 'posthog', n: number): Promise<Applied> {
  const world = await openWorld(profile);
  const flags: Flag[] = [];
  for (const key of ['a', 'b'])
    flags.push(await world.client.createFlag({ key, ...ACTIVE, filters: { groups: [{}] } }));
  await grantRole(world.client, flags[0]?.id ?? 0, THIRD);
  const wanted = desiredState(
    declared('a', ACTIVE, { roles: [FIRST, SECOND] }),
    declared('b', ACTIVE, { roles: [SECOND] }),
  );
  const plan = await world.plan(wanted);
  expect(plan.changes).toHaveLength(4);
  let unstored: string | undefined;
  const liar = await startLiar(world, (write, { method, url, body }) => {
    if (write !== n) return undefined;
    const flag = flags.find(({ id }) => url.includes(`/feature_flags/${id}/`));
    const sent = (method === 'DELETE' ? {} : JSON.parse(body)) as Readonly<Record<string, string | null>>;
    const id = sent['role_id'] ?? sent['role'] ?? THIRD;
    unstored = `role_access:${flag?.key}:${id}`;
    if (id === THIRD) return { reply: { status: 204 }, carriedOut: false };
    const entry = { id: 99, role: { id, name: 'x' }, feature_flag: { id: flag?.id, key: flag?.key } };
    const rule = { access_level: 'editor', role: id, organization_member: null };
    return { reply: { body: profile === 'posthog' ? rule : entry }, carriedOut: false };
  });
  return { ...(await applyPlan(plan, liar.client, { concurrency: 1 })), unstored };
}

describe.each(['documented', 'posthog'] as const)('in the profile %s', (profile) => {
  test('nothing remains where all is stored', async () => {
    const { changes, remainder } = await applied(profile, -1);
    expect(changes.map(({ result: { outcome } }) => outcome)).toEqual(Array.from({ length: 4 }, () => 'applied'));
    expect(remainder).toEqual([]);
  });

  test.each([1, 2, 3, 4])('exactly the change that is not stored remains (write %i)', async (write) => {
    const { changes, remainder, unstored } = await applied(profile, write);
    const { change } = changes.find((one) => one.change.ref === unstored) ?? {};
    expect(remainder.map(({ ref, key }) => [ref, key])).toEqual([[unstored, change?.key]]);
    const isRevoke = change?.action === 'revoke';
    expect(remainder[0]?.reason).toBe(isRevoke ? 'service_changed_value' : 'service_dropped_value');
    expect(remainder[0]).toHaveProperty(isRevoke ? 'found' : 'wanted', profile === 'posthog' ? 'editor' : true);
  });
});
