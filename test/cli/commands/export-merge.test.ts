/** A second project is merged into the manifests of the first, in place. */

// @module-tag untimely
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { twoProjects } from '../../helpers/second-project.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { startWorld } from '../../helpers/world.ts';

function textsIn({ root }: Workspace): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

/** Every line of the first text is in the second, in the same order. */
function isKept(before: string, after: string): boolean {
  const lines = after.split('\n')[Symbol.iterator]();
  return before.split('\n').every((line) => {
    for (let next = lines.next(); next.done !== true; next = lines.next()) if (next.value === line) return true;
    return false;
  });
}

interface Place {
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function place(
  seeds: readonly [JsonValue, JsonValue],
  files: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const worlds = [await startWorld('posthog', seeds[0]), await startWorld('posthog', seeds[1])];
  for (const world of worlds) onTestFinished(async () => world.close());
  const config = `# Two projects.
default_project: production
projects:
  production:
    host: ${worlds[0]?.url ?? ''} # the one that counts
    project_id: "1"

  # for trying things
  staging: { host: "${worlds[1]?.url ?? ''}", project_id: "1" }
`;
  const workspace = createWorkspace({ 'flagwright.yaml': config, ...files });
  const run = async (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  return { workspace, run };
}

/** More than a page of the service's list has. */
const SIZE = 120;

test(`${SIZE} flags with ${SIZE} others, two thirds of them in common: both plans are empty, and nothing else changes`, async () => {
  const { workspace, run } = await place(twoProjects(SIZE));
  const first = await run('export', '-p', 'production', '--role-access');
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringMatching(/not (exported|merged) {2}/)]);
  const file = 'flags/checkout.yaml';
  const exported = workspace.read(file).replace('flags:\n', 'flags:   # by hand\n  # A comment.\n\n');
  workspace.write(file, exported.replace(/^( {4}active: .*)$/m, '$1  # why'));
  const before = textsIn(workspace);

  const merged = await run('export', '-p', 'staging', '--merge', '--role-access', '-f', 'json');
  expect([merged.code, merged.stderr]).toEqual([0, expect.not.stringMatching(/not (exported|merged) {2}/)]);
  expect(schemaErrors('files', JSON.parse(merged.stdout) as JsonValue)).toEqual([]);
  const after = textsIn(workspace);
  for (const [name, text] of Object.entries(before)) {
    if (name !== 'flagwright.yaml') expect([name, isKept(text, after[name] ?? '')]).toEqual([name, true]);
  }
  expect(after['flagwright.yaml']).toMatch(/^# Two projects\.\n[^]*# the one that counts\n[^]*# for trying things\n/);
  const document = JSON.parse(merged.stdout) as { overlaid: string[]; limited: string[]; not_merged: unknown[] };
  expect([document.overlaid.length > SIZE / 4, document.limited.length, document.not_merged]).toEqual([
    true,
    SIZE / 3,
    [],
  ]);

  for (const project of ['production', 'staging']) {
    const plan = await run('plan', '--detailed-exitcode', '--prune', '-p', project);
    expect([project, plan.code, plan.stdout]).toEqual([project, 0, expect.stringContaining('In sync') as string]);
  }
  const again = await run('export', '-p', 'staging', '--merge', '--role-access');
  expect([again.code, again.stdout, textsIn(workspace)]).toEqual([0, '', after]);
  expect(again.stderr).toContain('Nothing to export: the manifests already declare what staging has.');
});

test('a merge says for how many flags it leaves access undeclared, and why', async () => {
  const roles = [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'engineering' }];
  const flags = [flag('a'), flag('b'), flag('c')];
  const granted = { roles, flags, role_access: [{ flag: 'a', role: 'engineering' }] };
  const files = { 'flags/main.yaml': 'flags:\n  a: { active: true }\n  b: { active: true, role_access: [] }\n' };
  const { run } = await place([granted, granted], files);
  const merged = await run('export', '-p', 'staging', '--merge', '--dry-run');
  expect(merged.stderr).toContain('Not managed: role_access (2 flags). To manage it, add it to the declarations.\n');
  const rich = await run('export', '-p', 'staging', '--merge', '--role-access', '-f', 'json');
  expect(rich.stderr).not.toContain('export with');
  expect(schemaErrors('files', rich.document())).toEqual([]);
  expect(rich.document()['unmanaged']).toContainEqual({ member: 'role_access', flags: 1, reason: 'not-declared' });
});

