import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { startBroken } from '../../helpers/broken-service.ts';
import { git } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';
import { MANIFEST, stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('drift', () => {
  test('exits with 0 in sync, with 2 after another user edited a flag, and apply corrects it', async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    expect((await run('drift')).code).toBe(0);
    await world.edit('checkout', { filters: { groups: [{ rollout_percentage: 100 }] } });
    const { code, stdout } = await run('drift');
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /~ differs checkout {2}flags\/main\.yaml:5:5\n +condition 1 · rollout_percentage +10% → 100%\n +widen: .*\n +last edited by embedded@example\.org on \d{4}-\d\d-\d\d \S+ UTC\n/,
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
    expect((await run('plan')).stdout).toContain('active flags depend on it');
    expect((await run('drift')).stdout).not.toContain('depend on it');
  });

  test('lists unmanaged flags, and counts them with --unmanaged', async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    await world.client.createFlag({ key: 'stray' });
    expect(await run('drift')).toMatchObject({ code: 0, stdout: expect.stringContaining('  ? stray\n') as string });
    expect((await run('drift', '--unmanaged')).code).toBe(2);
  });
});

describe('who made a difference', () => {
  const EDIT = { filters: { groups: [{ rollout_percentage: 100 }] } };

  test('is read on demand, one request for each flag that differs', async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    await world.edit('checkout', EDIT);
    const asked = await run('drift', '--who');
    expect(asked.code).toBe(2);
    expect(asked.stdout).toMatch(
      /rollout_percentage +10% → 100%\n +widen: .*\n +changed by embedded@example\.org on \S+ \S+ UTC, .*\n +http:\/\/\S+\/project\/1\/feature_flags\/1\n/,
    );
    expect(asked.stdout).not.toContain('last edited');
    expect((JSON.parse((await run('plan', '--who', '-f', 'json')).stdout) as JsonObject)['attributions']).toMatchObject(
      [
        {
          ref: 'flag:checkout',
          path: '/filters/groups/0/rollout_percentage',
          kind: 'known',
          by: 'embedded@example.org',
        },
      ],
    );
    expect((await run('plan')).stdout).not.toContain('changed by');
  });

  test('may be an apply that this machine recorded, or one that it did not', async () => {
    const { run, workspace } = await stage();
    await run('apply', '--yes');
    workspace.write('flags/main.yaml', MANIFEST.replace('10', '20'));
    const { stderr } = await run('apply', '--yes');
    const [, name] = /Recorded as run (\S+);/.exec(stderr) ?? [];
    workspace.write('flags/main.yaml', MANIFEST);
    expect((await run('drift', '--who')).stdout).toContain(`in run ${name} of flagwright`);
    expect((await run('drift', '--who', '-f', 'markdown')).stdout).toContain(`in run \`${name}\` of flagwright`);
    workspace.write('flags/main.yaml', MANIFEST.replace('10', '30'));
    await run('apply', '--yes', '--no-journal');
    workspace.write('flags/main.yaml', MANIFEST);
    expect((await run('drift', '--who')).stdout).toContain('in a run that is not recorded here');
  });

  test("is a saved plan's to tell, too", async () => {
    const { run, world } = await stage();
    await run('apply', '--yes');
    await world.edit('checkout', EDIT);
    await run('plan', '--who', '--out', 'plan.json');
    expect((await run('show', 'plan.json')).stdout).toContain('changed by embedded@example.org');
    expect((await run('apply', 'plan.json', '--who')).code).toBe(1);
    expect((await run('apply', 'plan.json')).code).toBe(0);
  });
});

test('an edit that was made and undone is no drift, and nobody is asked about', async () => {
  const { run, world, workspace } = await stage();
  git(workspace.root, 'init', '--quiet');
  git(workspace.root, 'add', '-A');
  git(workspace.root, 'commit', '--quiet', '-m', 'First');
  await run('apply', '--yes');
  const before = (await world.client.listFlags()).find(({ key }) => key === 'checkout');
  await world.edit('checkout', { active: false });
  await world.edit('checkout', { active: true });
  expect(before?.active).toBe(true);
  const drift = await run('drift', '--who', '-f', 'json');
  expect(drift).toMatchObject({ code: 0 });
  expect(drift.document()).not.toHaveProperty('attributions');
  // Once more, by somebody else: what was undone before is not theirs.
  await world.edit('checkout', { active: false });
  workspace.write('flags/main.yaml', MANIFEST.replace('One-page checkout', 'Checkout'));
  const { stdout } = await run('drift', '--who');
  expect(stdout.match(/changed by/g)).toHaveLength(1);
});

test.each<readonly [string, JsonObject, string]>([
  [
    'without a name',
    { first_name: ' ', last_name: '', email: null },
    'changed on 2026-01-31 12:00:00 UTC by a user whom the service does not name',
  ],
  ['with an address only', { email: 'ada@example.org' }, 'changed by ada@example.org on 2026-01-31 12:00:00 UTC'],
  [
    'with terminal escapes in the name',
    { first_name: '\u001b[2JAda\u202e\r\n::error::x' },
    String.raw`changed by \u001b[2JAda\u202e\r\n::error::x on 2026-01-31`,
  ],
])('a person %s is told as such', async (_what, user, words) => {
  const entry = {
    id: 'a',
    user,
    activity: 'updated',
    created_at: '2026-01-31T12:00:00Z',
    detail: { changes: [{ field: 'active', before: true, after: false }] },
  };
  const flag = { id: 7, key: 'checkout', name: '', active: false, deleted: false, filters: {}, version: 2 };
  const service = await startBroken(({ url = '' }, response) => {
    const results = url.includes('/activity/') ? [entry] : url.includes('archived=true') ? [] : [flag];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ results, count: results.length, total_count: results.length, next: null }));
  });
  const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { checkout: { active: true } }\n' });
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const { code, stdout } = await runCli(['drift', '--who'], { cwd: root, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining(words) as string });
});

test('with a base, the authors of drift are named without being asked for, and nobody is for what git changed', async () => {
  const { run, world, workspace } = await stage();
  git(workspace.root, 'init', '--quiet');
  git(workspace.root, 'add', '-A');
  git(workspace.root, 'commit', '--quiet', '-m', 'First');
  await run('apply', '--yes');
  await world.edit('checkout', { filters: { groups: [{ rollout_percentage: 100 }] } });
  workspace.write(
    'flags/main.yaml',
    MANIFEST.replace('One-page checkout', 'Checkout').replace('active: false', 'active: true'),
  );
  const { attributions, changes } = JSON.parse((await run('plan', '-f', 'json')).stdout) as {
    attributions: JsonObject[];
    changes: JsonObject[];
  };
  expect(changes.map(({ ref }) => ref)).toEqual(['flag:checkout', 'flag:search']);
  expect(attributions).toMatchObject([
    { ref: 'flag:checkout', path: '/filters/groups/0/rollout_percentage', kind: 'known', by: 'embedded@example.org' },
  ]);
  expect((await run('plan', '--no-who', '-f', 'json')).stdout).not.toContain('attributions');
  expect((await run('drift', '-f', 'markdown')).stdout).toContain('- `embedded@example.org`\n  - ');
});
