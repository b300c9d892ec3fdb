/** A flag that was renamed in the service: what `accept` and `export --merge` do, and the expectations that ask for the former key. */

import { expect, onTestFinished, test } from 'vitest';
import { cli, type CliResult } from '../helpers/cli.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { startWorld, type World } from '../helpers/world.ts';

const KEY = 'phx_planted_key_0123456789';
const TESTS = `# who gets what
people:
  ada: { id: ada, properties: { old: 1 } } # a person
expect:
  - name: old is on
    person: ada
    flags:
      other: false
      old: true # since May
  - { person: ada, flags: { "old": true } }
`;

interface Stage {
  readonly worlds: readonly World[];
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly built: (...argv: string[]) => Promise<CliResult>;
}

/** A flag that was applied to each project, and renamed in the first. */
async function renamed(
  tests: string,
  {
    projects = ['p0'],
    profile = 'posthog',
  }: { readonly projects?: string[]; readonly profile?: 'posthog' | 'documented' } = {},
): Promise<Stage> {
  const worlds = await Promise.all(projects.map(async () => startWorld(profile)));
  onTestFinished(async () => void (await Promise.all(worlds.map(async (one) => one.close()))));
  const entries = worlds.map(({ url }, at) => `  ${projects[at] ?? ''}: { host: "${url}", project_id: "1" }\n`);
  const workspace = createWorkspace({
    'flagwright.yaml': `projects:\n${entries.join('')}default_project: p0\n`,
    'flags/main.yaml': 'flags:\n  old: { active: true, rollout_percentage: 100 }\n  other: { active: false }\n',
    'tests/a.yaml': tests,
  });
  const options = { cwd: workspace.root, env: { POSTHOG_API_KEY: KEY } };
  const run: Stage['run'] = async (...argv) => runCli(argv, options);
  for (const project of projects) expect(await run('apply', '--yes', '-p', project)).toMatchObject({ code: 0 });
  await worlds[0]?.edit('old', { key: 'new-key' });
  return { worlds, workspace, run, built: async (...argv) => cli(argv, options) };
}

test('without --tests each expectation is named before the question, and no test file is edited', async () => {
  const { run, workspace } = await renamed(TESTS);
  const { code, stderr } = await run('accept', '--yes', 'old');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  for (const line of [9, 10]) {
    expect(stderr).toContain(
      `tests/a.yaml:${line} expects the flag old, which is now new-key. Rename it there, or run the command with --tests.`,
    );
  }
  expect(workspace.read('tests/a.yaml')).toBe(TESTS);
  expect(workspace.read('flags/main.yaml')).toContain('previous_keys: [old]');
});

test('the built command edits them with --tests, keeps all other text, and the tests pass', async () => {
  const { built, run, workspace } = await renamed(TESTS);
  const patch = await built('accept', '--patch', '--tests', 'old');
  expect(patch).toMatchObject({ code: 0 });
  expect(patch.stdout).toContain('+++ b/tests/a.yaml');
  expect(workspace.read('tests/a.yaml')).toBe(TESTS);
  const { code, stdout, stderr } = await built('accept', '--yes', '--tests', 'old');
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining('in 2 files') as string });
  expect(stderr).not.toContain('which is now');
  expect(workspace.read('tests/a.yaml')).toBe(
    TESTS.replace('      old: true', '      new-key: true').replace('"old": true', '"new-key": true'),
  );
  expect(await run('test')).toMatchObject({ code: 0 });
  expect((await run('drift')).stdout).toContain('In sync');
});

test('what cannot be edited without another change is named, and its file stays', async () => {
  const written = 'people: { ada: { id: ada } }\nexpect:\n  - { person: ada, flags: { "\\x6fld": true } }\n';
  const { run, workspace } = await renamed(written);
  const { code, stderr } = await run('accept', '--yes', '--tests', 'old');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain('tests/a.yaml:3 expects the flag old, which is now new-key. Rename it there.\n');
  expect(workspace.read('tests/a.yaml')).toBe(written);
});

test('an expectation of a project that keeps the key stays, and one of both is named', async () => {
  const [both, own, others] = ['', ', projects: [p0]', ', projects: [p1]'].map(
    (projects) => `  - { person: ada, flags: { old: true }${projects} }\n`,
  ) as [string, string, string];
  const start = 'people: { ada: { id: ada } }\nexpect:\n';
  const { run, workspace } = await renamed(start + both + own + others, { projects: ['p0', 'p1'] });
  const { code, stderr } = await run('accept', '--yes', '--tests', '--layer', 'project', 'old');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr.match(/expects the flag .*/g)).toEqual([
    'expects the flag old, which is now new-key in some of its projects only. Write an expectation for each key, with projects.',
  ]);
  expect(workspace.read('tests/a.yaml')).toBe(start + both + own.replace('old', 'new-key') + others);
});

test.each(['posthog', 'documented'] as const)('a rename in two projects is one rename (%s)', async (profile) => {
  const { worlds, run, workspace } = await renamed(TESTS, { projects: ['p0', 'p1'], profile });
  await worlds[1]?.edit('old', { key: 'new-key' });
  const before = workspace.read('flags/main.yaml');
  for (const project of ['p0', 'p1']) {
    const { code, stderr } = await run('export', '--merge', '-p', project);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/old \(flags\/main\.yaml\).* accept \(renamed\)/) as string,
    });
    expect(workspace.read('flags/main.yaml')).toBe(before);
  }
  expect(await run('accept', '--yes', '--layer', 'base', 'old')).toMatchObject({ code: 0 });
  for (const project of ['p0', 'p1']) {
    expect((await run('drift', '-p', project)).stdout).toContain('In sync');
    expect(await run('export', '--merge', '-p', project)).toMatchObject({ code: 0 });
  }
});

test('a rename that another project declares already is not declared again', async () => {
  const { worlds, run, workspace } = await renamed(TESTS, { projects: ['p0', 'p1'] });
  expect(await run('accept', '--yes', '--layer', 'project', 'old')).toMatchObject({ code: 0 });
  await worlds[1]?.edit('old', { key: 'new-key' });
  const before = workspace.read('flags/main.yaml');
  const { code, stdout } = await run('accept', '--yes', '-p', 'p1', 'old');
  expect([code, stdout]).toEqual([3, expect.stringContaining('Keep one of the two, declared for all projects')]);
  expect(workspace.read('flags/main.yaml')).toBe(before);
});

test('--tests goes with no --unmanaged', async () => {
  const { run } = await renamed(TESTS);
  const { code, stderr } = await run('accept', '--unmanaged', '*', '--tests');
  expect([code, stderr]).toEqual([1, expect.stringContaining('--unmanaged and --tests cannot be used together')]);
});
