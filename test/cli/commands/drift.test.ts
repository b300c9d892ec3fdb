import { describe, expect, test } from 'vitest';
import { stage } from '../../helpers/stage.ts';

describe('drift', () => {
  test('exits with 0 in sync, with 2 after another user edited a flag, and apply corrects it', async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    expect((await run('drift')).code).toBe(0);
    await world.edit('checkout', { filters: { groups: [{ rollout_percentage: 100 }] } });
    const { code, stdout } = await run('drift');
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /~ differs checkout {2}flags\/main\.yaml:5:5\n +condition 1 · rollout_percentage +10% → 100%\n +last edited by embedded@example\.org on \d{4}-\d\d-\d\d \S+ UTC\n/,
    );
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('drift')).code).toBe(0);
  });

  test('shows drift, and no hazards of a change', async () => {
    const { run, world, workspace } = await stage('flags: { base: { active: true } }\n');
    await run('apply', '--yes');
    const [base] = await world.client.listFlags();
    const properties = [{ key: String(base?.id), type: 'flag', operator: 'flag_evaluates_to', value: true }];
    await world.client.createFlag({ key: 'upper', active: true, filters: { groups: [{ properties }] } });
    workspace.write('flags/main.yaml', 'flags: { base: { active: false } }\n');
    expect((await run('plan')).stdout).toContain('The service may refuse the change');
    expect((await run('drift')).stdout).not.toContain('the service may refuse');
  });

  test('lists unmanaged flags, and counts them with --unmanaged', async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    await world.client.createFlag({ key: 'stray' });
    expect(await run('drift')).toMatchObject({ code: 0, stdout: expect.stringContaining('  ? stray\n') as string });
    expect((await run('drift', '--unmanaged')).code).toBe(2);
  });
});