test('a role that the project has not granted, and names only in the service, is revoked in its overlay', async () => {
  const roles = [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'engineering' }];
  const flags = [{ id: 1, key: 'a', filters: { groups: [{ rollout_percentage: 10 }] } }];
  const granted = { roles, flags, role_access: [{ flag: 'a', role: 'engineering' }] };
  const { workspace, run } = await place([granted, { roles, flags }]);
  expect((await run('export', '-p', 'production', '--role-access')).code).toBe(0);
  expect((await run('export', '-p', 'staging', '--merge', '--role-access')).code).toBe(0);
  expect(workspace.read('flags/misc.yaml')).toContain('staging: { access: { roles: { engineering: null } } }');
  for (const project of ['production', 'staging']) {
    expect([project, (await run('plan', '--detailed-exitcode', '-p', project)).code]).toEqual([project, 0]);
  }
});

const everybody = (percentage: number): JsonObject => ({
  groups: [{ properties: [], rollout_percentage: percentage }],
});

const flag = (key: string, fields: JsonObject = {}): JsonObject => ({ key, filters: everybody(10), ...fields });

const projectWith = (...flags: JsonObject[]): JsonObject => ({ flags });

/** A merge of these live flags into this manifest; `production` has no flags. */
async function mergeInto(manifest: string, ...live: JsonObject[]): Promise<Place & { readonly merged: Ran }> {
  const at = await place([projectWith(), projectWith(...live)], { 'flags/main.yaml': manifest });
  return { ...at, merged: await at.run('export', '-p', 'staging', '--merge') };
}

test.each<[what: string, manifest: string, live: JsonObject[], after: string]>([
  [
    'a value of an overlay, with the comments around it',
    'flags:\n  a: # one\n    active: true # on\n    projects:\n      # trial\n      staging: # here\n        active: true # for now\n        tags: [x] # kept\n',
    [flag('a', { active: false, tags: ['x'] })],
    'flags:\n  a: # one\n    active: true # on\n    projects:\n      # trial\n      staging: # here\n        active: false # for now\n        tags: [x] # kept\n',
  ],
  [
    'the rollout, in the form of the base',
    'flags:\n  a: { rollout_percentage: 10 }\n  b: { filters: { groups: [{ rollout_percentage: 5 }], payloads: { true: 1 } } }\n',
    [flag('a', { filters: everybody(20) }), flag('b', { filters: everybody(5) })],
    'flags:\n  a: { rollout_percentage: 10, projects: { staging: { rollout_percentage: 20 } } }\n  b: { filters: { groups: [{ rollout_percentage: 5 }], payloads: { true: 1 } }, projects: { staging: { payloads: { "true": null } } } }\n',
  ],
  [
    'an overlay that changes parts of the base',
    'flags:\n  a:\n    filters: { groups: [{ rollout_percentage: 5 }] }\n    projects:\n      staging: { conditions: { 1: { rollout_percentage: 9 } } }\n',
    [flag('a')],
    'flags:\n  a:\n    filters: { groups: [{ rollout_percentage: 5 }] }\n    projects:\n      staging: { conditions: { 1: { rollout_percentage: 10 } } }\n',
  ],
  [
    'one condition of several, and leaves the others to the base',
    'flags:\n  a: { filters: { groups: [{ description: staff, rollout_percentage: 5 }, { rollout_percentage: 20 }] } }\n',
    [flag('a', { filters: { groups: [{ description: 'staff', rollout_percentage: 5 }, { rollout_percentage: 30 }] } })],
    'flags:\n  a: { filters: { groups: [{ description: staff, rollout_percentage: 5 }, { rollout_percentage: 20 }] }, projects: { staging: { conditions: { "2": { rollout_percentage: 30 } } } } }\n',
  ],
  [
    'only_in of a flag that another project has, and of one that this project lacks',
    'flags:\n  a: { only_in: [production], active: true } # both\n\n  # Not in staging.\n  b: { active: true }\n  c: { only_in: [staging, production] }\n',
    [flag('a')],
    'flags:\n  a: { only_in: [production, staging], active: true } # both\n\n  # Not in staging.\n  b: { active: true, only_in: [production] }\n  c: { only_in: [production] }\n',
  ],
])('a merge edits %s', async (_what, manifest, live, after) => {
  const { workspace, run, merged } = await mergeInto(manifest, ...live);
  expect([merged.code, merged.stderr]).toEqual([0, expect.not.stringMatching(/not (exported|merged) {2}/)]);
  expect(workspace.read('flags/main.yaml')).toBe(after);
  expect((await run('plan', '-p', 'staging', '--detailed-exitcode')).code).toBe(0);
});

