/** A second project is merged into manifests that declare cohorts: its cohorts too, with what its flags use of them. */

import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import { onPlan } from '../../helpers/cohorts.ts';

const on = (value: number): JsonObject => ({ key: 'id', type: 'cohort', value });
const using = (...properties: JsonObject[]): JsonObject => ({ groups: [{ properties, rollout_percentage: 100 }] });
const definition = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const cohort = (id: number, name: string, ...values: JsonObject[]): JsonObject => ({
  id,
  name,
  filters: definition(...values),
});

interface Place {
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function place(
  [production, staging]: readonly [JsonObject, JsonObject],
  { names = '', faults }: { readonly names?: string; readonly faults?: JsonValue } = {},
): Promise<Place> {
  const worlds: World[] = [
    await startWorld('posthog', production),
    await startWorld('posthog', staging, faults === undefined ? {} : { faults }),
  ];
  for (const world of worlds) onTestFinished(async () => world.close());
  const config = `default_project: production
projects:
  production: { host: "${worlds[0]?.url ?? ''}", project_id: "1" }
  staging:
    host: "${worlds[1]?.url ?? ''}"
    project_id: "1"
${names}`;
  const workspace = createWorkspace({ 'flagwright.yaml': config });
  const run = async (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_test' } });
  return { workspace, run };
}

async function expectInSync(run: Place['run'], projects: readonly string[]): Promise<void> {
  for (const project of projects) {
    const planned = await run('plan', '--detailed-exitcode', '-p', project);
    expect([project, planned.code, planned.stdout]).toEqual([project, 0, expect.stringContaining('In sync')]);
  }
}

const PRODUCTION: JsonObject = {
  cohorts: [
    cohort(7, 'Beta testers', onPlan('pro')),
    cohort(8, 'Staff', onPlan('staff')),
    cohort(9, 'Early', onPlan('early')),
  ],
  flags: [
    { id: 1, key: 'checkout', filters: using(on(7)) },
    { id: 2, key: 'search', filters: using(on(8)) },
    { id: 3, key: 'early', filters: using(on(9)) },
  ],
};

test('definitions that differ become overlays, absent ones get only_in, new ones are declared; a second merge adds nothing', async () => {
  const { workspace, run } = await place([
    PRODUCTION,
    {
      cohorts: [
        cohort(71, 'Beta testers', onPlan('free')),
        cohort(81, 'Staff', onPlan('staff')),
        cohort(90, 'Trial', onPlan('trial')),
      ],
      flags: [
        { id: 1, key: 'checkout', filters: using(on(71), on(90)) },
        { id: 2, key: 'search', filters: using(on(81)) },
      ],
    },
  ]);
  expect((await run('export')).code).toBe(0);
  const before = workspace.read('flags/cohorts.yaml');
  const merged = await run('export', '-p', 'staging', '--merge', '-f', 'json');
  expect([merged.code, merged.stderr]).toEqual([0, expect.not.stringMatching(/not (exported|merged) {2}/)]);
  const document = JSON.parse(merged.stdout) as JsonObject;
  expect(schemaErrors('files', document)).toEqual([]);
  expect(document).toMatchObject({
    overlaid: ['cohort:beta-testers', 'checkout'],
    limited: ['cohort:early', 'early'],
    not_merged: [],
  });
  expect(merged.stderr).toContain('1 flag and 1 cohort differ in staging: overlays under projects.staging.');
  expect(merged.stderr).toContain(
    'staging lacks 1 declared flag and 1 declared cohort, now limited with only_in to the other projects: cohort:early, early.',
  );
  // Found by its name: the configuration gets a name for the new one only.
  expect(workspace.read('flagwright.yaml')).toContain('    cohorts:\n      trial: 90\n');
  expect(workspace.read('flagwright.yaml')).not.toContain('beta-testers: 71');
  const after = workspace.read('flags/cohorts.yaml');
  expect(after).toMatch(
    /^ {2}beta-testers:[^]*^ {6}staging:[^]*value: free[^]*^ {2}early:[^]*only_in: \[production\]/m,
  );
  expect(after).toMatch(/^ {2}trial:[^]*only_in: \[staging\]/m);
  expect(before.split('\n').filter((line) => !after.includes(line))).toEqual([]);
  await expectInSync(run, ['production', 'staging']);
  const again = await run('export', '-p', 'staging', '--merge');
  expect([again.code, again.stdout, workspace.read('flags/cohorts.yaml')]).toEqual([0, '', after]);
});

const ONE_COHORT =
  'cohorts:\n  beta: { name: Beta, filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } } }\n';

test('new cohorts that no manifest can declare are named, and a cohort that is left gives exit code 3', async () => {
  const { workspace, run } = await place([
    {},
    {
      cohorts: [
        { id: 9, name: 'Invited', is_static: true },
        cohort(7, 'Beta', onPlan('pro')),
        { id: 8, name: 'Old', is_static: true },
      ],
      flags: [{ id: 1, key: 'invite', filters: using(on(9)) }],
    },
  ]);
  workspace.write(
    'flags/main.yaml',
    `${ONE_COHORT}  old: { name: Old, filters: { properties: { type: AND, values: [{ key: plan, value: x }] } } }\n`,
  );
  const merged = await run('export', '-p', 'staging', '--merge');
  expect(merged.code).toBe(3);
  expect(merged.stderr).toContain(
    'Cohorts not declared: Invited (id 9, 1 flag), since manifests declare definitions, not lists of people. Change them in PostHog.',
  );
  expect(merged.stderr).toContain(
    'not merged  cohort:old (flags/main.yaml) was left as it is: the project has a list of persons under its name, and manifests declare definitions only (static).',
  );
});

test('with --target, the cohorts that the flags use; with --no-cohorts, or where no manifest declares one, none', async () => {
  const staging = {
    cohorts: [cohort(7, 'Beta', onPlan('free')), cohort(8, 'Other', onPlan('free'))],
    flags: [
      { id: 1, key: 'checkout', filters: using(on(7)) },
      { id: 2, key: 'search' },
    ],
  };
  const manifest = `${ONE_COHORT}${ONE_COHORT.replace('cohorts:\n', '').replaceAll('beta', 'other').replace('Beta', 'Other')}`;
  const { workspace, run } = await place([{}, staging]);
  workspace.write('flags/main.yaml', manifest);
  expect((await run('export', '-p', 'staging', '--merge', '--target', 'checkout')).code).toBe(0);
  const [beta, other] = workspace.read('flags/main.yaml').split('  other:');
  expect([beta, other]).toEqual([expect.stringContaining('staging'), expect.not.stringContaining('staging')]);
  workspace.write('flags/main.yaml', manifest);
  expect((await run('export', '-p', 'staging', '--merge', '--no-cohorts')).code).toBe(0);
  expect(workspace.read('flags/main.yaml')).toBe(manifest);
  const without = await place([{}, staging]);
  without.workspace.write('flags/main.yaml', 'flags: {}\n');
  expect((await without.run('export', '-p', 'staging', '--merge')).code).toBe(0);
  expect(without.workspace.read('flags/main.yaml')).toBe('flags: {}\n');
});

test('a key that may not read cohorts merges none of them only when told so', async () => {
  const faults = { faults: [{ match: { operation: 'listCohorts' }, answer: { status: 403, body: 'envelope' } }] };
  const { workspace, run } = await place([{}, {}], { faults });
  workspace.write('flags/main.yaml', ONE_COHORT);
  const refused = await run('export', '-p', 'staging', '--merge');
  expect([refused.code, workspace.read('flags/main.yaml')]).toEqual([1, ONE_COHORT]);
  expect(refused.stderr).toContain('cohort:read');
  expect((await run('export', '-p', 'staging', '--merge', '--no-cohorts')).code).toBe(0);
});
