import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { DEFAULT_REFS, type Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

let cwd = '';
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'flagwright-')));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

type Env = Record<string, string>;

async function load(text: string | undefined, env: Env = {}): Promise<Config> {
  if (text !== undefined) await writeFile(join(cwd, 'flagwright.yaml'), text);
  return (await loadConfig({ cwd, env })).config;
}

/** The problems of a configuration, each as `code path line`. */
async function problems(text: string | undefined, env: Env = {}): Promise<string[]> {
  const error: unknown = await load(text, env).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(FlagwrightError);
  expect((error as FlagwrightError).code).toBe('config_invalid');
  return (error as FlagwrightError).diagnostics.map(
    ({ code, path, place }) => `${code} ${path ?? ''} ${place?.line ?? ''}`,
  );
}

const DAY = 86_400_000;

describe('the name of the file', () => {
  it.each(['flagwright.yaml', 'flagwright.yml'])('is %s, also when run in a folder below', async (name) => {
    await writeFile(join(cwd, name), 'protected: [a]');
    await mkdir(join(cwd, 'flags/deep'), { recursive: true });
    const { config } = await loadConfig({ cwd: join(cwd, 'flags/deep'), env: {} });
    expect(config).toMatchObject({ root: cwd, protected: ['a'] });
  });

  it.each([[['flagwright.yaml', 'flagwright.yml'], 'config-two-files', { beside: 'flagwright.yml' }]])(
    'of %j is %s',
    async (names, code, args) => {
      await Promise.all(names.map((name) => writeFile(join(cwd, name), '{}')));
      const place = { file: names[0], line: 1, column: 1 };
      await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({
        diagnostics: [{ code, severity: 'error', place, args }],
      });
    },
  );

  it('is ambiguous for two files, unless --config names one', async () => {
    await writeFile(join(cwd, 'flagwright.yaml'), '{}');
    await writeFile(join(cwd, 'flagwright.yml'), 'protected: [a]');
    expect((await loadConfig({ cwd, env: {}, file: 'flagwright.yml' })).config).toMatchObject({ protected: ['a'] });
  });
});

it('warns about a pattern with spaces around it', async () => {
  await writeFile(join(cwd, 'flagwright.yaml'), 'protected: ["a b", "billing-* "]\nscope: { exclude: ["\\ta"] }');
  const { diagnostics } = await loadConfig({ cwd, env: {} });
  expect(diagnostics.map(({ code, severity, path, place }) => [severity, code, path, place?.line])).toEqual([
    ['warning', 'key-pattern-spaces', '/protected/1', 1],
    ['warning', 'key-pattern-spaces', '/scope/exclude/0', 2],
  ]);
});

it('refuses a file that is too large for a configuration', async () => {
  expect(await problems(`# ${'x'.repeat(1_000_000)}\n`)).toEqual(['file-too-large  1']);
  await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({
    diagnostics: [{ code: 'file-too-large', args: { bytes: 1_000_003, limit: 1_000_000 } }],
  });
});

it.each([
  ['protected: [a]', 'revert'],
  ['drift: revert', 'revert'],
  ['drift: keep', 'keep'],
])('%s: what drifted is to %s', async (text, drift) => {
  expect((await load(text)).drift).toBe(drift);
});

it('without projects has the embedded one, and leaves out one that is not valid', async () => {
  expect(Object.entries((await load('protected: [a]')).projects)).toEqual([
    ['local', expect.objectContaining({ name: 'local', service: 'embedded' })],
  ]);
  expect(await problems('projects: { a: { host: http://x.test, project_id: 1 }, b: { service: embedded } }')).toEqual([
    'config-host-plain-http /projects/a/host 1',
  ]);
});

describe('a run that needs no service', () => {
  const offline = async (project: string, env: Env = {}): Promise<unknown> => {
    await writeFile(join(cwd, 'flagwright.yaml'), `projects: { a: ${project} }`);
    const { config } = await loadConfig({ cwd, env, offline: true });
    return config.projects['a'];
  };

  it.each<[string, string, Env]>([
    ['the host', '{ project_id: 1 }', {}],
    ['the id of the project', '{ host: https://x.test }', {}],
    ['both', '{}', {}],
  ])('has an embedded service in place of one that lacks %s, with its names', async (_what, project, env) => {
    const named = project.replace(/ ?\}$/, `${project === '{}' ? '' : ','} cohorts: { beta: 7 } }`);
    expect(await offline(named, env)).toMatchObject({ service: 'embedded', isStandIn: true, cohorts: { beta: 7 } });
  });

  it('has the service itself where the file or the environment tell where it is', async () => {
    const remote = { service: 'remote', host: 'https://x.test', projectId: '1' };
    expect(await offline('{ host: https://x.test, project_id: 1 }')).toMatchObject(remote);
    const env = { POSTHOG_HOST: 'https://x.test', POSTHOG_PROJECT_ID: '1' };
    expect(await offline('{}', env)).toMatchObject(remote);
    expect(await offline('{ host: https://x.test }', { POSTHOG_PROJECT_ID: '1' })).toMatchObject(remote);
    expect(await offline('{}', env)).not.toHaveProperty('isStandIn');
  });
});

