/** A file of permits from the command line: what it allows is applied and reported; what it does not allow stays refused. */

import { describe, expect, test } from 'vitest';
import { keysOf, LIMITED, stage } from '../helpers/stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const PERMITS = `permits:
  - deletes: 1
    reason: 'the checkout was replaced @everyone'
    expires: 9999-12-31
  - { protected: search, reason: it is obsolete, expires: 2020-01-01 }
  - { risky: serach, reason: a typing error, expires: 9999-12-31 }
`;

describe('--permits', () => {
  test('allows the delete that the configuration refuses, names the permit, and converges', async () => {
    const { run, workspace, world } = await stage('flags:\n  checkout: { deleted: true }\n', LIMITED);
    await world.client.createFlag({ key: 'checkout', filters: { groups: [{ rollout_percentage: 1 }] } });
    workspace.write('permits.yaml', PERMITS);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(4);
    const plan = await run('plan', '--detailed-exitcode', '--permits', 'permits.yaml', '--out', 'plan.json');
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain(
      'The permit deletes: 1 (permits.yaml:2:5) allows what the rule deletes would refuse, until 9999-12-31: the checkout was replaced',
    );
    expect(plan.stdout).toContain('The permit protected: search (permits.yaml:5:5) expired on 2020-01-01');
    expect(plan.stdout).toContain('The permit risky: serach (permits.yaml:6:5) matches no declared or live flag');
    expect(schemaErrors('plan', JSON.parse(workspace.read('plan.json')))).toEqual([]);
    expect((await run('apply', 'plan.json')).code).toBe(0);
    expect(await keysOf(world)).toEqual([]);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('does not allow more than it says', async () => {
    const { run, workspace, world } = await stage('flags:\n  a: { deleted: true }\n  b: { deleted: true }\n', LIMITED);
    for (const key of ['a', 'b'])
      await world.client.createFlag({ key, filters: { groups: [{ rollout_percentage: 1 }] } });
    workspace.write('permits.yaml', PERMITS);
    const { code, stderr } = await run('apply', '--yes', '--permits', 'permits.yaml');
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('2 flags would be deleted; the limit is 1 (deletes).') as string,
    ]);
    expect((await keysOf(world)).toSorted()).toEqual(['a', 'b']);
  });

  test('with a mistake is refused before anything is read', async () => {
    const { run, workspace } = await stage();
    workspace.write('permits.yaml', 'permits: [{ deletes: 1, reason: x, expires: 2026-02-30 }]\n');
    const { code, stderr } = await run('plan', '--permits', 'permits.yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('permits.yaml:1:36') as string]);
    expect((await run('plan', '--permits', 'none.yaml')).stderr).toContain('none.yaml');
  });

  test('belongs to the plan: a saved plan takes none', async () => {
    const { run } = await stage();
    await run('plan', '--out', 'plan.json');
    const { code, stderr } = await run('apply', 'plan.json', '--permits', 'permits.yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--permits') as string]);
  });
});
