import { describe, expect, test } from 'vitest';
import {
  chooseProjects,
  readProjects,
  relativeToRoot,
  resolveProjects,
} from '../../../src/cli/project/resolve-projects.ts';
import type { Config, ProjectConfig } from '../../../src/config/config.ts';
import { parseManifest, type ManifestFile } from '../../../src/posthog/manifests/manifests.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

const remote = (name: string, names: object = {}): ProjectConfig =>
  ({ service: 'remote', name, host: 'https://x.example', projectId: '1', roles: {}, cohorts: {}, ...names }) as never;
const embedded = (name: string, more: object = {}): ProjectConfig =>
  ({ service: 'embedded', name, projectId: '1', data: '/x', roles: {}, cohorts: {}, ...more }) as never;
const configOf = (...projects: readonly ProjectConfig[]): Config =>
  ({
    root: '/repo',
    manifests: ['flags/*.yaml'],
    projects: Object.fromEntries(projects.map((one) => [one.name, one])),
  }) as unknown as Config;
const fileOf = (text: string): ManifestFile => parseManifest('flags/a.yaml', text).file;

test.each([
  ['/repo/a', 'flags/x.yaml', 'a/flags/x.yaml'],
  ['/repo/a', '../tests/x.yaml', 'tests/x.yaml'],
  ['/repo', 'flags/x.yaml', 'flags/x.yaml'],
  ['/repo', './x.yaml', './x.yaml'],
  ['/repo/a', '/repo/flags/x.yaml', '/repo/flags/x.yaml'],
  ['/other', 'x.yaml', '../other/x.yaml'],
])('in %s the file %s is %s of the configuration', (cwd, file, name) => {
  const { session } = watchSession({ context: { cwd } });
  expect(relativeToRoot(session, configOf(), file)).toBe(name);
});

describe('the projects of a run', () => {
  const config = configOf(remote('b'), remote('a'));
  const choose = async (project?: string): Promise<readonly string[]> => {
    const { session } = watchSession({ options: project === undefined ? {} : { project } });
    return (await chooseProjects(session, config)).map(({ name }) => name);
  };

  test('are all of them in their order, or the one that --project names', async () => {
    expect(await choose()).toEqual(['b', 'a']);
    expect(await choose('a')).toEqual(['a']);
    await expect(choose('c')).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('an alias that only other projects have', () => {
  const ALIASES = `flags:
  a: { role_access: [zeta, typo] }
  b: { role_access: [zeta, alpha], filters: { groups: [{ properties: [{ key: id, type: cohort, value: vips }] }] } }
`;
  const others = remote('prod', { roles: { zeta: ROLE, alpha: ROLE }, cohorts: { vips: 7 } });
  const problems = async (
    project: ProjectConfig,
    options: { readonly project?: string } = {},
  ): Promise<{ readonly found: readonly string[]; readonly said: readonly string[] }> => {
    const { session, said } = watchSession({ options });
    const config = configOf(project, others, remote('without'));
    const resolved = await resolveProjects(session, config, { files: [fileOf(ALIASES)], projects: [project] });
    const found = resolved.flatMap(({ resolution }) =>
      resolution.diagnostics.map(({ code, args }) => `${code} ${'role' in args ? args.role : ''}`.trim()),
    );
    return { found: found.toSorted(), said };
  };
  const ALL = ['cohort-unknown', 'role-unknown alpha', 'role-unknown typo', 'role-unknown zeta', 'role-unknown zeta'];

  test('is no mistake of a project in place of a remote one, and one note names each once', async () => {
    expect(await problems(embedded('stand', { isStandIn: true }))).toEqual({
      found: ['role-unknown typo'],
      said: [
        'note note  Project stand has no role or cohort alpha, vips, zeta, which other projects have. To check it alone: --project stand.\n',
      ],
    });
  });

  test('is one where that project is checked alone, and in a remote project', async () => {
    expect(await problems(embedded('stand', { isStandIn: true }), { project: 'stand' })).toEqual({
      found: ALL,
      said: [],
    });
    expect(await problems(remote('far'))).toEqual({ found: ALL, said: [] });
  });

  test('is lent to an embedded project, and what no project has is a mistake without a note', async () => {
    expect(await problems(embedded('local'))).toEqual({ found: ['role-unknown typo'], said: [] });
    const knowing = { isStandIn: true, roles: { zeta: ROLE, alpha: ROLE }, cohorts: { vips: 1 } };
    expect(await problems(embedded('stand', knowing))).toEqual({ found: ['role-unknown typo'], said: [] });
  });
});

test('each project is resolved with its own names and a pause, and lends no cohort that it declares', async () => {
  const { session, breaths } = watchSession();
  const cohort = '{ filters: { properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } } }';
  const file = fileOf(`cohorts: { vips: ${cohort} }\nflags: { a: { only_in: [local] }, b: {} }\n`);
  const config = configOf(embedded('local'), remote('prod', { cohorts: { vips: 7, others: 8 } }));
  const resolved = await resolveProjects(session, config, {
    files: [file],
    projects: Object.values(config.projects),
  });
  expect(resolved.map(({ resolution }) => resolution.desired.flags.map(({ key }) => key))).toEqual([['a', 'b'], ['b']]);
  expect(resolved.map(({ project }) => Object.keys(project.cohorts))).toEqual([['others'], ['vips', 'others']]);
  expect(breaths()).toBe(2);
});

describe('manifests on disk', () => {
  const read = async (files: Readonly<Record<string, string>>): ReturnType<typeof readProjects> => {
    const { root } = createWorkspace(files);
    const config = { ...configOf(remote('one'), remote('two')), root };
    return readProjects(watchSession().session, config, Object.values(config.projects));
  };

  test('are read once for all projects', async () => {
    const { files, projects } = await read({ 'flags/a.yaml': 'flags: { a: { only_in: [two] } }\n' });
    expect(files.map(({ file }) => file)).toEqual(['flags/a.yaml']);
    expect(projects.map(({ project, resolution }) => [project.name, resolution.desired.flags.length])).toEqual([
      ['one', 0],
      ['two', 1],
    ]);
  });

  test('with errors fail with all of them in the order of the files, of reading and of each project', async () => {
    const reading = read({
      'flags/a.yaml': 'flags: { a: { role_access: [nobody], only_in: [one] } }\n',
      'flags/b.yaml': 'flags: { b: { activ: true } }\n',
      'flags/c.yaml': 'flags: { c: { role_access: [nobody], only_in: [two] } }\n',
    });
    const error = (await reading.catch((thrown: unknown) => thrown)) as {
      readonly code: string;
      readonly message: string;
      readonly diagnostics: readonly { readonly code: string; readonly place: { readonly file: string } }[];
    };
    expect(error.code).toBe('manifest_invalid');
    expect(error.message).not.toBe('');
    expect(error.diagnostics.map(({ place }) => place.file)).toEqual(['flags/a.yaml', 'flags/b.yaml', 'flags/c.yaml']);
  });
});
