import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../../helpers/schemas.ts';
import { keysOf, LIMITED, MANIFEST, stage } from '../../helpers/stage.ts';

describe('apply', () => {
  test('applies with --yes; the next plan is empty and the next apply writes nothing', async () => {
    const { run, world } = await stage();
    const first = await run('apply', '--yes');
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('Plan: 2 to create') as string]);
    expect(first.stdout).toMatch(/✓ \+ create {2}checkout\n[^]*Applied 2 changes · \d+ requests · /);
    expect((await keysOf(world)).toSorted()).toEqual(['checkout', 'search']);
    const second = await run('apply', '--yes');
    expect([second.code, second.stdout]).toEqual([
      0,
      expect.stringContaining('In sync: 2 flags match the manifests') as string,
    ]);
    expect((await world.client.flagActivity((await world.client.listFlags())[0]!.id)).results).toHaveLength(1);
  });

  test('as JSON prints a result that fits the schema', async () => {
    const { run } = await stage();
    const { code, document } = await run('apply', '--yes', '--format', 'json');
    expect(code).toBe(0);
    expect(schemaErrors('result', document())).toEqual([]);
    expect(document()).toMatchObject({ verified: true, remainder: [], outcomes: { applied: 2 } });
  });

  test.each([
    ['yes', 0, 2],
    ['y', 4, 0],
    ['', 4, 0],
    [undefined, 4, 0],
  ])('asks on a terminal; %j means exit %i and %i flags', async (line, code, flags) => {
    const { runWith, world } = await stage();
    const ran = await runWith({ answer: { line } }, 'apply');
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain('Apply these changes to environment? Only "yes" is accepted: ');
    expect(await keysOf(world)).toHaveLength(flags);
  });

  test('shows what it asks about, also with --quiet, and nothing of it where nobody is asked', async () => {
    const { runWith, run } = await stage();
    const asked = await runWith({ answer: { line: '' } }, 'apply', '--quiet');
    expect(asked.stderr).toMatch(/Plan: 2 to create[^]*Apply these changes/);
    const silent = await run('apply', '--quiet', '--yes');
    expect([silent.code, silent.stderr]).toEqual([0, '']);
  });

  test('refuses without a terminal and without --yes', async () => {
    const { run, world } = await stage();
    const { code, stderr, document } = await run('apply', '--format', 'json');
    expect(code).toBe(4);
    expect(document()).toMatchObject({ error: { code: 'refused' } });
    expect(stderr).toContain('or confirm with --yes');
    expect(await keysOf(world)).toEqual([]);
  });

  test('refuses what the safety rules forbid, names the option, and accepts it', async () => {
    const { run, world, workspace } = await stage(MANIFEST, LIMITED);
    await run('apply', '--yes');
    workspace.write('flags/main.yaml', 'flags:\n  checkout: { deleted: true }\n  search: { deleted: true }\n');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(4);

    const { code, document, stderr } = await run('apply', '--yes', '-f', 'json');
    expect(code).toBe(4);
    expect(schemaErrors('error', document())).toEqual([]);
    expect(stderr.split('Or allow it in this run with --allow-deletes 2')).toHaveLength(2);
    expect(stderr).toContain('Or allow it in this run with --allow-protected search');
    expect(await keysOf(world)).toHaveLength(2);

    expect((await run('apply', '--yes', '--allow-deletes', '2')).code).toBe(4);
    expect((await run('apply', '--yes', '--allow-deletes', '2', '--allow-protected', 'search')).code).toBe(0);
    expect(await keysOf(world)).toEqual([]);
  });

  test('prunes only with --prune', async () => {
    const { run, world } = await stage();
    await world.client.createFlag({ key: 'stray' });
    await run('apply', '--yes');
    expect(await keysOf(world)).toContain('stray');
    expect((await run('apply', '--yes', '--prune')).code).toBe(0);
    expect(await keysOf(world)).not.toContain('stray');
  });
});

test('applies nothing if one of several targets matches nothing', async () => {
  const { run, world } = await stage();
  const { code, stderr } = await run('apply', '--yes', '--target', 'checkout', 'saerch');
  expect([code, await keysOf(world)]).toEqual([1, []]);
  expect(stderr).toContain('--target saerch matches no flag');
  expect(stderr).toContain('Did you mean --target search?');
});

describe('a saved plan', () => {
  test('is private, is applied without a question, and is then in sync', async () => {
    const { run, workspace } = await stage();
    expect((await run('plan', '--out', 'saved.json')).stderr).toContain('flagwright apply saved.json');
    expect(statSync(path.join(workspace.root, 'saved.json')).mode & 0o777).toBe(0o600);
    expect(schemaErrors('plan', JSON.parse(workspace.read('saved.json')))).toEqual([]);
    expect((await run('apply', 'saved.json')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('skips only the flag that changed, says what changed, and exits with 5', async () => {
    const { run, world, workspace } = await stage();
    await run('apply', '--yes');
    workspace.write('flags/main.yaml', MANIFEST.replace('10', '30').replace('active: false', 'active: true'));
    await run('plan', '--out', 'saved.json');
    await world.edit('checkout', { name: 'Edited by hand', filters: { groups: [{ rollout_percentage: 50 }] } });
    const { code, stdout } = await run('apply', 'saved.json');
    expect(code).toBe(5);
    expect(stdout).toMatch(/○ ~ update {2}checkout {2}skipped\n {6}the flag changed after the plan was made\n/);
    expect(stdout).toMatch(/condition 1 · rollout_percentage +10% → 50%/);
    expect(stdout).toMatch(/✓ ~ update {2}search\n/);
  });

  test.each([
    ['edited', (text: string) => text.replace('"One-page checkout"', '"Else"'), 1, 'plan_invalid'],
    ['cut', (text: string) => text.slice(0, 200), 1, 'plan_invalid'],
    ['of another version', (text: string) => text.replace('"1.0"', '"9.0"'), 1, 'plan_invalid'],
  ])('that was %s is refused', async (_, spoil, code, error) => {
    const { run, workspace, world } = await stage();
    await run('plan', '--out', 'saved.json');
    workspace.write('saved.json', spoil(workspace.read('saved.json')));
    const ran = await run('apply', 'saved.json', '-f', 'json');
    expect([ran.code, ran.document()]).toMatchObject([code, { error: { code: error } }]);
    expect(await keysOf(world)).toEqual([]);
  });

  test('of another project is refused', async () => {
    const here = await stage();
    const there = await stage();
    await here.run('plan', '--out', 'saved.json');
    there.workspace.write('saved.json', here.workspace.read('saved.json'));
    const { code, stderr } = await there.run('apply', 'saved.json');
    expect([code, await keysOf(there.world)]).toEqual([1, []]);
    expect(stderr).toContain('The plan was made for environment (');
  });

  test('accepts no option that would change it, and must exist', async () => {
    const { run } = await stage();
    await run('plan', '--out', 'saved.json');
    expect((await run('apply', 'saved.json', '--allow-deletes', '3')).code).toBe(1);
    expect((await run('apply', 'missing.json')).stderr).toContain('Cannot read missing.json');
  });
});
