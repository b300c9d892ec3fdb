/** What accept and export --merge write is proved as a whole: no new problem anywhere, and no value that was not asked for. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { ROLE_IDS, startWorld, type World, type WorldOptions } from '../helpers/world.ts';

const [ROLE = ''] = ROLE_IDS;

interface Stage {
  readonly worlds: readonly World[];
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

/** A project for each seed, `p0` first. */
async function stage(manifest: string, seeds: readonly JsonValue[], options: WorldOptions = {}): Promise<Stage> {
  const worlds = await Promise.all(seeds.map(async (seed) => startWorld('posthog', seed, options)));
  onTestFinished(async () => void (await Promise.all(worlds.map(async (one) => one.close()))));
  const projects = worlds.map(
    ({ url }, at) => `  p${at}: { host: "${url}", project_id: "1", roles: { support: ${ROLE} } }\n`,
  );
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n${projects.join('')}default_project: p0\n`,
    'flags/main.yaml': manifest,
  });
  const run: Stage['run'] = async (...argv) =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
  return { worlds, workspace, run };
}

const flag = (id: number, key: string): JsonValue => ({
  id,
  key,
  name: key,
  active: true,
  filters: { groups: [{ properties: [], rollout_percentage: 10 }] },
});

describe('a proof compares what it must judge', () => {
  test.each(['b', 'b*', '*'])('accept --unmanaged %s works where another flag manages access', async (named) => {
    const { run, workspace } = await stage(`flags:\n  a:\n    active: true\n    role_access: [support]\n`, [
      { flags: [flag(1, 'a'), flag(2, 'b')], role_access: [{ flag: 1, role: ROLE }] },
    ]);
    const { code, stderr } = await run('accept', '--yes', '--unmanaged', named);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((await run('validate')).code).toBe(0);
    expect((await run('drift')).stdout).toContain('In sync');
    expect(workspace.read('flags/main.yaml')).toContain('role_access: [support]');
  });

  test.each([['b'], ['b', '--only', 'description'], []])(
    'accept %s works where another flag manages access',
    async (...argv) => {
      const { run } = await stage(
        `flags:\n  a: { active: true, role_access: [support] }\n  b: { active: true, description: x }\n`,
        [{ flags: [flag(1, 'a'), flag(2, 'b')], role_access: [{ flag: 1, role: ROLE }] }],
      );
      const { code, stderr } = await run('accept', '--yes', ...argv);
      expect({ code, stderr }).toMatchObject({ code: 0 });
    },
  );
});

describe('export --merge', () => {
  const manifest = `flags:\n  f:\n    active: true\n    rollout_percentage: 10\n  g:\n    active: true\n    rollout_percentage: 10\nrole_access:\n  support: [f]\n`;
  const seeds = (level: string): readonly JsonValue[] => [
    { flags: [flag(1, 'f'), flag(2, 'g')], role_access: [{ flag: 1, role: ROLE, level: 'editor' }] },
    {
      flags: [flag(5, 'f'), { ...(flag(6, 'g') as object), active: false } as JsonValue],
      role_access: [{ flag: 5, role: ROLE, level }],
    },
  ];

  test.each([
    ['of everything', []],
    ['with --target', ['--target', 'f', '--target', 'g']],
  ])('%s writes no level that contradicts the list of a role', async (_, targets) => {
    const { run, workspace } = await stage(manifest, seeds('none'), { accessRoutes: 'levels' });
    const { code, stdout, stderr } = await run('export', '--merge', '-p', 'p1', '--role-access', ...targets);
    const text = workspace.read('flags/main.yaml');
    expect((await run('validate')).code).toBe(0);
    // The flag that no problem is about is merged.
    expect(text).toContain(
      '  g:\n    active: true\n    rollout_percentage: 10\n    projects:\n      p1: { active: false }',
    );
    expect(code).toBe(3);
    expect(stdout + stderr).toContain('f (flags/main.yaml) was left as it is');
    expect(stdout + stderr).not.toContain('support was left');
  });
});

test('accept --unmanaged of flags and cohorts leaves no innocent cohort', async () => {
  const condition = (value: number): JsonValue => ({
    groups: [{ properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: 10 }],
  });
  const definition = (value: string): JsonValue => ({
    properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
  });
  const { run } = await stage(`flags:\n  a: { active: true }\n`, [
    {
      flags: [flag(1, 'a'), { ...(flag(2, 'b') as object), filters: condition(901) } as JsonValue],
      cohorts: [
        { id: 901, name: 'Payers', filters: definition('pro') },
        { id: 902, name: 'Testers', filters: definition('beta') },
      ],
    },
  ]);
  const { code, stdout, stderr } = await run('accept', '--yes', '--unmanaged', '*', 'cohort:90*');
  expect(stdout + stderr).not.toContain('no edit');
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect((await run('validate')).code).toBe(0);
  expect((await run('drift')).stdout).toContain('In sync');
});

test('a role that gets access to every flag gets none to a flag that is declared as it is live', async () => {
  const manifest = `flags:\n  a: { active: true, rollout_percentage: 10 }\nrole_access:\n  support: ['*']\n`;
  const { run, workspace } = await stage(manifest, [
    { flags: [flag(1, 'a'), flag(2, 'b')], role_access: [{ flag: 1, role: ROLE }] },
  ]);
  const { code, stdout, stderr } = await run('accept', '--yes', '--unmanaged', 'b');
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stdout).toContain('b was left as it is');
  expect(workspace.read('flags/main.yaml')).toBe(manifest);
});

test.each(['entries', 'levels'] as const)(
  'a flag made with access in a project without flags names no id of another kind (%s)',
  async (accessRoutes) => {
    const { run } = await stage(`flags:\n  a: { active: true, role_access: [support] }\n`, [{}], { accessRoutes });
    const result = await run('apply', '--yes', '-f', 'json');
    expect(result).toMatchObject({ code: 0 });
    expect(schemaErrors('result', result.document())).toEqual([]);
    const { changes } = result.document() as { changes: { ref: string; id?: number; entry_id?: number }[] };
    const [flagId, grant] = [
      changes.find(({ ref }) => ref === 'flag:a')?.id,
      changes.find(({ ref }) => ref !== 'flag:a'),
    ];
    expect(typeof flagId).toBe('number');
    expect(grant).toMatchObject({ outcome: 'applied', base: { wire: 'unknown' } });
    expect([grant?.id ?? flagId, grant?.entry_id]).toEqual([flagId, undefined]);
    expect(await run('undo', '--yes', '-f', 'json')).toMatchObject({ code: 0 });
    const history = await run('history', '-f', 'json');
    expect(schemaErrors('history', history.document())).toEqual([]);
  },
);

test('accept that writes a percentage as filters keeps the comment of the percentage', async () => {
  const { run, worlds, workspace } = await stage(
    'flags:\n  a:\n    active: true\n    rollout_percentage: 10 # agreed with legal\n',
    [{ flags: [flag(1, 'a')] }],
  );
  const properties = [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }];
  await worlds[0]?.edit('a', { filters: { groups: [{ properties, rollout_percentage: 10 }] } });
  expect(await run('accept', '--yes', 'a')).toMatchObject({ code: 0 });
  const text = workspace.read('flags/main.yaml');
  expect(text).toContain('# agreed with legal');
  expect(text).toContain('filters:');
  expect((await run('drift')).stdout).toContain('In sync');
});

const OVERLAID = `flags:
  a:
    active: true
    filters:
      groups:
        - { description: one, rollout_percentage: 10 }
    projects:
      p0:
        # about all
        conditions: # of p0
          "1":
            # agreed with legal
            rollout_percentage: 20 # until May
`;
const IN_BRACKETS = OVERLAID.replace(
  /p0:[^]*/,
  'p0: { conditions: {\n          # agreed with legal\n          "1": { rollout_percentage: 20 } } }\n',
);

test.each([
  ['in lines', OVERLAID, 0],
  ['in brackets', IN_BRACKETS, 3],
] as const)(
  'accept that writes an overlay of conditions as filters loses no comment deep inside it: %s',
  async (_form, manifest, code) => {
    const { run, worlds, workspace } = await stage(manifest, [{}, {}]);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    const group = { properties: [], rollout_percentage: 20, description: 'one' };
    await worlds[0]?.edit('a', { filters: { groups: [group, { properties: [], rollout_percentage: 5 }] } });
    expect(await run('accept', '--yes', 'a')).toMatchObject({ code });
    const text = workspace.read('flags/main.yaml');
    for (const comment of manifest.match(/#.*/g) ?? []) expect(text).toContain(comment);
    if (code === 0) expect(text).toMatch(/# until May\n {8}filters:/);
    else expect(text).toBe(manifest);
  },
);
