/** `off`: flags are turned off in the service without manifests, recorded, kept or reverted, and never turned on again unasked. */

import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Profile } from '../../service/src/index.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { createRepository, GIT_ENV } from '../helpers/repository.ts';
import { runCli, type Ran, type RunOptions } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { openWorld, ROLE_IDS, type World, type WorldOptions } from '../helpers/world.ts';

const KEY = 'phx_planted_key_0123456789';
const MANIFEST = `flags:
  checkout:
    active: true
    rollout_percentage: 10
  search: { active: true, rollout_percentage: 20 }
  banner: { active: false, rollout_percentage: 30 }
`;
const PROFILES: readonly Profile[] = ['documented', 'posthog'];

interface Scene {
  readonly world: World;
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly runWith: (options: Partial<RunOptions>, ...argv: string[]) => Promise<Ran>;
  /** The requests since the last call, `GET feature_flags/`. */
  readonly asked: () => string[];
  readonly flag: (key: string) => Promise<Flag | undefined>;
}

interface Setting {
  readonly profile?: Profile;
  readonly manifest?: string;
  readonly config?: string;
  readonly seed?: JsonValue;
  readonly options?: WorldOptions;
}

async function scene({
  profile = 'posthog',
  manifest = MANIFEST,
  config = '',
  seed,
  options,
}: Setting = {}): Promise<Scene> {
  let paths: string[] = [];
  const world = await openWorld(profile, seed, {
    ...options,
    onRequest: ({ method, path: asked }) =>
      void paths.push(`${method} ${asked.replace('/api/projects/1/', '').replaceAll(/\d+/g, 'N')}`),
  });
  const workspace = createWorkspace({
    'flagwright.yaml': `projects: { main: { host: "${world.url}", project_id: "1" } }\n${config}`,
    'flags/main.yaml': manifest,
  });
  const runWith: Scene['runWith'] = async (more, ...argv) =>
    runCli(argv, { cwd: workspace.root, ...more, env: { POSTHOG_API_KEY: KEY, ...more.env } });
  return {
    world,
    workspace,
    runWith,
    run: (...argv) => runWith({}, ...argv),
    asked: () => {
      const asked = paths;
      paths = [];
      return asked;
    },
    flag: async (key) => (await world.client.listFlags()).find((one) => one.key === key),
  };
}

async function applied(setting: Setting = {}): Promise<Scene> {
  const staged = await scene(setting);
  expect(await staged.run('apply', '-y', '--no-journal')).toMatchObject({ code: 0 });
  staged.asked();
  return staged;
}

test('each request is logged when asked for, and progress is cleared before what is said', async () => {
  const { run, runWith } = await applied({ profile: 'posthog' });
  const { stderr } = await run('off', 'search', '-y', '-v');
  expect(stderr).toMatch(/^GET \S*scheduled_changes\S* 200 \d+ ms$/m);
  for (const key of ['search', 'checkout']) {
    const asked = await runWith({ answer: { line: 'yes' }, env: { TERM: 'xterm' } }, 'off', key);
    expect(asked.stderr).toMatch(/[0-9] requests?/);
    expect(asked.stderr).not.toMatch(/[0-9] requests?[^\r\n]*\n/);
  }
});