test('what cannot be edited safely is left as it is, with what to write; the rest is merged', async () => {
  const manifest = `x-base: &base { active: true }
flags:
  alias: *base
  merged: { <<: *base } # its own members win
  anchor: &anchor
    active: true
  user: *anchor
`;
  const keys = ['alias', 'merged', 'anchor', 'user'];
  const { workspace, run, merged } = await mergeInto(manifest, ...keys.map((key) => flag(key, { active: false })));
  expect(merged.code).toBe(3);
  expect(workspace.read('flags/main.yaml')).toBe(
    manifest.replace('{ <<: *base }', '{ <<: *base, projects: { staging: { active: false } } }'),
  );
  for (const key of ['alias', 'anchor', 'user']) {
    expect(merged.stderr).toContain(
      `not merged  ${key} (flags/main.yaml) was left as it is: the edit would change something else too, such as a value that shares an anchor (not-editable). Write by hand:\n    flags:\n      ${key}:\n        projects:\n          staging: { active: false }\n`,
    );
  }
  const plan = JSON.parse((await run('plan', '-p', 'staging', '-f', 'json')).stdout) as { changes: { key: string }[] };
  expect(plan.changes.map(({ key }) => key).toSorted()).toEqual(['alias', 'anchor', 'user']);
});

test('declarations that contradict the project are left to people', async () => {
  const manifest =
    'flags:\n  here: { only_in: [staging] }\n  gone: { deleted: true }\n  new: { previous_keys: [old], active: true }\n';
  const { workspace, merged } = await mergeInto(manifest, flag('gone'), flag('old'));
  expect(merged.code).toBe(3);
  expect(merged.stderr).toMatch(/here \(flags\/main\.yaml\)[^]*\(declared-only-here\)/);
  expect(merged.stderr).toMatch(/gone \(flags\/main\.yaml\)[^]*\(declared-deleted\)/);
  expect(merged.stderr).toMatch(/new \(flags\/main\.yaml\)[^]*\(renamed\)/);
  expect(workspace.read('flags/main.yaml')).toBe(manifest);
});

test('a deleted flag on which a live one still depends is named by its id, since later runs do not read it', async () => {
  const named =
    'properties: [{ key: gone, type: flag, operator: flag_evaluates_to, value: true }], rollout_percentage: 10';
  const user = `user: { active: false, filters: { groups: [{ ${named} }] } }`;
  const manifest = `flags:\n  gone: { rollout_percentage: 10 }\n  ${user}\n`;
  const { workspace, run } = await place([projectWith(), projectWith()], { 'flags/main.yaml': manifest });
  expect((await run('apply', '-y', '-p', 'staging')).code).toBe(0);
  workspace.write('flags/main.yaml', 'flags: { gone: { deleted: true } }\n');
  expect((await run('apply', '-y', '-p', 'staging', '--allow-risky', 'gone')).code).toBe(0);
  workspace.write('flags/main.yaml', manifest);
  const merged = await run('export', '-p', 'staging', '--merge');
  expect([merged.code, merged.stderr]).toEqual([0, expect.stringContaining('limited with only_in')]);
  expect((await run('plan', '-p', 'staging', '--detailed-exitcode')).code).toBe(0);
  expect(workspace.read('flags/main.yaml')).toBe(
    manifest
      .replace('gone: { rollout_percentage: 10 }', 'gone: { rollout_percentage: 10, only_in: [production] }')
      .replace(
        '] } }',
        `] }, projects: { staging: { conditions: { "1": { ${named.slice(0, named.indexOf(', rollout')).replace('gone', '1')} } } } } }`,
      ),
  );
});

