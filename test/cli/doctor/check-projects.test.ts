/** What `doctor` says of each project: its key, the rights of the key, and whether the project answers. */

import { expect, test } from 'vitest';
import { checkProbe, checkProjects, compareScopes, type Purpose } from '../../../src/cli/doctor/check-projects.ts';
import type { ProjectProbe, Surroundings } from '../../../src/cli/doctor/surroundings.ts';
import type { ProjectConfig, RemoteProject } from '../../../src/config/config.ts';
import type { NeededScope } from '../../../src/posthog/key-scopes.ts';
import type { CheckResult } from '../../../src/report/check-result.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const SUBJECT = { section: 'project', project: 'main' } as const;
const PROJECT = {
  service: 'remote',
  name: 'main',
  host: 'https://x.example',
  projectId: '5',
  apiKeyVariable: 'THE_KEY',
  requestsPerMinute: 480,
  roles: {},
  cohorts: {},
} satisfies RemoteProject;
const KEY = { scopes: ['*'], projects: [], organizations: [] };
const EMPTY = { flag: { value: null } } as const;
const ACCEPTED = 'ok key_accepted {"variable":"THE_KEY"}';
const FORBIDDEN = { failure: { kind: 'forbidden', detail: null } } as const;
const told = (results: readonly CheckResult[]): string[] =>
  results.map(({ status, code, facts }) => `${status} ${code} ${JSON.stringify(facts)}`);

/** Of a key that ends at the time. */
const ending = (at: string, status: string, days: number): string =>
  `${status} key_expires {"variable":"THE_KEY","expires_at":"${at}","days":${days}}`;
const until = (at: string): string => `ok key_accepted {"variable":"THE_KEY","expires_at":"${at}"}`;

test.each<[string, Omit<ProjectProbe, 'project' | 'key'>, readonly string[]]>([
  [
    'a key without an end',
    { current: { value: { ...KEY, label: 'CI' } }, ...EMPTY },
    ['ok key_accepted {"variable":"THE_KEY","label":"CI"}', 'ok project_answers {"project_id":"5","age":"today"}'],
  ],
  ...(
    [
      ['a key that ends in 15 days', '2026-02-15T12:00:00Z', undefined],
      ['a key that ends in less', '2026-02-15T11:59:59Z', ['warning', 14]],
      ['a key that ends in 3 days', '2026-02-03T13:00:00Z', ['warning', 3]],
      ['a key that ends now', '2026-01-31T12:00:00Z', ['warning', 0]],
      ['a key that ended', '2026-01-31T11:59:00Z', ['problem', -1]],
      ['an end that is no time', 'soon', undefined],
    ] as const
  ).map(([name, at, found]): [string, Omit<ProjectProbe, 'project' | 'key'>, readonly string[]] => [
    name,
    { current: { value: { ...KEY, expiresAt: at } } },
    [found === undefined ? until(at) : ending(at, found[0], found[1])],
  ]),
  ['a key of this project and another', { current: { value: { ...KEY, projects: ['4', '5'] } } }, [ACCEPTED]],
  [
    'a key of others',
    { current: { value: { ...KEY, projects: ['50', '51'] } } },
    [ACCEPTED, 'problem key_of_other_projects {"project_id":"5","projects":["50","51"]}'],
  ],
  [
    '401',
    { current: { failure: { kind: 'unauthorized', detail: 'x' } } },
    ['problem key_refused {"variable":"THE_KEY","detail":"x"}'],
  ],
  [
    '404, of a service that says nothing about keys',
    { current: { failure: { kind: 'not_found', detail: null } }, ...EMPTY },
    [
      'ok project_answers {"project_id":"5","age":"unknown"}',
      'skipped key_unknown {"variable":"THE_KEY","status":404}',
    ],
  ],
  [
    '403, and a flag in the form of today',
    { current: FORBIDDEN, flag: { value: { user_access_level: 'editor' } as never } },
    ['ok project_answers {"project_id":"5","age":"today"}', 'skipped key_unknown {"variable":"THE_KEY","status":403}'],
  ],
  [
    '403, and a flag in the form of 2023',
    { current: FORBIDDEN, flag: { value: {} as never } },
    ['ok project_answers {"project_id":"5","age":"2023"}', 'skipped key_unknown {"variable":"THE_KEY","status":403}'],
  ],
  [
    '403, and flags that may not be read',
    { current: FORBIDDEN, flag: { failure: { kind: 'forbidden', detail: 'x' } } },
    [
      'problem project_forbidden {"project_id":"5","detail":"x"}',
      'skipped key_unknown {"variable":"THE_KEY","status":403}',
    ],
  ],
  [
    '403, and 401 for flags',
    { current: FORBIDDEN, flag: { failure: { kind: 'unauthorized', detail: 'x' } } },
    [
      'problem key_refused {"variable":"THE_KEY","detail":"x"}',
      'skipped key_unknown {"variable":"THE_KEY","status":403}',
    ],
  ],
  [
    'a project that is not known',
    { current: { value: KEY }, flag: { failure: { kind: 'not_found', detail: 'x' } } },
    [ACCEPTED, 'problem project_unknown {"project_id":"5","detail":"x"}'],
  ],
  [
    'flags that cannot be read now',
    { current: { value: KEY }, flag: { failure: { kind: 'server', status: 500, detail: null } } },
    [ACCEPTED, 'problem project_failing {"project_id":"5","failure":"the service answered 500"}'],
  ],
  [
    'a host that is not reached',
    { current: { failure: { kind: 'network', code: 'X' } } },
    ['skipped not_checked {"because":"host_unusable"}'],
  ],
])('%s', (_, probe, expected) => {
  const found = checkProbe(SUBJECT, { project: PROJECT, key: { kind: 'usable', key: 'k' }, ...probe }, NOW);
  expect(told(found)).toEqual(expected);
  expect(found.every(({ project }) => project === 'main')).toBe(true);
});

