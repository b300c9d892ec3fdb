/** Which flags an export writes, the names that it adds to the configuration, and that it writes all files or none. */

import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { openWorld, ROLE_IDS } from '../../helpers/world.ts';

const CONFIG = `# the projects
projects:
  main: # production
    host: $HOST
    project_id: "1"
default_project: main # always
`;

const cohort = (value: number): JsonObject => ({ key: 'id', type: 'cohort', operator: 'in', value });
const using = (...properties: JsonObject[]): JsonObject => ({ groups: [{ properties, rollout_percentage: 100 }] });
const on = (id: number): JsonObject => ({ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true });

const SEED: JsonObject = {
  cohorts: [
    { id: 7, name: 'Beta testers (EU)' },
    { id: 8, name: 'Beta testers / EU' },
    { id: 9, name: '2024' },
  ],
  roles: [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1caa', name: 'Core team' }],
  flags: [
    { id: 1, key: 'base', filters: using() },
    { id: 2, key: 'checkout-a', filters: using(on(1)) },
    { id: 3, key: 'checkout-b', filters: using(cohort(7), cohort(8)) },
    { id: 4, key: 'search', filters: using(cohort(9)) },
  ],
};

interface Place {
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function place(files: Readonly<Record<string, string>> = {}, faults?: JsonValue): Promise<Place> {
  const world = await openWorld('posthog', SEED, faults === undefined ? {} : { faults });
  const texts = Object.entries({ 'flagwright.yaml': CONFIG, ...files }).map(([file, text]) => [
    file,
    text.replaceAll('$HOST', world.url),
  ]);
  const workspace = createWorkspace(Object.fromEntries(texts) as Record<string, string>);
  const run = async (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  return { workspace, run };
}

const filesIn = ({ root }: Workspace): string[] =>
  existsSync(path.join(root, 'flags')) ? readdirSync(path.join(root, 'flags')).toSorted() : [];

describe('names of cohorts and roles', () => {
  test('are added to the configuration in place, used in manifests, and found again', async () => {
    const { workspace, run } = await place();
    const before = workspace.read('flagwright.yaml');
    const exported = await run('export', '-f', 'json');
    expect([exported.code, schemaErrors('files', exported.document())]).toEqual([0, []]);
    expect(workspace.read('flagwright.yaml')).toBe(
      before.replace(
        '    project_id: "1"\n',
        '    project_id: "1"\n    cohorts:\n      beta-testers-eu: 7\n      beta-testers-eu-8: 8\n      cohort-2024: 9\n',
      ),
    );
    expect(workspace.read('flags/checkout.yaml')).toContain('value: beta-testers-eu-8');
    expect(exported.stderr).toContain('cohorts beta-testers-eu: 7, beta-testers-eu-8: 8, cohort-2024: 9');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    const after = workspace.read('flagwright.yaml');
    expect((await run('export', '--force')).stderr).not.toContain('names for ids');
    expect(workspace.read('flagwright.yaml')).toBe(after);
  });

  test('keep the Windows line ends of files that are edited or overwritten', async () => {
    const { workspace, run } = await place({ 'flagwright.yaml': CONFIG.replaceAll('\n', '\r\n') });
    expect((await run('export')).code).toBe(0);
    const after = workspace.read('flagwright.yaml');
    expect(after).toContain('\r\n    cohorts:\r\n      beta-testers-eu: 7\r\n');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    const manifest = workspace.read('flags/checkout.yaml');
    workspace.write('flags/checkout.yaml', manifest.replaceAll('\n', '\r\n'));
    expect((await run('export', '--force')).code).toBe(0);
    expect(workspace.read('flags/checkout.yaml')).toBe(manifest.replaceAll('\n', '\r\n'));
    expect(workspace.read('flags/misc.yaml')).not.toContain('\r');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('are those of the service for roles, and the same in every project', async () => {
    const known = `projects:\n  main: { host: $HOST, project_id: "1" }\n  other:\n    service: embedded\n    roles: { crew: ${ROLE_IDS[0] ?? ''} }\ndefault_project: main\n`;
    const { workspace, run } = await place({ 'flagwright.yaml': known });
    for (const [key, id] of [
      ['search', ROLE_IDS[0]],
      ['base', '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1caa'],
    ])
      workspace.write(`flags/${key}.yaml`, `flags: { ${key}: { role_access: [${id}] } }\n`);
    expect((await run('apply', '--yes')).code).toBe(0);
    await run('export', '--role-access', '--dir', 'all');
    expect(workspace.read('flagwright.yaml')).toContain(
      `roles: { Core team: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1caa, crew: ${ROLE_IDS[0] ?? ''} }`,
    );
    expect(workspace.read('all/misc.yaml')).toMatch(/roles: { Core team: editor }[^]*roles: { crew: editor }/);
  });

  test.each([
    ['the key cannot read cohorts', { status: 403, body: 'envelope' }, /cannot read cohorts/],
    ['the service has no cohorts', { status: 404, body: 'envelope' }, /the service has no list of cohorts/],
  ])('come from the flags where %s', async (_what, answer, note) => {
    const faults = { faults: [{ match: { operation: 'listCohorts' }, answer }] };
    const { workspace, run } = await place({}, faults);
    const exported = await run('export');
    expect(exported.code).toBe(0);
    expect(exported.stderr).toMatch(note);
    expect(workspace.read('flagwright.yaml')).toContain('cohort-2024: 9');
  });

  test('fail the export where the service fails, and nothing is written', async () => {
    const faults = { faults: [{ match: { operation: 'listCohorts' }, answer: { status: 400, body: 'envelope' } }] };
    const { workspace, run } = await place({}, faults);
    const before = workspace.read('flagwright.yaml');
    expect((await run('export')).code).toBe(1);
    expect([filesIn(workspace), workspace.read('flagwright.yaml')]).toEqual([[], before]);
  });

  test.each([
    ['--no-aliases', CONFIG, ['--no-aliases'], /written as ids: Beta testers .*\(id 7, 1 flag\)/],
    [
      'a configuration that shares its members',
      `x-a: &a { host: $HOST, project_id: "1" }\nprojects:\n  main: *a\ndefault_project: main\n`,
      [],
      /could not be edited[^]*beta-testers-eu: 7/,
    ],
  ])('are left to the user with %s', async (_what, config, options, note) => {
    const { workspace, run } = await place({ 'flagwright.yaml': config });
    const before = workspace.read('flagwright.yaml');
    const exported = await run('export', ...options);
    expect(exported.code).toBe(0);
    expect(exported.stderr).toMatch(note);
    expect(workspace.read('flagwright.yaml')).toBe(before);
    expect(workspace.read('flags/checkout.yaml')).toContain('value: 7');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

describe('--target', () => {
  test('exports the flags that match, and those that they depend on', async () => {
    const { workspace, run } = await place();
    expect((await run('export', '--target', 'checkout-a', '--group-by', 'flag')).code).toBe(0);
    expect(filesIn(workspace)).toEqual(['base.yaml', 'checkout-a.yaml']);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('refuses a pattern that matches nothing, and --force', async () => {
    const { workspace, run } = await place();
    expect(await run('export', '--target', 'serch')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /--target serch matches no flag of the project "main"[^]*Did you mean --target search/,
      ) as string,
    });
    expect((await run('export', '--target', 'search,base')).stderr).toContain('a comma does not separate targets');
    expect((await run('export', '--target', 'search', '--force')).stderr).toContain('cannot be used together');
    expect(filesIn(workspace)).toEqual([]);
  });
});

describe('--unmanaged', () => {
  test('writes what no manifest declares to new files, and never touches others', async () => {
    const manifest = '# mine\nflags:\n  checkout-a: { active: true }   # kept\n';
    const { workspace, run } = await place({
      'flags/checkout.yaml': manifest,
      'flags/misc.yaml': 'flags: { base: {} }\n',
    });
    expect((await run('export', '--unmanaged')).code).toBe(0);
    expect(workspace.read('flags/checkout.yaml')).toBe(manifest);
    expect(workspace.read('flags/misc.yaml')).toBe('flags: { base: {} }\n');
    expect(filesIn(workspace)).toEqual(['checkout.yaml', 'misc-2.yaml', 'misc.yaml']);
    expect(workspace.read('flags/misc-2.yaml')).toMatch(/^ {2}checkout-b:[^]*^ {2}search:/m);
    expect((await run('plan', '--detailed-exitcode', '--prune')).code).toBe(0);
    const again = await run('export', '--unmanaged');
    expect([again.code, again.stdout, filesIn(workspace).length]).toEqual([0, '', 3]);
    expect(again.stderr).toContain('Nothing to export: manifests declare every flag of main.');
    expect(again.stderr).not.toContain('no plan reads');
  });

  test('limits the flags to the project where there are others, and leaves out what those declare', async () => {
    const config = `projects:\n  main: { host: $HOST, project_id: "1" }\n  other: { host: $HOST, project_id: "1" }\ndefault_project: main\n`;
    const manifest = 'flags:\n  base: {}\n  search: { only_in: [other] }\n';
    const { workspace, run } = await place({ 'flagwright.yaml': config, 'flags/mine.yaml': manifest });
    const exported = await run('export', '--unmanaged');
    expect(exported.code).toBe(3);
    expect(exported.stderr).toMatch(
      /not exported {2}search \(flag id 4\)[^]*other projects only[^]*declared-elsewhere/,
    );
    expect(workspace.read('flags/checkout.yaml').match(/only_in: \[main\]/g)).toHaveLength(2);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await run('plan', '-p', 'other', '--detailed-exitcode')).code).toBe(0);
  });

  test('refuses manifests that do not validate', async () => {
    const { workspace, run } = await place({ 'flags/a.yaml': 'flags: { a: { activ: true } }\n' });
    expect(await run('export', '--unmanaged')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('activ') as string,
    });
    expect(filesIn(workspace)).toEqual(['a.yaml']);
  });
});

describe('the files', () => {
  test('name the schema for editors, whatever the depth of their folder', async () => {
    const { workspace, run } = await place({ 'node_modules/flagwright/schemas/manifest.schema.json': '{}' });
    for (const [dir, line] of [
      ['flags', '../node_modules/'],
      ['a/b/c', '../../../node_modules/'],
      ['.', './node_modules/'],
    ] as const) {
      await run('export', '--dir', dir);
      expect(workspace.read(`${dir}/misc.yaml`)).toMatch(
        new RegExp(`^# yaml-language-server: \\$schema=${line.replaceAll('.', '\\.')}flagwright/schemas/manifest`),
      );
    }
    mkdirSync(path.join(workspace.root, 'below'));
    writeFileSync(path.join(workspace.root, 'below/flagwright.yaml'), workspace.read('flagwright.yaml'));
    await run('export', '-c', 'below/flagwright.yaml', '--dir', 'below/flags');
    expect(workspace.read('below/flags/misc.yaml')).toContain('$schema=../../node_modules/');
  });

  test('are not written by a dry run', async () => {
    const { workspace, run } = await place();
    const before = workspace.read('flagwright.yaml');
    const shown = await run('export', '--dry-run', '-f', 'json');
    expect([shown.code, schemaErrors('files', shown.document())]).toEqual([0, []]);
    expect(shown.document()['files']).toEqual([
      { file: 'flags/checkout.yaml', status: 'to_write' },
      { file: 'flags/misc.yaml', status: 'to_write' },
      { file: 'flagwright.yaml', status: 'to_edit' },
    ]);
    expect([filesIn(workspace), workspace.read('flagwright.yaml')]).toEqual([[], before]);
  });

  test.each([
    [
      'read-only',
      (root: string) => chmodSync(path.join(root, 'flagwright.yaml'), 0o444),
      /flagwright\.yaml: it is read-only/,
    ],
    [
      'a link to another place',
      (root: string) => symlinkSync('/tmp', path.join(root, 'flags')),
      /a symbolic link points outside/,
    ],
    [
      'a file in place of the folder',
      (root: string) => writeFileSync(path.join(root, 'flags'), ''),
      /Cannot write flags/,
    ],
  ])('are written all or not at all: %s', async (_what, spoil, message) => {
    const { workspace, run } = await place();
    spoil(workspace.root);
    const before = workspace.read('flagwright.yaml');
    const exported = await run('export');
    expect([exported.code, exported.stdout]).toEqual([1, '']);
    expect(exported.stderr).toMatch(message);
    expect(workspace.read('flagwright.yaml')).toBe(before);
    expect(existsSync(path.join(workspace.root, 'flags/misc.yaml'))).toBe(false);
  });
});

test('the ids of cohorts and roles are listed', async () => {
  const { run } = await place();
  const cohorts = await run('cohorts', 'list', '-f', 'csv');
  expect(cohorts.code).toBe(0);
  expect(cohorts.stdout).toContain('id,name,is_static,count');
  expect(cohorts.stdout).toMatch(/9,2024,[^]*7,Beta testers \(EU\),/);
  const roles = await run('roles', 'list', '-f', 'json');
  expect(roles.code).toBe(0);
  expect(roles.stdout).toContain('"name": "Core team"');
});
