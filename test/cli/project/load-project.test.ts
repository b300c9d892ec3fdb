import { describe, expect, test } from 'vitest';
import {
  chosenName,
  loadConfiguration,
  loadDesiredState,
  loadDesiredStates,
  loadProject,
  refuseManifestsAsReports,
  warn,
} from '../../../src/cli/project/load-project.ts';
import type { Config } from '../../../src/config/config.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = `projects:
  local: { service: embedded }
  staging: { host: 'https://x.example', project_id: '7', cohorts: { vips: 7, others: 8 } }
  prod: { host: 'https://x.example', project_id: '8' }
default_project: staging
`;
const COHORT = '{ filters: { properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } } }';
const FILES = { 'flagwright.yaml': CONFIG, 'flags/a.yaml': `cohorts: { vips: ${COHORT} }\nflags: { a: {} }\n` };

describe('the project of a run', () => {
  const choose = (given: { option?: string; name?: string; env?: string }): string | undefined => {
    const { session } = watchSession({
      options: given.option === undefined ? {} : { project: given.option },
      context: { env: { FLAGWRIGHT_PROJECT: given.env } },
    });
    return chosenName(session, given.name);
  };

  test.each([
    [{ option: 'a', name: 'b', env: 'c' }, 'a'],
    [{ name: 'b', env: 'c' }, 'b'],
    [{ env: 'c' }, 'c'],
    [{ env: '' }, undefined],
    [{}, undefined],
  ])('of %j is %s', (given, name) => {
    expect(choose(given)).toBe(name);
  });
});

describe('a configuration', () => {
  test('is the folder of the places of the run, and is read without its variables offline', async () => {
    const { root } = createWorkspace({ 'flagwright.yaml': CONFIG.replace("host: 'https://x.example', ", '') });
    const { session, said } = watchSession({ context: { cwd: root } });
    await expect(loadConfiguration(session)).rejects.toMatchObject({ code: 'config_invalid' });
    expect(session.places.root).toBe('/');
    const config = await loadConfiguration(session, { offline: true });
    expect([session.places.root, config.root, said]).toEqual([root, root, []]);
  });

  test('is that of the embedded service without a file and without variables, which one note says', async () => {
    const { root } = createWorkspace({ 'sub/x': '' });
    const { session, said } = watchSession({ context: { cwd: root } });
    await loadConfiguration(session);
    expect(said).toEqual([
      'note note  No flagwright.yaml in this or a parent folder, and no POSTHOG_HOST: using the project local of the embedded service (.flagwright/local.db).\n  → For a project of your own, change to its folder, or set POSTHOG_HOST, POSTHOG_PROJECT_ID and POSTHOG_API_KEY. A new one: flagwright init --host URL --project-id ID\n',
    ]);
    const other = watchSession({ context: { cwd: root }, options: { project: 'production' } });
    await loadConfiguration(other.session);
    expect(other.said).toEqual([]);
    const env = { POSTHOG_HOST: 'https://x.example', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_x' };
    const remote = watchSession({ context: { cwd: root, env } });
    await loadConfiguration(remote.session);
    expect(remote.said).toEqual([]);
  });

  test('of a file with a project local of the embedded service needs no note', async () => {
    const { root } = createWorkspace({ 'flagwright.yaml': 'projects: { local: { service: embedded } }\n' });
    const { session, said } = watchSession({ context: { cwd: root } });
    await loadConfiguration(session);
    expect(said).toEqual([]);
  });
});

describe('a project that is loaded', () => {
  const load = async (project: string | undefined, files: object = FILES): ReturnType<typeof loadProject> => {
    const { root } = createWorkspace({ ...files });
    return loadProject(watchSession({ context: { cwd: root } }).session, project);
  };

  test('has the names that others lend, but no cohort that its manifests declare, as one of the configuration', async () => {
    const { config, project } = await load('local');
    expect(Object.keys(project.cohorts)).toEqual(['others']);
    expect(config.projects['local']).toBe(project);
    expect(Object.keys(config.projects)).toEqual(['local', 'staging', 'prod']);
  });

  test('is the one of the configuration where it borrows none', async () => {
    const { config, project } = await load(undefined);
    expect([project.name, project]).toEqual(['staging', config.projects['staging']]);
    const only = await load(undefined, { 'flagwright.yaml': 'projects: { local: { service: embedded } }\n' });
    expect(only.project).toBe(only.config.projects['local']);
  });
});

describe('a report', () => {
  const faultOf = async (file: string, more: object = {}, options: object = { report: [{}] }): Promise<unknown> => {
    const { session } = watchSession({ options, context: { cwd: '/repo/sub' } });
    let found: unknown = 'not asked';
    const checkFiles = async (find: (one: object) => Promise<unknown>): Promise<void> => {
      found = await find({ file });
    };
    const config = { root: '/repo', manifests: ['flags/**/*.yaml'], ...more } as unknown as Config;
    await refuseManifestsAsReports({ ...session, checkFiles } as never, config);
    return found;
  };
  const FAULT = { why: 'the configuration names it as a manifest or a test', remedy: 'Name another file.' };

  test.each<[string, object, unknown]>([
    ['../flags/a.yaml', {}, FAULT],
    ['/repo/flags/sub/a.yaml', {}, FAULT],
    ['flags/a.yaml', {}, undefined],
    ['../tests/a.yaml', { tests: ['tests/*.yaml'] }, FAULT],
    ['../tests/a.yaml', {}, undefined],
    ['../report.html', { tests: ['tests/*.yaml'] }, undefined],
  ])('in the file %s of a configuration with %j is refused: %j', async (file, more, fault) => {
    expect(await faultOf(file, more)).toEqual(fault);
  });

  test('is looked at where one was asked for', async () => {
    expect(await faultOf('../flags/a.yaml', {}, {})).toBe('not asked');
  });
});

describe('the desired state', () => {
  const WARNED = {
    'flagwright.yaml': CONFIG.replace('projects:', 'manifests: [flags/*.yaml]\nprojects:'),
    'flags/a.yaml': 'flags: { a: { only_in: [staging] }, b: {} }\n',
    // No pattern matches it, which is a warning.
    'flags/sub/c.yaml': 'flags: { c: {} }\n',
  };

  test('is that of the project, with a note of its warnings', async () => {
    const { root } = createWorkspace(WARNED);
    const { session, said, reports } = watchSession({ context: { cwd: root } });
    const loaded = await loadProject(session, 'prod');
    const { flags } = await loadDesiredState(session, loaded);
    expect(flags.map(({ key }) => key)).toEqual(['b']);
    expect(said).toEqual(['note diagnostics\n']);
    expect(reports).toMatchObject([{ kind: 'diagnostics', diagnostics: [{ code: 'file-unmatched' }] }]);
  });

  test('of each of several projects is made in their order, and each warning is told once', async () => {
    const { root } = createWorkspace(WARNED);
    const { session, said, reports } = watchSession({ context: { cwd: root } });
    const { config } = await loadProject(session, 'prod');
    const { prod, staging } = config.projects as Record<'prod' | 'staging', never>;
    const states = await loadDesiredStates(session, config, [staging, prod]);
    expect(states.map(({ flags }) => flags.map(({ key }) => key))).toEqual([['a', 'b'], ['b']]);
    expect(said).toEqual(['note diagnostics\n']);
    expect(reports).toMatchObject([{ diagnostics: [{ code: 'file-unmatched' }] }]);
    expect(await loadDesiredStates(session, config, [])).toEqual([]);
    expect(said).toHaveLength(1);
  });

  test('fails with every mistake', async () => {
    const { root } = createWorkspace({ ...FILES, 'flags/a.yaml': 'flags: { a: { activ: true }, b: { nam: x } }\n' });
    const { session } = watchSession({ context: { cwd: root } });
    const loaded = await loadProject(session);
    const failed = { code: 'manifest_invalid', diagnostics: [{}, {}] };
    await expect(loadDesiredState(session, loaded)).rejects.toMatchObject(failed);
    await expect(loadDesiredStates(session, loaded.config, [loaded.project])).rejects.toMatchObject(failed);
  });
});

describe('more warnings than five', () => {
  const many = Array.from({ length: 7 }, (_, index) => ({
    ...{
      code: 'group-empty',
      severity: 'warning',
      args: {},
      message: '',
      place: { file: 'a.yaml', line: index, column: 1 },
    },
  })) as unknown as Parameters<typeof warn>[1];

  test.each([
    [false, [], ['note note  7 warnings about the manifests; `flagwright validate` shows them.\n']],
    [true, [7], ['note diagnostics\n']],
  ])('are counted, and listed only with --verbose: %s', async (verbose, amounts, written) => {
    const { session, said, reports } = watchSession({ options: { verbose } });
    await warn(session, many);
    expect(reports).toMatchObject(amounts.map((length) => ({ kind: 'diagnostics', diagnostics: { length } })));
    expect(said).toEqual(written);
  });
});