interface Given {
  readonly projects?: readonly ProjectConfig[];
  /** Also those that are not checked. */
  readonly all?: readonly ProjectConfig[];
  readonly probe?: Partial<ProjectProbe>;
  /** Absent: the manifests have an error. */
  readonly desired?: object;
  readonly diagnostics?: readonly { readonly code: string }[];
  /** The kinds that the newest runs changed. `undefined`: the journal cannot be read. */
  readonly changed?: readonly string[] | undefined;
  readonly purpose?: Purpose;
  readonly guards?: readonly object[];
  readonly scopes?: readonly string[];
}

/** The results of `main`, which the service answers; of all projects if several are given. */
async function check(given: Given): Promise<string[]> {
  const { projects = [PROJECT], all = projects, probe = {}, desired, diagnostics = [], purpose } = given;
  const { guards = [], scopes = KEY.scopes } = given;
  const probes = projects.map((project): [string, object] => [
    project.name,
    { project, key: { kind: 'usable', key: 'k' }, current: { value: { ...KEY, scopes } }, ...EMPTY, ...probe },
  ]);
  const changed = 'changed' in given ? given.changed : [];
  const surroundings = {
    session: { context: { now: () => NOW } },
    configuration: {
      projects,
      config: { guards, projects: Object.fromEntries(all.map((one) => [one.name, one])) },
    },
    probes: async () => Promise.resolve({ hosts: new Map(), projects: new Map(probes) }),
    manifests: async () =>
      Promise.resolve({ diagnostics, desired: new Map(desired === undefined ? [] : [['main', desired]]) }),
    newestRuns: async () => {
      if (changed === undefined) throw new Error('torn');
      return Promise.resolve(changed.map((resource) => ({ plan: { changes: [{ resource }] } })));
    },
  };
  const found = await checkProjects(surroundings as unknown as Surroundings, purpose);
  expect(found.every(({ section }) => section === 'project')).toBe(true);
  return found.map((one, index) =>
    projects.length > 1 ? `${one.project} ${told(found)[index]}` : `${told(found)[index]}`,
  );
}

const SHARED = { ...PROJECT, requestsPerMinute: 1 };
const EMBEDDED = { service: 'embedded', name: 'here', profile: 'posthog', projectId: '5' } as unknown as ProjectConfig;

test('an embedded project is one, and others after it are checked', async () => {
  const found = await check({ projects: [EMBEDDED, PROJECT], desired: { flags: [] } });
  expect(found.slice(0, 2)).toEqual(['here ok embedded {"profile":"posthog"}', `main ${ACCEPTED}`]);
});

test.each<[string, readonly ProjectConfig[], string[]]>([
  ['two other names', [PROJECT, { ...SHARED, name: 'b' }, { ...SHARED, name: 'c' }], ['b', 'c']],
  ['another host', [PROJECT, { ...SHARED, name: 'b', host: 'https://y.example' }], []],
  ['another id', [PROJECT, { ...SHARED, name: 'b', projectId: '6' }], []],
  ['an embedded project', [PROJECT, EMBEDDED], []],
  ['none', [PROJECT], []],
])('a project that has %s', async (_, all, names) => {
  const found = await check({ all });
  expect(found.filter((line) => line.includes('project_shared'))).toEqual(
    names.length === 0 ? [] : [`warning project_shared ${JSON.stringify({ project_id: '5', names })}`],
  );
});