it('knows where limits and protected flags are written', async () => {
  const { origins } = await load('limits:\n  deletes: 3\n  updates: 9\nprotected: [a, b,\n  a]\n');
  const at = (line: number, column: number): object => ({
    from: 'configuration',
    place: { file: 'flagwright.yaml', line, column },
  });
  expect(origins.limits).toEqual({ deletes: at(2, 3), updates: at(3, 3) });
  expect(Object.fromEntries(origins.protected)).toEqual({ a: at(4, 13), b: at(4, 16) });
});

it('guards look at one thing each, and know for how long', async () => {
  const { guards, projects } = await load(`
projects: { local: { service: embedded } }
guards:
  errors: { alert: Checkout errors }
  budget: { verdict: error-budget, max_age: 2h, patience: 3d, projects: [local] }
`);
  expect(guards).toEqual([
    { name: 'errors', source: { alert: 'Checkout errors' }, maxAge: DAY, patience: DAY },
    { name: 'budget', source: { verdict: 'error-budget' }, maxAge: DAY / 12, patience: 3 * DAY, projects: ['local'] },
  ]);
  expect(projects['local']?.guards).toEqual(['errors', 'budget']);
});

it.each([
  ['neither', '{ max_age: 1h }', 'guard-source'],
  ['both', '{ alert: a, verdict: b }', 'guard-source'],
  ['an unknown project', '{ alert: a, projects: [prod] }', 'project-unknown'],
  ['a word for a duration', '{ alert: a, patience: long }', 'value-pattern'],
])('a guard with %s is refused', async (_, guard, code) => {
  await expect(load(`projects: { local: { service: embedded } }\nguards:\n  errors: ${guard}\n`)).rejects.toMatchObject(
    {
      diagnostics: [{ code }],
    },
  );
});

describe('without a file', () => {
  it('uses the embedded service', async () => {
    expect(await load(undefined)).toEqual({
      root: cwd,
      manifests: ['flags/**/*.{yaml,yml}'],
      guards: [],
      defaultProject: 'local',
      projects: {
        local: {
          service: 'embedded',
          name: 'local',
          projectId: '1',
          data: join(cwd, '.flagwright/local.db'),
          profile: 'documented',
          roles: {},
          cohorts: {},
        },
      },
      scope: { include: ['*'], exclude: [] },
      limits: { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 5 },
      protected: [],
      origins: { limits: {}, protected: new Map() },
      drift: 'revert',
      base: {},
      exceptions: 'exceptions.yaml',
      refs: DEFAULT_REFS,
    });
  });

  it('defines a project by environment variables', async () => {
    const env = { POSTHOG_HOST: 'https://eu.posthog.com/', POSTHOG_PROJECT_ID: '12', POSTHOG_API_KEY: 'phx_secret' };
    const config = await load(undefined, env);
    expect(config.defaultProject).toBe('environment');
    expect(config.projects).toEqual({
      environment: {
        service: 'remote',
        name: 'environment',
        host: 'https://eu.posthog.com',
        projectId: '12',
        apiKeyVariable: 'POSTHOG_API_KEY',
        requestsPerMinute: 480,
        roles: {},
        cohorts: {},
      },
    });
    expect(JSON.stringify(config)).not.toContain('phx_secret');
  });

  it.each<[Env, string[]]>([
    [{ POSTHOG_API_KEY: 'k' }, ['config-environment-partial  ']],
    [
      { POSTHOG_HOST: 'https://x.test', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: ' ' },
      ['config-environment-partial  '],
    ],
    [{ POSTHOG_HOST: '' }, []],
    [{ POSTHOG_HOST: 'http://x.test', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'k' }, ['config-host-plain-http  ']],
    [{ POSTHOG_HOST: 'https://x.test', POSTHOG_PROJECT_ID: 'one', POSTHOG_API_KEY: 'k' }, ['value-pattern  ']],
  ])('%j', async (env, expected) => {
    expect(await problems(undefined, env)).toEqual(expected);
  });
});