describe.each(PROFILES)('in the profile %s', (profile) => {
  test('a flag is turned off, and nothing else of it or of others is written', async () => {
    const { run, world, flag } = await applied({ profile });
    const before = await world.client.listFlags();
    await world.edit('checkout', { name: 'by hand' });
    const done = await run('off', 'checkout', '--yes', '--reason', 'incident 4711');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('Turned off in main');
    expect(await flag('checkout')).toMatchObject({ active: false, name: 'by hand' });
    expect(await flag('search')).toEqual(before.find(({ key }) => key === 'search'));
    expect(done.stderr).toContain('flagwright accept checkout --only active -p main');
    expect(done.stderr).toContain('-    active: true\n    +    active: false');
    expect(done.stderr).toMatch(/flagwright undo \d{8}T\d{9}Z-[0-9a-f]{4} -p main/);
  });

  test('undo brings the former state back, and the plan is empty', async () => {
    const { run, flag } = await applied({ profile });
    await run('off', 'checkout', 'search', '-y', '--reason', 'incident');
    expect((await run('history')).stdout).toContain('  off: incident\n');
    const undone = await run('undo', '-y');
    expect(undone.code).toBe(0);
    // The manifests never said what the run wrote.
    expect(undone.stderr).not.toContain('Undo does not change git');
    expect(await flag('checkout')).toMatchObject({ active: true });
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('only an undo turns a flag back on that the manifests retire, declare off, or do not switch', async () => {
    const { run, workspace } = await applied({ profile });
    const manifest = 'flags:\n  checkout: { deleted: true }\n  search: { rollout_percentage: 20 }\n';
    writeFileSync(path.join(workspace.root, 'flags/main.yaml'), manifest);
    const both = await run('off', 'checkout', 'search', '-y');
    expect(both.stderr).toMatch(/\n\nTo turn it back on:\n {2}flagwright undo \S+ -p main\n$/);
    await run('undo', '-y');
    writeFileSync(path.join(workspace.root, 'flags/main.yaml'), MANIFEST.replace('true', 'false'));
    const one = await run('off', 'checkout', 'search', '-y');
    expect(one.stderr).toContain('flagwright accept search --only active -p main');
  });

  test.each([
    ['{ active: observed }', [], false],
    ['{ active: initial }', [], false],
    ['{ rollout_percentage: observed }', [], true],
    ['{ rollout_percentage: observed }', ['--zero'], false],
    ['{ rollout_percentage: { between: [0, 20] } }', ['--zero'], false],
    ['{ rollout_percentage: { between: [5, 20] } }', ['--zero'], true],
  ])('of a flag with ownership %s, %j leaves drift: %j', async (ownership, options, isDrift) => {
    const manifest = `flags:\n  checkout: { active: true, rollout_percentage: 10, ownership: ${ownership} }\n`;
    const { run } = await applied({ profile, manifest });
    const { stderr } = await run('off', 'checkout', '-y', ...options);
    expect((await run('drift')).code).toBe(isDrift ? 2 : 0);
    expect(stderr.includes('drift reports it')).toBe(isDrift);
  });

  test('undo names what accept has written, and an undo of it what it has not', async () => {
    const { run } = await applied({ profile });
    await run('off', 'checkout', 'search', '-y');
    await run('accept', 'checkout', '--only', 'active', '--yes');
    const saved = await run('undo', '--out', 'undo.json');
    const undone = await run('undo', '-y');
    const repeats = (place: string): string =>
      `Undo does not change git. Edit ${place} too, or the next apply repeats the change.\n`;
    for (const { stderr } of [saved, undone]) expect(stderr).toContain(repeats('flags/main.yaml:3:5'));
    const [undo = ''] = (await run('history')).stdout.split(' ');
    expect((await run('undo', undo, '-y')).stderr).toContain(repeats('flags/main.yaml:5:13'));
  });

  test('undo names no value that others decide', async () => {
    const manifest = 'flags:\n  checkout: { active: false, ownership: { active: observed } }\n';
    const { run, world } = await applied({ profile, manifest });
    await world.edit('checkout', { active: true });
    await run('off', 'checkout', '-y');
    const undone = await run('undo', '-y');
    expect([undone.code, undone.stderr]).toEqual([0, expect.not.stringContaining('change git') as string]);
  });

  test('undo names conditions at 0% that accept has written', async () => {
    const { run } = await applied({ profile });
    await run('off', 'checkout', '--zero', '-y');
    await run('accept', 'checkout', '--yes');
    expect((await run('undo', '-y')).stderr).toContain('Edit flags/main.yaml:4:5 too');
  });

  test('what is accepted leaves nothing to plan', async () => {
    const { run, workspace } = await applied({ profile });
    await run('off', 'checkout', '-y');
    expect((await run('accept', 'checkout', '--only', 'active', '--yes')).code).toBe(0);
    expect(readFileSync(path.join(workspace.root, 'flags/main.yaml'), 'utf8')).toBe(
      MANIFEST.replace('active: true', 'active: false'),
    );
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('apply refuses to restore it turned on after somebody deleted it', async () => {
    const { run, world, flag } = await applied({ profile });
    await run('off', 'checkout', '-y', '--reason', 'incident 4711');
    await world.edit('checkout', { deleted: true });
    const refused = await run('apply', '-y');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('incident 4711. The plan would restore it, now deleted, and revert that');
    expect(await flag('checkout')).toBeUndefined();
    expect((await run('apply', '-y', '--override', 'checkout')).code).toBe(0);
    expect(await flag('checkout')).toMatchObject({ active: true });
  });

  test('apply refuses to turn it on again where the service or a manifest renamed it', async () => {
    const { run, world, workspace, flag } = await applied({ profile });
    await run('off', 'checkout', 'search', '-y', '--reason', 'incident 4711');
    await world.edit('checkout', { key: 'checkout-old' });
    const renamed = '  find: { previous_keys: [search], active: true';
    workspace.write('flags/main.yaml', MANIFEST.replace('  search: { active: true', renamed));
    const refused = await run('apply', '-y');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('Each of these 2 flags was turned off');
    expect(refused.stderr).toContain('in this run with --override checkout --override find');
    expect(await flag('checkout-old')).toMatchObject({ active: false });
    expect(await flag('search')).toMatchObject({ active: false });
  });

  test('apply refuses to turn it on again without a base, and drift names the reason and who', async () => {
    const { run, flag } = await applied({ profile });
    await run('off', 'checkout', '-y', '--reason', 'incident 4711');
    const refused = await run('apply', '-y');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('checkout was turned off by ana@laptop on ');
    expect(refused.stderr).toContain('): incident 4711. The plan would revert that (switched_off).');
    expect(refused.stderr).not.toContain('--only-pending');
    expect(await flag('checkout')).toMatchObject({ active: false });
    expect((await run('drift')).stdout).toContain('with `flagwright off`: incident 4711');
    expect((await run('apply', '-y', '--override', 'checkout')).code).toBe(0);
    expect(await flag('checkout')).toMatchObject({ active: true });
    // The newest run about the flag is that apply.
    await run('apply', '-y');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('every document fits its schema', async () => {
    const { run } = await applied({ profile });
    const off = await run('off', 'checkout', '-y', '--reason', 'x', '-f', 'json');
    expect(schemaErrors('result', off.document())).toEqual([]);
    expect(off.document()).toMatchObject({ off: { reason: 'x' }, outcomes: { applied: 1 } });
    const plan = await run('plan', '-f', 'json');
    expect(schemaErrors('plan', plan.document())).toEqual([]);
    expect(plan.document()).toMatchObject({
      hazards: [{ code: 'switched_off', off: { reason: 'x', by: 'ana@laptop', paths: ['/active'] } }],
      attributions: [{ path: '/active', off: { reason: 'x' } }],
    });
    const history = await run('history', '-f', 'json');
    expect(schemaErrors('history', history.document())).toEqual([]);
    expect(history.document()).toMatchObject({ runs: [{ off: { reason: 'x' } }] });
    const already = await run('off', 'checkout', '-y', '-f', 'json');
    expect(schemaErrors('result', already.document())).toEqual([]);
  });

  test('of two keys of which one is unknown, none is turned off', async () => {
    const { run, flag } = await applied({ profile });
    const refused = await run('off', 'search', 'chekout', '-y');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('main has no flag chekout; nothing was turned off.');
    expect(refused.stderr).toContain('Did you mean checkout?');
    expect((await run('off', 'Checkout', '-y')).stderr).toContain('Did you mean checkout?');
    expect(await flag('search')).toMatchObject({ active: true });
  });

  test('a flag that is off already is said', async () => {
    const { run, asked } = await applied({ profile });
    const done = await run('off', 'banner', '-y');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain('banner is already off in main.');
    expect(asked().every((one) => one.startsWith('GET'))).toBe(true);
    // Nothing turns it on again without a word.
    expect((await run('history')).stdout).toContain('off');
    const both = await run('off', 'banner', 'checkout', '-y');
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining('Applied 1 change ') as string]);
  });

  test('a flag that no manifest declares is not told to be accepted or applied', async () => {
    const { run, world } = await applied({ profile });
    await world.client.createFlag({ key: 'by-hand', active: true });
    const { stderr } = await run('off', 'by-hand', '-y');
    expect(stderr).not.toMatch(/in git|flagwright accept|flagwright apply|drift reports/);
    expect(stderr).toMatch(/^To turn it back on:\n {2}flagwright undo \S+ -p main\n$/m);
    const both = await run('off', 'search', 'by-hand', '-y');
    expect(both.stderr).toContain('flagwright accept search --only active -p main');
  });

  test('a role of which only the service knows the name hides neither what is declared nor what accept writes', async () => {
    const manifest = MANIFEST.replace(/^( {4}rollout_percentage: 10)$/m, '$1\n    role_access: [role-0]');
    const roles = [{ id: ROLE_IDS[0] ?? '', name: 'role-0' }];
    const { run, world } = await applied({ profile, manifest, seed: { roles } });
    await world.client.createFlag({ key: 'by-hand', active: true });
    const { stderr } = await run('off', 'checkout', 'by-hand', '-y');
    expect(stderr).toContain('  flagwright accept checkout --only active -p main\n    --- a/flags/main.yaml');
  });

  test('a flag that git renames is told of by the key that accept takes', async () => {
    const { run, workspace } = await applied({ profile });
    workspace.write('flags/main.yaml', MANIFEST.replace(/^( {2})search: \{/m, '$1found: { previous_keys: [search],'));
    const { stderr } = await run('off', 'search', '-y');
    expect(stderr).toContain('flagwright accept found --only active -p main\n    --- a/flags/main.yaml');
    expect(await run('accept', 'found', '--only', 'active', '-p', 'main', '-y')).toMatchObject({ code: 0 });
  });

  test('without flagwright.yaml, only undo is told of', async () => {
    const { workspace, world } = await applied({ profile });
    renameSync(path.join(workspace.root, 'flagwright.yaml'), path.join(workspace.root, 'other.yaml'));
    const env = { POSTHOG_API_KEY: KEY, POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1' };
    const ran = await runCli(['off', 'checkout', '-y'], { cwd: workspace.root, env });
    expect(ran.stderr).toMatch(/\nTo turn it back on:\n {2}flagwright undo \S+ -p environment\n$/);
    workspace.write('flags/main.yaml', '');
    const explained = await runCli(['explain', 'checkout'], { cwd: path.join(workspace.root, 'flags'), env });
    expect(explained.stderr).toMatch(
      /There is no flagwright\.yaml in this or a parent folder[^]*flagwright flags get KEY/,
    );
  });

  test('broken manifests do not matter, and neither do absent ones', async () => {
    const { run, workspace, flag } = await applied({ profile });
    workspace.write('flags/main.yaml', 'flags: [\n');
    const done = await run('off', 'checkout', '-y');
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('flagwright accept checkout --only active -p main\nTo revert this, either:');
    workspace.write(
      'flagwright.yaml',
      readFileSync(path.join(workspace.root, 'flagwright.yaml'), 'utf8') + 'manifests: [none/*.yaml]\n',
    );
    expect((await run('off', 'search', '-y')).code).toBe(0);
    expect(await flag('search')).toMatchObject({ active: false });
  });
});

test('one flag costs three requests, and then one for what is scheduled; the body of the write is empty', async () => {
  const { run, asked } = await applied();
  await run('off', 'checkout', '-y');
  const written = ['GET feature_flags/', 'POST feature_flags/N/disable/', 'GET feature_flags/N/'];
  expect(asked()).toEqual([...written, 'GET scheduled_changes/']);
});

describe('what the service is to do by itself', () => {
  const later = (flag: string, id: number, payload: JsonValue, more: object = {}): JsonObject => ({
    ...{ id, flag, payload, scheduled_at: '2099-12-01T09:00:00Z', ...more },
  });
  const turn = (value: boolean): JsonValue => ({ operation: 'update_status', value });
  const flags = ['checkout', 'search'].map((key, index) => ({ id: index + 1, key, filters: { groups: [{}] } }));
  const turnOff = async (scheduled_changes: JsonValue, faults?: JsonValue): Promise<Ran> => {
    const seed = { flags, scheduled_changes };
    const { run } = await scene({ seed, ...(faults === undefined ? {} : { options: { faults } }) });
    const ran = await run('off', 'checkout', '-y');
    expect(ran).toMatchObject({ code: 0 });
    return ran;
  };

  test.each<[string, JsonObject, boolean]>([
    ['turns it on', later('checkout', 12, turn(true)), true],
    ['turns it off', later('checkout', 12, turn(false)), false],
    ['adds a condition', later('checkout', 12, { operation: 'add_release_condition', value: { groups: [] } }), false],
    ['turned it on before', later('checkout', 12, turn(true), { executed_at: '2026-01-01T09:00:00Z' }), false],
    ['turns another on', later('search', 12, turn(true)), false],
  ])('is said where it %s', async (_, change, isSaid) => {
    const { stderr } = await turnOff([change]);
    const text = 'Schedule 12 changes checkout on 2099-12-01 09:00:00 UTC (turns it on).';
    expect(stderr.includes(text)).toBe(isSaid);
    expect(/Delete it in the service before then, .*: http.*feature_flags\/1/.test(stderr)).toBe(isSaid);
  });

  test('is said of a flag that is off already, and so is a step of its manifest', async () => {
    const steps = '{ steps: [{ at: 2099-11-01T09:00Z, to: true }, { at: 2099-12-01T09:00Z, to: false }] }';
    const seed = {
      flags: flags.map((flag) => ({ ...flag, active: false })),
      scheduled_changes: [later('checkout', 12, turn(true))],
    };
    const manifest = `flags:\n  search: { active: ${steps} }\n  checkout: { active: false }\n`;
    const { run, workspace } = await scene({ seed, manifest });
    const { code, stderr } = await run('off', 'checkout', 'search', '-y');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Schedule 12 changes checkout') as string]);
    expect(stderr).toContain('search: a step of its manifest turns it on at 2099-11-01 09:00:00 UTC');
    workspace.write('flags/main.yaml', 'flags: [\n');
    expect(await run('off', 'search', '-y')).toMatchObject({ code: 0 });
  });

  test('is said to be unknown where it cannot be read, and the flag is off all the same', async () => {
    const forbidden = { match: { operation: 'listScheduledChanges' }, count: 9, answer: { status: 403 } };
    const { stderr } = await turnOff([], { faults: [forbidden] });
    expect(stderr).toContain('Scheduled changes of the service are not known');
    expect(stderr).toContain('To keep this, accept it into the manifests:');
  });
});

test('a service of 2023 is read once, and gets an update', async () => {
  const { run, asked } = await applied({ profile: 'documented' });
  await run('off', 'checkout', 'search', '-y');
  const written = ['PATCH feature_flags/N/', 'PATCH feature_flags/N/'];
  expect(asked().filter((one) => one !== 'GET feature_flags/N/')).toEqual(['GET feature_flags/', ...written]);
});

test('more keys than a project has pages are read as the list', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `flag-${index}`);
  const manifest = `flags:\n${keys.map((key) => `  ${key}: { active: true, rollout_percentage: 1 }\n`).join('')}`;
  const { run, asked } = await applied({ manifest });
  expect((await run('off', ...keys, '-y')).code).toBe(0);
  expect(asked().filter((one) => one === 'GET feature_flags/')).toHaveLength(1);
});

test('a service of that year without the action gets the update', async () => {
  const faults = [{ match: { operation: 'disableFlag' }, count: 9, answer: { status: 404 } }];
  const { run, asked, flag } = await applied({ options: { faults: { faults } as unknown as JsonValue } });
  expect((await run('off', 'checkout', '-y')).code).toBe(0);
  expect(asked()).toContain('PATCH feature_flags/N/');
  expect(await flag('checkout')).toMatchObject({ active: false });
});

test('a service that fails leaves nothing unsaid', async () => {
  const faults = [{ match: { access: 'write' }, from: 4, count: 1_000_000, answer: { status: 500 } }];
  const { run, flag } = await applied({ options: { faults: { faults } as unknown as JsonValue } });
  const failed = await run('off', 'checkout', '-y');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('Not turned off in main');
  expect(await flag('checkout')).toMatchObject({ active: true });
});

test('without --yes and without a terminal nothing is written', async () => {
  const { run, runWith, flag } = await applied();
  const refused = await run('off', 'checkout');
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('Confirmation needs a terminal or --yes; nothing was applied.');
  expect((await runWith({ answer: { line: 'no' } }, 'off', 'checkout')).code).toBe(4);
  expect(await flag('checkout')).toMatchObject({ active: true });
  expect((await runWith({ answer: { line: 'yes' } }, 'off', 'checkout')).code).toBe(0);
  expect(await flag('checkout')).toMatchObject({ active: false });
});

test('a protected flag needs the permission', async () => {
  const { run } = await applied({ config: 'protected: [checkout]\n' });
  const refused = await run('off', 'checkout', '-y');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('--allow-protected checkout');
  expect(refused.stderr).not.toContain('manifests');
  expect((await run('off', 'checkout', '-y', '--allow-protected', 'checkout')).code).toBe(0);
});

test('the limits of a plan do not count flags that are named one by one', async () => {
  const { run } = await applied({ config: 'limits: { disables: 0, updates: 0 }\n' });
  expect((await run('off', 'checkout', 'search', '-y')).code).toBe(0);
});

describe('flags on which active flags depend', () => {
  const DEPENDENT = `flags:
  base: { active: true, rollout_percentage: 50 }
  middle:
    active: true
    filters: { groups: [{ properties: [{ key: base, type: flag, operator: flag_evaluates_to, value: true }] }] }
  top:
    active: true
    filters: { groups: [{ properties: [{ key: middle, type: flag, operator: flag_evaluates_to, value: true }] }] }
`;

  test('with --yes, the service refuses, and the ways out are said', async () => {
    const { run, asked, flag } = await applied({ manifest: DEPENDENT });
    const refused = await run('off', 'base', '-y');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Active flags depend on base: middle.');
    expect(refused.stderr).toContain('flagwright off base -p main --dependents');
    expect(refused.stderr).toContain('flagwright off base -p main --zero');
    expect(asked()).toEqual([
      'GET feature_flags/',
      'POST feature_flags/N/disable/',
      'GET feature_flags/N/dependent_flags/',
    ]);
    expect(await flag('base')).toMatchObject({ active: true });
  });

  test('without a terminal and --yes, they are named and nothing is sent', async () => {
    const { run, asked } = await applied({ manifest: DEPENDENT });
    const refused = await run('off', 'base');
    expect([refused.code, refused.stdout]).toEqual([4, '']);
    expect(refused.stderr).toContain('Active flags depend on base: middle.');
    expect(asked().every((one) => one.startsWith('GET'))).toBe(true);
  });

  test('--dependents turns all of them off, dependents first, and undo all of them on', async () => {
    const { run, flag, asked } = await applied({ manifest: DEPENDENT });
    const done = await run('off', 'base', '-y', '--dependents', '-f', 'json');
    expect(done.code).toBe(0);
    const { changes } = done.document() as { readonly changes: readonly JsonObject[] };
    expect(changes.map(({ key }) => key)).toEqual(['top', 'middle', 'base']);
    expect(asked()).toHaveLength(1 + 2 * 2 + 1 + 3 + 3 + 1);
    expect(await flag('top')).toMatchObject({ active: false });
    expect((await run('undo', '-y')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('flags that depend on each other may be named together', async () => {
    const { run } = await applied({ manifest: DEPENDENT });
    expect((await run('off', 'base', 'top', 'middle', '-y')).code).toBe(0);
  });

  test('--zero leaves it enabled for nobody, which apply does not take back either', async () => {
    const { run, flag } = await applied({ manifest: DEPENDENT });
    const done = await run('off', 'base', '-y', '--zero', '--reason', 'slow');
    expect(done.code).toBe(0);
    const patch = (await run('accept', 'base', '--patch')).stdout.split('\n').filter((line) => /^[-+@]/.test(line));
    expect(patch.length).toBeGreaterThan(1);
    expect(done.stderr).toContain(`  flagwright accept base -p main\n${patch.map((line) => `    ${line}\n`).join('')}`);
    expect(await flag('base')).toMatchObject({ active: true, filters: { groups: [{ rollout_percentage: 0 }] } });
    const refused = await run('apply', '-y');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('base was set to 0% by ana@laptop on ');
    const again = await run('off', 'base', '-y', '--zero');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Already off in main') as string]);
    expect((await run('undo', '-y')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('--zero of a flag with a condition on another flag keeps that condition', async () => {
    const { run, flag } = await applied({ manifest: DEPENDENT });
    const before = await flag('middle');
    const done = await run('off', 'middle', '-y', '--zero');
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('  flagwright accept middle -p main\nTo revert this');
    const after = await flag('middle');
    expect(after?.filters?.groups?.[0]?.properties).toEqual(before?.filters?.groups?.[0]?.properties);
    expect((await run('undo', '-y')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('at a terminal the question names them first', async () => {
    const { runWith, flag } = await applied({ manifest: DEPENDENT });
    const stopped = await runWith({ answer: { line: 'yes' } }, 'off', 'base');
    expect(stopped.code).toBe(4);
    expect(stopped.stderr).toContain('Type "all" to turn 1 dependent flag off, too');
    expect(await flag('base')).toMatchObject({ active: true });
  });

  test('the two ways are not combined', async () => {
    const { run } = await applied({ manifest: DEPENDENT });
    expect((await run('off', 'base', '--zero', '--dependents', '-y')).code).toBe(1);
  });
});

test('a running experiment, encrypted payloads and filters of version 2 are said', async () => {
  const groups = [{ properties: [], rollout_percentage: 100 }];
  const seed = {
    flags: [
      { id: 1, key: 'tested', filters: { groups } },
      {
        id: 2,
        key: 'secret',
        filters: { groups, payloads: { true: '"x"' } },
        is_remote_configuration: true,
        has_encrypted_payloads: true,
      },
      { id: 3, key: 'ruled', filters: { version: 2, return_type: 'boolean', default_value: false, rules: [] } },
    ],
    experiments: [{ id: 30, flag: 'tested', is_running: true }],
  };
  const { run, flag } = await scene({ manifest: '', seed });
  const zero = await run('off', 'ruled', 'secret', '-y', '--zero');
  expect([zero.code, zero.stderr]).toEqual([4, expect.stringContaining('would not turn ruled, secret off') as string]);
  const done = await run('off', 'tested', 'secret', 'ruled', '-y');
  expect(done.code).toBe(0);
  expect(done.stderr).toContain('secret: its encrypted payloads stay as they are');
  expect(done.stderr).toContain('ruled: its filters have format version 2');
  expect(done.stderr).toContain('tested: experiment 30 runs on it');
  expect(await flag('ruled')).toMatchObject({ active: false });
});

test('an experiment of which the service does not say whether it runs is said', async () => {
  const seed = {
    flags: [{ id: 1, key: 'tested', filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }],
    experiments: [{ id: 30, flag: 'tested', is_running: true }],
  };
  const { run } = await scene({ profile: 'documented', manifest: '', seed });
  const done = await run('off', 'tested', '-y');
  expect(done.code).toBe(0);
  expect(done.stderr).toContain('tested: it is linked to experiment 30, and PostHog does not say whether it runs.');
});

describe('each kind of flag, under an approval policy and without', () => {
  const groups = [{ properties: [], rollout_percentage: 100 }];
  const secret = { is_remote_configuration: true, has_encrypted_payloads: true };
  const FLAGS: Readonly<Record<string, JsonObject>> = {
    conditions: { filters: { groups } },
    experiment: { filters: { groups } },
    encrypted: { filters: { groups, payloads: { true: '"x"' } }, ...secret },
    rules: { filters: { version: 2, return_type: 'boolean', default_value: false, rules: [] } },
  };
  const SAID: Readonly<Record<string, string>> = {
    experiment: 'experiment 30 runs on it and gets no new people',
    encrypted: 'its encrypted payloads stay as they are',
    rules: 'the service refuses this while an approval policy is enabled for writes of flags',
  };
  const UNDER: readonly (readonly [policy: string, policies: readonly JsonObject[]])[] = [
    ['no policy', []],
    ['a policy for disabling', [{ action_key: 'feature_flag.disable' }]],
    ['a policy for enabling', [{ action_key: 'feature_flag.enable' }]],
  ];
  const rows = Object.keys(FLAGS).flatMap((kind) => UNDER.map(([policy, policies]) => ({ kind, policy, policies })));

  test.each(rows)('$kind under $policy', async ({ kind, policies }) => {
    const seed = {
      flags: [{ id: 1, key: 'named', ...FLAGS[kind] }],
      experiments: kind === 'experiment' ? [{ id: 30, flag: 'named', is_running: true }] : [],
      approval_policies: [...policies],
    };
    const { run, flag } = await scene({ manifest: '', seed });
    const done = await run('off', 'named', '-y', '-f', 'json');
    const isDenied = kind === 'rules' && policies.length > 0;
    const isPending = !isDenied && policies.some((policy) => policy['action_key'] === 'feature_flag.disable');
    const { changes } = done.document() as { readonly changes: readonly JsonObject[] };
    expect(changes.map(({ outcome }) => outcome)).toEqual([isDenied ? 'failed' : isPending ? 'pending' : 'applied']);
    expect(done.code).toBe(isDenied ? 1 : isPending ? 3 : 0);
    expect(await flag('named')).toMatchObject({ active: isDenied || isPending });
    const shown = await run('off', 'named', '-y');
    if (isDenied) expect(shown.stdout).toContain('An approval policy for writes of feature flags is enabled');
    expect(done.stderr).toContain(SAID[kind] ?? '');
  });
});

test('what waits for an approval is named as waiting', async () => {
  const seed = {
    flags: [{ id: 1, key: 'checkout', filters: { groups: [{ properties: [], rollout_percentage: 25 }] } }],
    approval_policies: [{ action_key: 'feature_flag.disable' }],
  };
  const { run, flag } = await scene({ manifest: '', seed });
  const waiting = await run('off', 'checkout', '-y');
  expect(waiting.code).toBe(3);
  expect(waiting.stdout).toContain('pending');
  expect(waiting.stderr).not.toContain('To keep this');
  expect(await flag('checkout')).toMatchObject({ active: true });
});

test('with a base, it is drift with its reason, and --only-pending leaves it alone', async () => {
  const world = await openWorld('posthog');
  const repository = createRepository({
    'flagwright.yaml': `projects: { main: { host: ${world.url}, project_id: "1" } }\n`,
    '.gitignore': '.flagwright/\n',
    'flags/main.yaml': MANIFEST,
  });
  const env = { ...GIT_ENV, HOME: repository.root, POSTHOG_API_KEY: KEY };
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: repository.root, env });
  expect((await run('apply', '-y')).code).toBe(0);
  await run('off', 'checkout', '-y', '--reason', 'incident 4711');
  const drift = await run('drift');
  expect([drift.code, drift.stdout]).toEqual([2, expect.stringContaining('off`: incident 4711') as string]);
  const refused = await run('apply', '-y');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('To apply everything else, add --only-pending');
  expect((await run('apply', '-y', '--only-pending')).code).toBe(0);
  repository.commit({ 'flags/main.yaml': MANIFEST.replace('active: true', 'active: false') });
  expect((await run('apply', '-y')).code).toBe(0);
  // Who turns it on in git knows that it is off.
  repository.commit({ 'flags/main.yaml': MANIFEST });
  expect((await run('apply', '-y')).code).toBe(0);
});

test('a saved plan that does not know of it is refused on the machine that does', async () => {
  const { run, workspace, flag } = await applied();
  await run('off', 'checkout', '-y', '--reason', 'incident');
  const [known, away] = ['.flagwright', 'away'].map((name) => path.join(workspace.root, name)) as [string, string];
  renameSync(known, away);
  expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
  renameSync(away, known);
  const refused = await run('apply', 'plan.json');
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('): incident. The plan would') as string]);
  expect(await flag('checkout')).toMatchObject({ active: false });
  expect((await run('plan', '--out', 'plan.json', '--override', 'checkout')).code).toBe(0);
  expect((await run('apply', 'plan.json')).code).toBe(0);
  expect(await flag('checkout')).toMatchObject({ active: true });
  // What the plan permits is to revert that one run, and not the next.
  expect((await run('off', 'checkout', '-y', '--reason', 'again')).code).toBe(0);
  const again = await run('apply', 'plan.json');
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('): again. The plan would') as string]);
  expect(await flag('checkout')).toMatchObject({ active: false });
});

describe('the journal that tells of an off', () => {
  const JOURNAL = '.flagwright/journal';
  const journalsIn = ({ root }: Workspace): string[] =>
    readdirSync(path.join(root, JOURNAL)).filter((name) => name.endsWith('.jsonl'));

  test('is read to its end: the flag stays off after many other runs', async () => {
    const { run, workspace, flag } = await applied();
    expect(await run('off', 'checkout', '-y')).toMatchObject({ code: 0 });
    const before = journalsIn(workspace);
    workspace.write('flags/main.yaml', MANIFEST.replace('20', '30'));
    expect(await run('apply', '-y', '--target', 'search')).toMatchObject({ code: 0 });
    const [file = ''] = journalsIn(workspace).filter((name) => !before.includes(name));
    // That run and 50 more like it, of which each followed the one before.
    const text = workspace.read(`${JOURNAL}/${file}`);
    const later = file.replace('.jsonl', '');
    const names = [later, ...Array.from({ length: 50 }, (_, index) => later.replace(/^\d{4}/, String(3000 + index)))];
    for (const [index, name] of names.entries()) {
      if (index === 0) continue;
      const copy = text.replaceAll(later, name).replace(/"follows":\[[^\]]*\]/, `"follows":["${names[index - 1]}"]`);
      writeFileSync(path.join(workspace.root, JOURNAL, `${name}.jsonl`), copy, { mode: 0o600 });
    }
    const known = (await run('history', '-n', '100', '-f', 'json')).document()['runs'] as readonly JsonObject[];
    expect(known.map(({ run: name }) => name)).toEqual([...names.toReversed(), before[0]?.replace('.jsonl', '')]);
    expect(await run('apply', '-y')).toMatchObject({ code: 4 });
    expect(await flag('checkout')).toMatchObject({ active: false });
  });

  test('refuses the run where it cannot be read', async () => {
    const { run, workspace, flag } = await applied();
    expect(await run('off', 'checkout', '-y')).toMatchObject({ code: 0 });
    const [name = ''] = journalsIn(workspace);
    workspace.write(
      `${JOURNAL}/${name}`,
      workspace.read(`${JOURNAL}/${name}`).replace('"kind":"begun"', '"kind":"sending"'),
    );
    const refused = await run('apply', '-y');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`The journal of run ${name.replace('.jsonl', '')} cannot be used.`);
    expect(refused.stderr).toContain('move it out of .flagwright/journal');
    expect(await flag('checkout')).toMatchObject({ active: false });
  });

  const off = MANIFEST.replace('active: true', 'active: false');
  const runsOf = ({ root }: Workspace): string[] =>
    readdirSync(path.join(root, '.flagwright/journal'))
      .flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? [])
      .toSorted();

  test('refuses to undo an older run that would turn the flag on again', async () => {
    const { run, workspace, flag } = await applied();
    for (const text of [off, MANIFEST]) {
      workspace.write('flags/main.yaml', text);
      expect((await run('apply', '-y')).code).toBe(0);
    }
    expect((await run('off', 'checkout', '-y', '--reason', 'incident')).code).toBe(0);
    const [older = '', , newest = ''] = runsOf(workspace);
    const refused = await run('undo', older, '-y');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`after that run (run ${newest}): incident`);
    expect(refused.stderr).toContain(`flagwright undo ${newest}`);
    expect((await run('undo', older, '--out', 'undo.json')).code).toBe(4);
    expect(await flag('checkout')).toMatchObject({ active: false });
    expect((await run('undo', newest, '-y')).code).toBe(0);
    expect(await flag('checkout')).toMatchObject({ active: true });
  });

  test('refuses to resume a run that would turn the flag on again', async () => {
    const { run, workspace, flag } = await applied({ manifest: off });
    workspace.write('flags/main.yaml', MANIFEST);
    expect((await run('apply', '-y')).code).toBe(0);
    const [cut = ''] = runsOf(workspace);
    const file = `.flagwright/journal/${cut}.jsonl`;
    const kept = workspace
      .read(file)
      .split('\n')
      .filter((line) => !/"kind":"(?:settled|ended)"/.test(line));
    workspace.write(file, kept.join('\n'));
    expect((await run('off', 'checkout', '-y')).code).toBe(0);
    const refused = await run('apply', '--resume', cut);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('checkout was turned off');
    expect(await flag('checkout')).toMatchObject({ active: false });
  });
});

test('an undo without a run says that it skips the run that history shows first, which changed nothing', async () => {
  const { run, flag } = await applied();
  expect((await run('off', 'checkout', '-y')).code).toBe(0);
  expect((await run('off', 'checkout', '-y')).code).toBe(0);
  const { runs } = (await run('history', '-f', 'json')).document() as { runs: { run: string }[] };
  const [newest, before] = runs.map((one) => one.run);
  const undone = await run('undo', '-y');
  expect(undone.code).toBe(0);
  expect(undone.stderr).toContain(`Run ${newest} is newer, but changed nothing. This reverts run ${before}.`);
  expect(await flag('checkout')).toMatchObject({ active: true });
});
