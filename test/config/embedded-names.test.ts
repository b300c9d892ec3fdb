import { expect, test } from 'vitest';
import type { EmbeddedProject, ProjectConfig } from '../../src/config/config.ts';
import { lendNames } from '../../src/config/embedded-names.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const OTHER_ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';

const LOCAL: EmbeddedProject = {
  service: 'embedded',
  name: 'local',
  projectId: '1',
  data: '/data/local.db',
  profile: 'posthog',
  roles: { support: OTHER_ROLE },
  cohorts: { own: 9 },
};

const remote = (name: string, names: Pick<ProjectConfig, 'roles' | 'cohorts'>): ProjectConfig => ({
  service: 'remote',
  name,
  host: 'https://us.posthog.com',
  projectId: name,
  apiKeyVariable: 'POSTHOG_API_KEY',
  requestsPerMinute: 480,
  ...names,
});

const PROJECTS = {
  local: LOCAL,
  staging: remote('staging', { roles: {}, cohorts: { beta: 9, invited: 9, own: 4 } }),
  production: remote('production', { roles: { growth: ROLE, support: ROLE }, cohorts: { invited: 7, crew: 8 } }),
};

test('an embedded project gets the names of others, with ids of its own, and keeps its names', () => {
  const { roles, cohorts } = lendNames(LOCAL, { projects: PROJECTS }, new Set());
  expect(roles).toEqual({ growth: ROLE, support: OTHER_ROLE });
  expect(Object.keys(cohorts).sort()).toEqual(['beta', 'crew', 'invited', 'own']);
  expect(cohorts['own']).toBe(9);
  const ids = Object.values(cohorts);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true);
  expect(ids).not.toContain(7);
});

test('no name of a cohort that manifests declare for it: the service creates that one', () => {
  expect(lendNames(LOCAL, { projects: PROJECTS }, new Set(['crew'])).cohorts).not.toHaveProperty('crew');
});

test.each<[string, ProjectConfig]>([
  ['a remote project', PROJECTS.staging],
  ['a project in place of a remote one', { ...LOCAL, isStandIn: true }],
])('%s keeps its names', (_, project) => {
  expect(lendNames(project, { projects: PROJECTS }, new Set())).toBe(project);
});