describe('the file', () => {
  it('is found in a parent folder, and its paths are relative to that', async () => {
    await load('{}');
    const below = join(cwd, 'a/b');
    await mkdir(below, { recursive: true });
    const { config } = await loadConfig({ cwd: below, env: {} });
    expect([config.root, config.file]).toEqual([cwd, '../../flagwright.yaml']);
  });

  it('can be chosen', async () => {
    await mkdir(join(cwd, 'deep'));
    await writeFile(join(cwd, 'deep/other.yaml'), 'protected: [a]');
    const { config } = await loadConfig({ cwd, file: 'deep/other.yaml', env: {} });
    expect([config.root, config.file, config.protected]).toEqual([join(cwd, 'deep'), 'deep/other.yaml', ['a']]);
    const folder = join(cwd, 'deep');
    await expect(loadConfig({ cwd: '/', file: folder, env: {} })).rejects.toMatchObject({
      diagnostics: [{ code: 'file-unreadable', place: { file: folder }, args: { reason: 'EISDIR' } }],
    });
    await expect(loadConfig({ cwd, file: 'missing.yaml', env: {} })).rejects.toMatchObject({
      diagnostics: [{ code: 'file-unreadable', place: { file: 'missing.yaml' }, args: { reason: 'ENOENT' } }],
    });
  });

  it('is resolved completely', async () => {
    const config = await load(`
manifests: [flags/*.yaml]
default_project: local
projects:
  local: { service: embedded, profile: posthog, roles: { engineering: ${ROLE} } }
  production:
    host: https://us.posthog.com/base/
    project_id: 5678
    api_key_env: POSTHOG_PRODUCTION_KEY
    cohorts: { beta-testers: 42 }
    requests_per_minute: 240
scope: { exclude: ["survey-*"] }
limits: { deletes: 0 }
protected: ["billing-*"]
x-note: free
`);
    expect(config).toMatchObject({
      file: 'flagwright.yaml',
      manifests: ['flags/*.yaml'],
      defaultProject: 'local',
      scope: { include: ['*'], exclude: ['survey-*'] },
      limits: { deletes: 0, deletes_percent: 30, updates_percent: 50, disables: 5 },
      protected: ['billing-*'],
    });
    expect(config.projects['local']).toMatchObject({ profile: 'posthog', roles: { engineering: ROLE } });
    expect(config.projects['production']).toEqual({
      service: 'remote',
      name: 'production',
      host: 'https://us.posthog.com/base',
      projectId: '5678',
      apiKeyVariable: 'POSTHOG_PRODUCTION_KEY',
      guards: [],
      requestsPerMinute: 240,
      roles: {},
      cohorts: { 'beta-testers': 42 },
    });
  });

  it.each([
    ['', 'local'],
    ['projects: { one: { host: https://x.test, project_id: 1 } }', 'one'],
    ['projects: { a: { service: embedded }, local: { service: embedded } }', 'local'],
    ['projects: { a: { service: embedded }, b: { service: embedded } }', undefined],
  ])('%j makes %s the default project', async (text, project) => {
    expect((await load(text)).defaultProject).toBe(project);
  });

  it('is completed by the environment, but not overridden', async () => {
    const text = 'projects: { a: { host: https://a.test }, b: { host: https://b.test, project_id: 2 } }';
    const { projects } = await load(text, { POSTHOG_HOST: 'https://env.test', POSTHOG_PROJECT_ID: '9' });
    expect(projects).toMatchObject({
      a: { host: 'https://a.test', projectId: '9' },
      b: { host: 'https://b.test', projectId: '2' },
    });
    expect(projects['environment']).toBeUndefined();
  });

  it.each([
    ['projects:\n  p: { host: https://x.test, project_id: 1, hots: 2 }', ['property-unknown /projects/p/hots 2']],
    ['manifest: [a]', ['property-unknown /manifest 1']],
    ['limits: { deletes: -1 }', ['value-out-of-range /limits/deletes 1']],
    ['manifests: []', ['length-out-of-range /manifests 1']],
    ['projects: { ../x: { service: embedded } }', ['value-pattern /projects/..~1x 1']],
    ['projects: { p: {} }', ['property-missing /projects/p 1', 'property-missing /projects/p 1']],
    ['projects: { p: { host: https://x.test, project_id: abc } }', ['value-pattern /projects/p/project_id 1']],
    ['projects: { p: { host: http://x.test, project_id: 1 } }', ['config-host-plain-http /projects/p/host 1']],
    ['projects: { p: { host: x.test, project_id: 1 } }', ['config-host-invalid /projects/p/host 1']],
    ['projects: { p: { service: embedded, host: https://x.test } }', ['combination-forbidden /projects/p/host 1']],
    [
      'projects: { p: { host: https://x.test, project_id: 1, profile: posthog } }',
      ['combination-forbidden /projects/p/profile 1'],
    ],
    ['projects: { p: { service: cloud } }', ['value-not-allowed /projects/p/service 1']],
    ['projects: { p: { service: embedded, roles: { a: b } } }', ['value-pattern /projects/p/roles/a 1']],
    ['projects: { p: { service: embedded, cohorts: { "42": 1 } } }', ['value-pattern /projects/p/cohorts/42 1']],
    ['default_project: locl', ['project-unknown /default_project 1']],
    [
      'projects: { a: { service: embedded }, b: { service: embedded } }\npromotions:\n  - { from: a, to: bb }\n  - { from: aa, to: b }',
      ['project-unknown /promotions/0/to 3', 'project-unknown /promotions/1/from 4'],
    ],
    ['promotions: [staging -> production]', ['type-wrong /promotions/0 1']],
    ['promotions: [{ from: local }]', ['property-missing /promotions/0 1']],
    ['policies: { rules: [{ rule: freeze }] }', ['property-missing /policies/rules/0 1']],
    ['policies: { rules: [{ rule: require }] }', ['property-missing /policies/rules/0 1']],
    ['policies: { rules: [{ rule: require, description: false }] }', ['property-missing /policies/rules/0 1']],
    ['a: 1\na: 2', ['yaml-duplicate-key /a 2']],
    ['{', ['yaml-syntax  1']],
    ['{}\n---\n{}', ['config-several-documents  3']],
    ['[]', ['type-wrong  1']],
    ['scope: [a]\nlimits: 3\nprotected: x', ['type-wrong /scope 1', 'type-wrong /limits 2', 'type-wrong /protected 3']],
  ])('%j is refused', async (text, expected) => {
    expect(await problems(text)).toEqual(expected);
  });
});

