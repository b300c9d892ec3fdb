/** `export` declares the cohorts that flags use, so that a plan of what it wrote is empty. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { openWorld, type World } from '../../helpers/world.ts';

const on = (value: number): JsonObject => ({ key: 'id', type: 'cohort', value });
const using = (...properties: JsonObject[]): JsonObject => ({ groups: [{ properties, rollout_percentage: 100 }] });
const definition = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const PRO = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };

const SEED: JsonObject = {
  cohorts: [
    { id: 7, name: 'Beta testers', filters: definition(PRO, on(8)) },
    { id: 8, name: 'Staff', filters: definition({ ...PRO, value: 'staff' }) },
    { id: 9, name: 'Invited', is_static: true },
  ],
  flags: [
    { id: 1, key: 'checkout', filters: using(on(7)) },
    { id: 2, key: 'search', filters: using(on(8)) },
    { id: 3, key: 'invite', filters: using(on(9)) },
    { id: 4, key: 'plain', filters: using() },
  ],
};

interface Place {
  readonly workspace: Workspace;
  readonly world: World;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function place(members: string, faults?: JsonValue): Promise<Place> {
  const world = await openWorld('posthog', SEED, faults === undefined ? {} : { faults });
  const config = `projects:\n  main:\n    host: ${world.url}\n    project_id: "1"\n${members}default_project: main\n`;
  const workspace = createWorkspace({ 'flagwright.yaml': config });
  const run = async (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  return { workspace, world, run };
}

const has = ({ root }: Workspace, file: string): boolean => existsSync(path.join(root, file));

async function expectNoChanges(run: Place['run']): Promise<void> {
  const planned = await run('plan', '--detailed-exitcode');
  expect([planned.code, planned.stderr]).toEqual([0, '']);
}

test('with the cohorts that they name, by aliases that it adds; lists of persons are named and left out', async () => {
  const { workspace, run } = await place('');
  const exported = await run('export');
  expect(exported.code).toBe(0);
  expect(exported.stderr).toContain(
    'Cohorts not declared: Invited (id 9, 1 flag), since manifests declare definitions, not lists of people. Change them in PostHog.',
  );
  expect(workspace.read('flagwright.yaml')).toContain('beta-testers: 7\n      invited: 9\n      staff: 8\n');
  expect(workspace.read('flags/cohorts.yaml')).toMatch(/^ {2}beta-testers:[^]*value: staff[^]*^ {2}staff:/m);
  await expectNoChanges(run);
  const before = workspace.read('flags/cohorts.yaml');
  expect((await run('export', '--force')).code).toBe(0);
  expect(workspace.read('flags/cohorts.yaml')).toBe(before);
  expect((await run('export', '--dir', 'flags/again')).stderr).toMatch(
    /cohorts.yaml also declares 2 exported cohorts, and a plan accepts one declaration/,
  );
});

test('not with --no-cohorts, and without a list of cohorts where the API key cannot read one', async () => {
  const { workspace, run } = await place('');
  expect((await run('export', '--no-cohorts')).stderr).not.toContain('is not declared');
  expect(has(workspace, 'flags/cohorts.yaml')).toBe(false);
  await expectNoChanges(run);
  const faults = { faults: [{ match: { operation: 'listCohorts' }, answer: { status: 403, body: 'envelope' } }] };
  const closed = await place('    cohorts: { beta: 7 }\n', faults);
  const refused = await closed.run('export', '--no-aliases');
  expect([refused.code, has(closed.workspace, 'flags/cohorts.yaml')]).toEqual([0, false]);
  expect(refused.stderr).toContain('cannot read cohorts');
  expect((await closed.run('export', '--no-aliases', '--no-cohorts', '--force')).stderr).not.toContain('may not read');
});

test('once each: an export that adds to manifests takes the aliases that these have, also those found by name', async () => {
  const { workspace, run } = await place('');
  workspace.write(
    'flags/own.yaml',
    `cohorts:
  crew:
    name: Staff
    filters: { properties: { type: AND, values: [{ key: plan, value: staff }] } }
flags:
  plain: {}
`,
  );
  const [first, second] = [await run('export', '--target', 'checkout'), await run('export', '--unmanaged')];
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(workspace.read('flags/cohorts.yaml')).toMatch(/value: crew/);
  expect(workspace.read('flagwright.yaml')).not.toContain('staff');
  expect(has(workspace, 'flags/cohorts-2.yaml')).toBe(false);
  await expectNoChanges(run);
});

test('--merge leaves them to the manifests that exist', async () => {
  const { workspace, run } = await place('');
  workspace.write('flags/own.yaml', 'flags:\n  plain: {}\n');
  expect((await run('export', '--merge')).code).toBe(0);
  expect(has(workspace, 'flags/cohorts.yaml')).toBe(false);
  await expectNoChanges(run);
});

test('of all kinds, also for an embedded project beside the exported one, which has lists without persons', async () => {
  const { workspace, run } = await place('  local: { service: embedded, profile: posthog }\n');
  expect((await run('export')).code).toBe(0);
  const planned = await run('plan', '-p', 'local');
  expect([planned.code, planned.stderr]).toEqual([0, '']);
  expect(planned.stdout).toContain('4 flags and 2 cohorts to create');
  expect(has(workspace, '.flagwright')).toBe(false);
  expect((await run('apply', '-p', 'local', '--yes')).code).toBe(0);
  expect((await run('plan', '-p', 'local', '--detailed-exitcode')).code).toBe(0);
  expect((await run('validate', '-p', 'local')).code).toBe(0);
  workspace.write(
    'flags/late.yaml',
    'flags: { late: { filters: { groups: [{ properties: [{ type: cohort, key: id, value: invted }] }] } } }\n',
  );
  expect((await run('plan', '-p', 'local')).stderr).toContain('Did you mean "invited"?');
});

test('an edit with another alias of the project is accepted for all projects: an embedded one has it, too', async () => {
  const { workspace, world, run } = await place('    cohorts: { invited: 9 }\n  local: { service: embedded }\n');
  expect((await run('export', '--target', 'plain')).code).toBe(0);
  await world.edit('plain', { filters: using(on(9)) });
  expect((await run('accept', '--layer', 'base', '--yes')).code).toBe(0);
  expect(workspace.read('flags/misc.yaml')).toContain('value: invited');
  await expectNoChanges(run);
});
