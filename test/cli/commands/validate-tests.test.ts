/** What `validate` says of test files: their form, and the names in them that do not exist. */

import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const CONFIGURATION = `
projects:
  production: { host: https://us.posthog.com, project_id: '1', cohorts: { staff: 4 } }
  staging: { host: https://us.posthog.com, project_id: '2' }
`;
const FLAGS = `
flags:
  checkout: { rollout_percentage: 100 }
  beta: { only_in: [staging], rollout_percentage: 100 }
`;
const TESTS = 'people: { ada: }\nexpect: [{ person: ada, flags: { checkout: true } }]\n';

type Place = Workspace & { readonly validate: (...argv: string[]) => Promise<Ran> };

function place(files: Readonly<Record<string, string>> = {}): Place {
  const all = { 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': FLAGS, 'tests/a.yaml': TESTS, ...files };
  const workspace = createWorkspace(all);
  return { ...workspace, validate: (...argv) => runCli(['validate', ...argv], { cwd: workspace.root }) };
}

async function problems(files: Readonly<Record<string, string>>, ...argv: string[]): Promise<string[]> {
  const { document } = await place(files).validate('-f', 'json', ...argv);
  expect(schemaErrors('validation', document())).toEqual([]);
  const found = document()['diagnostics'] as readonly { code: string; file: string; line: number; column: number }[];
  return found.map(({ code, file, line, column }) => `${file}:${line}:${column} ${code}`);
}

describe('validate', () => {
  test('checks test files beside the manifests, and counts them', async () => {
    const { validate } = place();
    expect(await validate()).toMatchObject({ code: 0, stdout: '2 flags in 1 file, 1 test file: no problems\n' });
    const { document } = await validate('-f', 'json');
    expect(document()).toMatchObject({ valid: true, files: 1, test_files: 1 });
  });

  test('reports each kind of mistake with its place and remedy, and exits with 1', async () => {
    const tests = `people:
  ada: { cohorts: [staf] }
  bob: { idd: x }
expect:
  - { person: adda, flags: { checkout: true } }
  - { person: bob, flags: { chekout: true } }
  - { person: ada, projects: [prodution], flags: { checkout: true } }
  - { person: ada, projects: [production], flags: { beta: true } }
  - { person: ada, flags: { checkout: blue } }
  - { person: ada, at: 2026-02-30T00:00:00Z, flags: { checkout: true } }
`;
    const { validate } = place({ 'tests/a.yaml': tests });
    const text = await validate();
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(
      'tests/a.yaml:5:7  error  No test file has a person "adda".  person-unknown\n  5 |   - { person: adda, flags: { checkout: true } }\n    |       ^\n  → Did you mean "ada"?\n',
    );
    expect(await problems({ 'tests/a.yaml': tests })).toEqual([
      'tests/a.yaml:2:20 person-cohort-unknown',
      'tests/a.yaml:3:10 property-unknown',
      'tests/a.yaml:5:7 person-unknown',
      'tests/a.yaml:6:29 expected-flag-unknown',
      'tests/a.yaml:7:31 project-unknown',
      'tests/a.yaml:8:53 expected-flag-unknown',
      'tests/a.yaml:9:29 expected-variant-unknown',
      'tests/a.yaml:10:20 expected-time-invalid',
    ]);
    expect((await validate('-f', 'github')).stdout).toContain(
      '::error file=tests/a.yaml,line=5,col=7,title=person-unknown::',
    );
  });

  test('looks up no flag and no cohort while a manifest has an error', async () => {
    const tests = 'people: { ada: { cohorts: [crew] } }\nexpect: [{ person: [ada, eve], flags: { gone: true } }]\n';
    const files = { 'flags/a.yaml': 'flags: { checkout: { activ: true } }\n', 'tests/a.yaml': tests };
    expect(await problems(files)).toEqual(['flags/a.yaml:1:22 property-unknown', 'tests/a.yaml:2:26 person-unknown']);
  });

  test('looks up no person while a file that may have it cannot be read', async () => {
    const files = {
      'tests/a.yaml': 'people: { ada: \n',
      'tests/b.yaml': 'expect: [{ person: ada, flags: { gone: true } }]\n',
    };
    expect(await problems(files)).toEqual(['tests/a.yaml:1:16 yaml-syntax', 'tests/b.yaml:1:34 expected-flag-unknown']);
  });

  test('reports of named files only, with the people and flags of all', async () => {
    const files = {
      'tests/a.yaml': 'people: { ada: }\nexpect: [{ person: ada, flags: { gone: true } }]\n',
      'tests/b.yaml': 'people: { ada: }\nexpect: [{ person: ada, flags: { checkout: true } }]\n',
      'tests/c.yaml': TESTS.replace('people: { ada: }\n', ''),
    };
    const duplicate = 'tests/b.yaml:1:11 person-duplicate';
    expect(await problems(files, 'tests/b.yaml')).toEqual([duplicate]);
    expect(await problems(files, 'tests/a.yaml')).toEqual(['tests/a.yaml:2:34 expected-flag-unknown', duplicate]);
    expect(await problems(files, 'flags/a.yaml')).toEqual([]);
    const { validate } = place(files);
    expect(await validate('tests/c.yaml')).toMatchObject({ code: 0, stdout: '1 test file: no problems\n' });
    expect(await validate('tests/c.yaml', 'flags/a.yaml')).toMatchObject({
      code: 0,
      stdout: '2 flags in 1 file, 1 test file: no problems\n',
    });
  });

  test('looks up no flag for a named test file while another manifest cannot be read', async () => {
    expect(
      await problems({ 'flags/b.yaml': 'flags: {\n', 'tests/a.yaml': TESTS.replace('checkout', 'b') }, 'tests/a.yaml'),
    ).toEqual([]);
  });

  test.each([
    ['no test file', { 'tests/a.yaml': 'x: 1\n' }],
    ['YAML of another program, named', { 'tests/a.yaml': 'x: 1\n', 'tests/b.yaml': 'other: { people: 1 }\n' }],
  ])('is silent about tests with %s', async (_, files) => {
    const { validate } = place(files);
    expect(await validate()).toMatchObject({ code: 0, stdout: '2 flags in 1 file: no problems\n', stderr: '' });
    expect((await validate('-f', 'json')).document()).toMatchObject({ test_files: 0 });
    expect((await validate('tests/a.yaml')).stdout).toContain('file-unmatched');
  });

  test('reports a pattern of `tests` that leads outside', async () => {
    const { validate } = place({ 'flagwright.yaml': `${CONFIGURATION}tests: ['../*.yaml']\n` });
    expect((await validate()).stdout).toContain('file-outside');
  });
});