describe('an API key in the file', () => {
  const KEY = 'phx_0123456789abcdefghij';

  it.each([
    [
      `projects: { p: { host: https://x.test, project_id: 1, api_key: ${KEY} } }`,
      ['config-key-in-file /projects/p/api_key 1'],
    ],
    [
      'projects: { p: { host: https://x.test, project_id: 1, apiKey: old-style-key } }',
      ['config-key-in-file /projects/p/apiKey 1'],
    ],
    [`token: ${KEY}`, ['config-key-in-file /token 1']],
    [
      `projects: { p: { service: embedded, host: "https://x.test/?k=${KEY}" } }`,
      ['config-key-in-file /projects/p/host 1'],
    ],
    [
      `projects: { p: { host: https://x.test, project_id: 1, api_key_env: ${KEY} } }`,
      ['config-key-in-file /projects/p/api_key_env 1'],
    ],
    [
      `projects: { p: { host: https://x.test, project_id: 1, api_key_env: oldStyleKey123 } }`,
      ['config-variable-invalid /projects/p/api_key_env 1'],
    ],
    [`${KEY}: 1`, ['config-key-in-file  1']],
    ['protected: ["a(b)c", "!x"]', ['key-pattern-invalid /protected/1 1']],
    [
      'scope: { include: ["a*", "+(a|b)"],\n  exclude: ["!x"] }',
      ['key-pattern-invalid /scope/include/1 1', 'key-pattern-invalid /scope/exclude/0 2'],
    ],
    [`protected: [a, ${KEY}]`, ['config-key-in-file /protected/1 1']],
    [`a: 1\na: ${KEY}\nb: [`, ['yaml-syntax  3']],
    [
      `projects: { p: { host: "https://user:${KEY}@x.test", project_id: 1 } }`,
      ['config-key-in-file /projects/p/host 1'],
    ],
    [
      `projects: { p: { host: "https://user:oldStyleKey123@x.test", project_id: 1 } }`,
      ['config-host-invalid /projects/p/host 1'],
    ],
  ])('is refused and never printed: %s', async (text, expected) => {
    expect(await problems(text)).toEqual(expected);
    const error = (await load(text).catch((caught: unknown) => caught)) as FlagwrightError;
    expect(JSON.stringify([error.diagnostics, error.message, error.stack])).not.toMatch(
      /0123456789|oldStyleKey|old-style/,
    );
  });
});

it('reports a folder in place of the file', async () => {
  await mkdir(join(cwd, 'flagwright.yaml'));
  await expect(loadConfig({ cwd, env: {} })).rejects.toMatchObject({ diagnostics: [{ args: { reason: 'EISDIR' } }] });
});