test('changes that are pending for another project stay pending', async () => {
  const manifest = 'flags:\n  a: { active: true, rollout_percentage: 50 }\n  b: { description: planned }\n';
  const seeds = [projectWith(flag('a')), projectWith(flag('a', { active: false }))] as const;
  const { run } = await place(seeds, { 'flags/main.yaml': manifest });
  const changes = async (): Promise<unknown> => {
    const plan = JSON.parse((await run('plan', '-f', 'json')).stdout) as { changes: { key: string; body: unknown }[] };
    return plan.changes.map(({ key, body }) => ({ key, body }));
  };
  const before = await changes();
  expect((await run('export', '-p', 'staging', '--merge')).code).toBe(0);
  expect(await changes()).toEqual(before);
  expect((await run('plan', '-p', 'staging', '--detailed-exitcode')).code).toBe(0);
});

test.each<[what: string, files: Record<string, string>, options: string[], message: RegExp]>([
  [
    'manifests that do not validate',
    { 'flags/main.yaml': 'flags: { a: { activ: true } }\n' },
    [],
    /main\.yaml:1:15 .*activ/,
  ],
  ['a syntax error', { 'flags/main.yaml': 'flags: {\n' }, [], /yaml-syntax/],
  ['no manifests', {}, [], /manifests-none/],
  ['--force', { 'flags/main.yaml': 'flags: {}\n' }, ['--force'], /--merge and --force cannot be used together/],
  ['--unmanaged', { 'flags/main.yaml': 'flags: {}\n' }, ['--unmanaged'], /--merge and --unmanaged cannot/],
  ['--full', { 'flags/main.yaml': 'flags: {}\n' }, ['--full', '--minimal'], /--minimal and --full cannot/],
])('a merge refuses %s and writes nothing', async (_what, files, options, message) => {
  const { workspace, run } = await place([projectWith(), projectWith(flag('a'))], files);
  const before = textsIn(workspace);
  const merged = await run('export', '-p', 'staging', '--merge', ...options);
  expect([merged.code, merged.stdout, textsIn(workspace)]).toEqual([1, '', before]);
  expect(merged.stderr).toMatch(message);
});

test('a file that is read-only keeps every file as it was, and a dry run writes nothing', async () => {
  const files = {
    'flags/a.yaml': 'flags: { a: { active: true } }\n',
    'flags/b.yaml': 'flags: { b: { active: true } }\n',
  };
  const live = [flag('a', { active: false }), flag('b', { active: false }), flag('c')];
  const { workspace, run } = await place([projectWith(), projectWith(...live)], files);
  const before = textsIn(workspace);
  const shown = await run('export', '-p', 'staging', '--merge', '--dry-run');
  expect([shown.code, shown.stdout]).toEqual([
    0,
    '~ to edit  flags/a.yaml\n~ to edit  flags/b.yaml\n+ to write flags/misc.yaml\n',
  ]);
  chmodSync(path.join(workspace.root, 'flags/b.yaml'), 0o444);
  const merged = await run('export', '-p', 'staging', '--merge');
  expect([merged.code, merged.stdout, textsIn(workspace)]).toEqual([1, '', before]);
  expect(merged.stderr).toContain('Cannot write flags/b.yaml: it is read-only. No file was changed.');
});