test('two projects of the ids that their keys have are not known to be one', async () => {
  const current = { ...PROJECT, projectId: '@current' };
  const found = await check({ projects: [current], all: [current, { ...current, name: 'b' }] });
  expect(found.filter((line) => line.includes('project_shared'))).toEqual([]);
  expect(found).toContain('ok project_answers {"project_id":"@current","age":"today"}');
});

test.each<[Purpose | undefined, string[]]>([
  [undefined, ['warning key_cannot_edit {"variable":"THE_KEY","flags":2}']],
  ['plan', []],
  ['apply', ['problem key_cannot_edit {"variable":"THE_KEY","flags":2}']],
])('a key that can edit no flag, for %s', async (purpose, expected) => {
  const found = await check({ probe: { readOnly: 2 }, ...(purpose === undefined ? {} : { purpose }) });
  expect(found.filter((line) => line.includes('key_cannot_edit'))).toEqual(expected);
});

const present = (...objects: string[]): string =>
  objects.flatMap((object) => [`"${object}:read"`, `"${object}:write"`]).join(',');

test.each<[string, Given, string[], boolean]>([
  ['flags', { desired: { flags: [] } }, ['feature_flag'], true],
  [
    'what the newest runs changed',
    { desired: { flags: [] }, changed: ['cohort', 'early_access'] },
    ['feature_flag', 'cohort', 'early_access_feature'],
    true,
  ],
  [
    'roles that are not verified',
    { desired: { flags: [] }, changed: ['cohort'], diagnostics: [{ code: 'x' }, { code: 'role-unverified' }] },
    ['feature_flag', 'access_control', 'cohort'],
    true,
  ],
  ['flags where the journal cannot be read', { desired: { flags: [] }, changed: undefined }, ['feature_flag'], true],
  ['flags at least where the manifests cannot be read', { diagnostics: [{ code: 'x' }] }, ['feature_flag'], false],
])('a key needs the scopes for %s', async (_, given, objects, isKnown) => {
  const found = await check(given);
  expect(found.filter((line) => line.includes('scopes_present'))).toHaveLength(1);
  expect(found.find((line) => line.includes('scopes_present'))).toContain(`{"scopes":[${present(...objects)},`);
  expect(found.includes('skipped not_checked {"because":"manifests_unusable"}')).toBe(!isKnown);
});

const GUARD = { name: 'errors', source: { alert: 'Checkout errors' } };

test.each<[string, readonly object[], Purpose, boolean]>([
  ['an alert guards all rollouts', [GUARD], 'apply', true],
  ['an alert guards its rollouts', [{ ...GUARD, projects: ['b', 'main'] }], 'plan', true],
  ['an alert guards those of another project', [{ ...GUARD, projects: ['b'] }], 'apply', false],
  ['a verdict guards them', [{ ...GUARD, source: { verdict: 'x' } }], 'apply', false],
])('a key needs alert:read if %s', async (_, guards, purpose, isNeeded) => {
  const scopes = ['feature_flag:write', 'activity_log:read'];
  const found = await check({ desired: { flags: [] }, guards, purpose, scopes });
  const [line] = found.filter((one) => one.includes('scopes_'));
  if (isNeeded)
    expect(line).toBe('problem scopes_missing {"use":"steps","scopes":[{"scope":"alert:read","why":"alerts"}]}');
  else expect(line).toContain('ok scopes_present');
});

const NEEDED: readonly NeededScope[] = [
  { scope: 'feature_flag:read', use: 'runs', why: 'flags' },
  { scope: 'feature_flag:write', use: 'applies', why: 'flags' },
  { scope: 'activity_log:read', use: 'completes', why: 'activity' },
];

test.each<[readonly string[], Purpose | undefined, readonly string[]]>([
  [['*'], 'apply', ['ok scopes_present']],
  [[], undefined, ['problem runs', 'warning applies', 'warning completes']],
  [[], 'plan', ['problem runs', 'warning completes']],
  [[], 'apply', ['problem runs', 'problem applies', 'warning completes']],
  [['feature_flag:write'], undefined, ['warning completes']],
  [['feature_flag:read', 'activity_log:read'], 'plan', ['ok scopes_present']],
])('scopes %j for %s', (scopes, purpose, expected) => {
  const found = compareScopes(SUBJECT, { needed: NEEDED, scopes, purpose });
  expect(found.map((one) => `${one.status} ${one.code === 'scopes_missing' ? one.facts.use : one.code}`)).toEqual(
    expected,
  );
});
