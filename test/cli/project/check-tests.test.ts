import { expect, test } from 'vitest';
import { checkTests, readTestFiles } from '../../../src/cli/project/check-tests.ts';
import { resolveProjects } from '../../../src/cli/project/resolve-projects.ts';
import type { Config } from '../../../src/config/config.ts';
import { parseManifest } from '../../../src/posthog/manifests/manifests.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const COHORT = '{ filters: { properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } } }';
const MANIFEST = `cohorts: { declared: ${COHORT} }
flags: { both: { active: true }, west: { only_in: [west], active: true } }
`;
const TESTS = `people:
  ada: { cohorts: [configured, of_west, declared, unknown] }
expect:
  - { person: ada, flags: { both: true, wset: true } }
  - { person: ada, projects: [east], flags: { west: true } }
  - { person: bob, projects: [south], flags: { both: true } }
`;

const projects = {
  east: { service: 'remote', name: 'east', roles: {}, cohorts: { configured: 1 } },
  west: { service: 'remote', name: 'west', roles: {}, cohorts: { of_west: 2 } },
};

async function check({ isSound, tests = TESTS }: { readonly isSound: boolean; readonly tests?: string }): Promise<{
  readonly codes: readonly string[];
  readonly expectations: number;
}> {
  const { root } = createWorkspace({ 'tests/b.yaml': tests, 'tests/a.yaml': 'expect: [{ persn: ada, flags: {} }]\n' });
  const config = { root, projects } as unknown as Config;
  const { session } = watchSession();
  const files = [parseManifest('flags/a.yaml', MANIFEST).file];
  const resolved = await resolveProjects(session, config, { files, projects: Object.values(config.projects) });
  const read = await readTestFiles(session, config);
  const { suite, diagnostics } = checkTests(read, config, { files, projects: resolved, isSound });
  return {
    codes: diagnostics.map(({ code, place }) => `${place?.file}:${place?.line} ${code}`),
    expectations: suite.expectations.length,
  };
}

test('tests are checked against all projects, and their mistakes are sorted with those of reading', async () => {
  const { codes, expectations } = await check({ isSound: true });
  expect(codes.filter((code) => code.startsWith('tests/b'))).toEqual([
    'tests/b.yaml:2 person-cohort-unknown',
    'tests/b.yaml:4 expected-flag-unknown',
    'tests/b.yaml:5 expected-flag-unknown',
    'tests/b.yaml:6 person-unknown',
    'tests/b.yaml:6 project-unknown',
  ]);
  expect(codes[0]).toMatch(/^tests\/a\.yaml:1 /);
  expect(codes).toEqual(codes.toSorted());
  expect(expectations).toBe(3);
});

test('where manifests have errors, nothing is looked up in them', async () => {
  const { codes } = await check({ isSound: false });
  expect(codes.filter((code) => code.startsWith('tests/b'))).toEqual([
    'tests/b.yaml:6 person-unknown',
    'tests/b.yaml:6 project-unknown',
  ]);
});

test('test files are those of the folder tests, or those that the configuration names', async () => {
  const written = 'expect: [{ person: { id: x }, flags: { a: true } }]\n';
  const { root } = createWorkspace({ 'tests/a.yaml': written, 'other/b.yaml': written });
  const filesOf = async (more: object): Promise<readonly string[]> =>
    (await readTestFiles(watchSession().session, { root, ...more } as unknown as Config)).files;
  expect(await filesOf({})).toEqual(['tests/a.yaml']);
  expect(await filesOf({ tests: ['other/*.yaml'] })).toEqual(['other/b.yaml']);
});
