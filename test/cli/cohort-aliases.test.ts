/** Declared cohorts that the configuration gives no id, in every command that compares or copies flags. */

// @module-tag untimely
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { cli } from '../helpers/cli.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { startWorld, type World } from '../helpers/world.ts';

const COHORTS = `cohorts:
  beta:
    name: Beta testers
    filters: { properties: { type: AND, values: [{ key: plan, type: person, operator: exact, value: pro }] } }
  crew:
    filters: { properties: { type: AND, values: [{ key: plan, type: person, operator: exact, value: crew }] } }
`;
const FLAGS = `flags:
  checkout:
    active: true
    filters:
      groups:
        - properties: [{ key: id, type: cohort, value: beta }]
          rollout_percentage: 10
    projects:
      production: { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } }
`;

interface Two {
  readonly staging: World;
  readonly production: World;
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

/** Two applied projects; the ids of their cohorts differ. */
async function applied(flags = FLAGS): Promise<Two> {
  const [staging, production] = await Promise.all([startWorld('posthog'), startWorld('posthog')]);
  onTestFinished(async () => void (await Promise.all([staging.close(), production.close()])));
  await production.client.createCohort({ name: 'Another', filters: { properties: { type: 'AND', values: [] } } });
  const config = `projects:
  staging: { host: "${staging.url}", project_id: "1" }
  production: { host: "${production.url}", project_id: "1" }
default_project: staging
`;
  const workspace = createWorkspace({
    'flagwright.yaml': config,
    'flags/cohorts.yaml': COHORTS,
    'flags/a.yaml': flags,
  });
  const run = (...argv: string[]): Promise<Ran> =>
    runCli(argv, { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
  for (const project of ['staging', 'production']) {
    const { code, stderr } = await run('apply', '--yes', '-p', project);
    expect([code, stderr.includes('error')]).toEqual([0, false]);
  }
  return { staging, production, workspace, run };
}

async function idOf({ client }: World, name: string): Promise<number> {
  return (await client.listCohorts()).find((cohort) => cohort.name === name)?.id ?? 0;
}

function on(id: number, rollout: number): JsonObject {
  return { groups: [{ properties: [{ key: 'id', type: 'cohort', value: id }], rollout_percentage: rollout }] };
}

test('accept writes the alias of the cohort that is live', async () => {
  const { staging, workspace, run } = await applied();
  await staging.edit('checkout', { filters: on(await idOf(staging, 'crew'), 10) });
  const { code, stderr } = await run('accept', '--yes');
  expect([code, stderr]).toEqual([0, '']);
  expect(workspace.read('flags/a.yaml')).toBe(FLAGS.replace('value: beta', 'value: crew'));
  await staging.edit('checkout', { filters: on(await idOf(staging, 'crew'), 30) });
  expect((await run('accept', '--yes')).code).toBe(0);
  expect(workspace.read('flags/a.yaml')).toContain('rollout_percentage: 30');
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('accept leaves the definitions of cohorts to the manifests', async () => {
  const { staging, workspace, run } = await applied();
  await staging.client.updateCohort(await idOf(staging, 'crew'), { description: 'By hand.' });
  await run('accept', '--yes');
  expect(workspace.read('flags/cohorts.yaml')).toBe(COHORTS);
});

test.each([
  ['declared', []],
  ['live', ['--live']],
])('promote takes the alias of the %s flag to the other project', async (_source, live) => {
  const { workspace, run } = await applied();
  const { code, stderr } = await run(
    'promote',
    'checkout',
    '--from',
    'staging',
    '--to',
    'production',
    '--yes',
    ...live,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(workspace.read('flags/a.yaml')).toMatch(/production:[^]*value: beta/);
  expect((await run('apply', '--yes', '-p', 'production')).code).toBe(0);
  expect((await run('parity', '--live')).code).toBe(0);
});

test('promote copies no flag whose cohort the other project neither declares nor names', async () => {
  const { workspace, run } = await applied();
  workspace.write(
    'flags/cohorts.yaml',
    COHORTS.replace('name: Beta testers', 'name: Beta testers\n    only_in: [staging]'),
  );
  const { code, stdout } = await run('promote', 'checkout', '--from', 'staging', '--to', 'production', '--yes');
  expect([code, stdout.includes('beta')]).toEqual([3, true]);
  expect(workspace.read('flags/a.yaml')).toBe(FLAGS);
  const both = await run('promote', 'checkout', 'cohort:beta', '--from', 'staging', '--to', 'production', '--yes');
  expect([both.code, both.stdout]).toEqual([0, expect.stringContaining('Promoted: 1 flag and 1 cohort in 2 files.')]);
  expect((await run('plan', '-p', 'production')).code).toBe(0);
});

test('promote --live takes the live definition of a cohort to the other project', async () => {
  const { staging, workspace, run } = await applied();
  const filters = {
    properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'new' }] },
  };
  await staging.client.updateCohort((await idOf(staging, 'crew')) ?? 0, { filters });
  const argv = ['promote', 'cohort:*', '--from', 'staging', '--to', 'production', '--live', '--yes'];
  const { code, document } = await run(...argv, '-f', 'json');
  expect(code).toBe(0);
  expect(schemaErrors('promote', document())).toEqual([]);
  expect(document()).toMatchObject({ promoted: [{ key: 'cohort:crew', changes: [{ before: 'crew', after: 'new' }] }] });
  expect(workspace.read('flags/cohorts.yaml')).toMatch(/projects:\n {6}production:[^]*value: new/);
});

test.each([
  ['declared', []],
  ['live', ['--live']],
])('parity of %s flags finds no difference where ids differ', async (_source, live) => {
  const { staging, production, run } = await applied(FLAGS.slice(0, FLAGS.indexOf('    projects:')));
  expect(await idOf(staging, 'crew')).not.toBe(await idOf(production, 'crew'));
  const { code, stdout } = await run('parity', ...live);
  expect([code, stdout.includes('no undeclared difference in 1 flag')]).toEqual([0, true]);
});

test('an interrupted run that created a cohort is resumed without a second one', async () => {
  const { staging, workspace, run } = await applied();
  const more = 'flags:\n  new:\n    filters: { groups: [{ properties: [{ key: id, type: cohort, value: late }] }] }\n';
  const late = 'cohorts:\n  late: { filters: { properties: { type: AND, values: [{ key: plan, value: late }] } } }\n';
  workspace.write('flags/late.yaml', late + more);
  expect((await run('apply', '--yes')).code).toBe(0);
  const folder = path.join(workspace.root, '.flagwright/journal');
  const name = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.jsonl') && readFileSync(path.join(folder, file), 'utf8').includes('cohort:late'))
    .at(-1);
  const file = path.join(folder, name ?? '');
  // Up to the first write: it was sent, and no answer is recorded.
  const lines = readFileSync(file, 'utf8').split('\n');
  const sent = lines.findIndex((line) => line.includes('"sending"'));
  writeFileSync(file, `${lines.slice(0, sent + 1).join('\n')}\n`);
  expect((await run('apply', '--resume')).code).toBe(0);
  expect((await staging.client.listCohorts()).filter((cohort) => cohort.name === 'late')).toHaveLength(1);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('the built command applies cohorts and exports them again to the same plan', async () => {
  const { staging, workspace, run } = await applied();
  const options = { cwd: workspace.root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } };
  workspace.write('flags/cohorts.yaml', COHORTS.replace('value: crew', 'value: team'));
  expect((await cli(['apply', '--yes'], options)).code).toBe(0);
  const crew = (await staging.client.listCohorts()).find(({ name }) => name === 'crew');
  expect(JSON.stringify(crew?.filters)).toContain('"team"');
  expect((await cli(['export', '--dir', 'again'], options)).code).toBe(0);
  expect(workspace.read('again/cohorts.yaml')).toContain('name: Beta testers');
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});
