import { expect, test } from 'vitest';
import type { RemoteProject } from '../../../src/config/config.ts';
import { checkProbe, compareScopes, type Purpose } from '../../../src/cli/doctor/check-projects.ts';
import type { ProjectProbe } from '../../../src/cli/doctor/probe.ts';
import type { NeededScope } from '../../../src/posthog/key-scopes.ts';

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

test.each<[string, Omit<ProjectProbe, 'project' | 'key'>, readonly string[]]>([
  ['a key without an end', { current: { value: KEY }, ...EMPTY }, ['ok key_accepted', 'ok project_answers']],
  [
    'a key that ends in a year',
    { current: { value: { ...KEY, expiresAt: '2027-01-31T12:00:00Z' } } },
    ['ok key_accepted'],
  ],
  [
    'a key that ends in 3 days',
    { current: { value: { ...KEY, expiresAt: '2026-02-03T13:00:00Z' } } },
    ['warning key_expires'],
  ],
  ['a key that ended', { current: { value: { ...KEY, expiresAt: '2026-01-31T11:59:00Z' } } }, ['problem key_expires']],
  ['an end that is no time', { current: { value: { ...KEY, expiresAt: 'soon' } } }, ['ok key_accepted']],
  ['a key of this project', { current: { value: { ...KEY, projects: ['5'] } } }, ['ok key_accepted']],
  [
    'a key of others',
    { current: { value: { ...KEY, projects: ['50'] } } },
    ['ok key_accepted', 'problem key_of_other_projects'],
  ],
  ['401', { current: { failure: { kind: 'unauthorized', detail: 'x' } } }, ['problem key_refused']],
  [
    '404, of a service that says nothing about keys',
    { current: { failure: { kind: 'not_found', detail: null } }, ...EMPTY },
    ['ok project_answers', 'skipped key_unknown'],
  ],
  [
    '403, and flags that may not be read',
    {
      current: { failure: { kind: 'forbidden', detail: null } },
      flag: { failure: { kind: 'forbidden', detail: 'x' } },
    },
    ['problem project_forbidden', 'skipped key_unknown'],
  ],
  [
    'a project that is not known',
    { current: { value: KEY }, flag: { failure: { kind: 'not_found', detail: 'x' } } },
    ['ok key_accepted', 'problem project_unknown'],
  ],
  [
    'flags that cannot be read now',
    { current: { value: KEY }, flag: { failure: { kind: 'server', status: 500, detail: null } } },
    ['ok key_accepted', 'problem project_failing'],
  ],
  ['a host that is not reached', { current: { failure: { kind: 'network', code: 'X' } } }, ['skipped not_checked']],
])('%s', (_, probe, expected) => {
  const found = checkProbe(SUBJECT, { project: PROJECT, key: { kind: 'usable', key: 'k' }, ...probe }, NOW);
  expect(found.map(({ status, code }) => `${status} ${code}`)).toEqual(expected);
  expect(found.every(({ project }) => project === 'main')).toBe(true);
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
