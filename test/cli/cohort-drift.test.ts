/** Drift and conflicts of cohorts from the command line, in a real repository of git. */

// @module-tag untimely
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { createRepository, GIT_ENV, type TestRepository } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { openWorld, type World } from '../helpers/world.ts';

const manifest = (description: string, plan = 'pro'): string => `flags:
  beta:
    active: true
    filters: { groups: [{ properties: [{ key: id, type: cohort, value: beta }], rollout_percentage: 100 }] }
cohorts:
  beta:
    name: Beta testers
    description: ${description}
    filters: { properties: { type: AND, values: [{ key: plan, operator: exact, value: ${plan} }] } }
`;

interface Scene {
  readonly world: World;
  readonly repository: TestRepository;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly edit: (body: JsonObject) => Promise<void>;
  readonly live: () => Promise<JsonObject | undefined>;
}

/** A cohort, and a flag of the same key that uses it, applied from a commit. */
async function applied(): Promise<Scene> {
  const world = await openWorld('posthog');
  const repository = createRepository({
    'flagwright.yaml': `projects: { main: { host: ${world.url}, project_id: "1" } }\n`,
    '.gitignore': '.flagwright/\n',
    'flags/main.yaml': manifest('First'),
  });
  const env = { ...GIT_ENV, HOME: repository.root, POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const run: Scene['run'] = async (...argv) => runCli(argv, { cwd: repository.root, env });
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  const live: Scene['live'] = async () =>
    (await world.client.listCohorts()).find(({ is_static: isStatic }) => isStatic !== true);
  const edit: Scene['edit'] = async (body) => {
    await world.client.updateCohort(Number((await live())?.['id']), body);
  };
  return { world, repository, run, edit, live };
}

const plans = (value: string): JsonObject => ({
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] } },
});

test('a merge leaves the edit of a cohort alone with --only-pending, and drift of it may be known', async () => {
  const { repository, run, edit, live } = await applied();
  await edit(plans('live'));
  repository.commit({ 'flags/main.yaml': manifest('Second') });
  const kept = await run('apply', '--only-pending', '--yes');
  expect(kept).toMatchObject({ code: 0 });
  expect(kept.stdout).toContain('= beta (cohort)');
  expect(await live()).toMatchObject({ description: 'Second' });
  expect(JSON.stringify((await live())?.['filters'])).toContain('"live"');

  expect(await run('drift')).toMatchObject({ code: 2 });
  expect(await run('drift', '--ignore', 'beta')).toMatchObject({ code: 2 });
  expect(await run('drift', '--ignore', 'cohort:beta')).toMatchObject({ code: 0 });
  expect(await run('drift', '--ignore', 'cohort:beta:definition.1.value')).toMatchObject({ code: 0 });
  const wrong = await run('drift', '--ignore', 'cohort:beta:defintion');
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('A cohort has no part "defintion"');

  expect(await run('drift', '--write-exceptions', 'exceptions.yaml')).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(repository.root, 'exceptions.yaml'), 'utf8')).toContain('keys: ["cohort:beta"]');
  expect(await run('drift')).toMatchObject({ code: 0 });
});

test('a conflict of a cohort is refused, and only --override cohort:ALIAS lifts it', async () => {
  const { repository, run, edit, live } = await applied();
  await edit(plans('live'));
  repository.commit({ 'flags/main.yaml': manifest('First', 'team') });
  const refused = await run('apply', '--yes');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('cohort:beta was changed in the service');
  for (const way of ['--override cohort:beta', 'flagwright accept cohort:beta -p main', 'remove its manifest: beta'])
    expect(refused.stderr).toContain(way);
  expect((await run('apply', '--yes', '--override', 'beta')).code).toBe(4);
  const document = await run('plan', '--override', 'cohort:beta', '--format', 'json');
  expect(schemaErrors('plan', document.document())).toEqual([]);
  expect(document.document()).toMatchObject({
    hazards: [],
    lifted: [{ hazard: { code: 'conflict', key: 'cohort:beta' } }],
  });
  expect(await run('apply', '--yes', '--override', 'cohort:beta')).toMatchObject({ code: 0 });
  expect(JSON.stringify((await live())?.['filters'])).toContain('"team"');
  expect(await run('drift')).toMatchObject({ code: 0 });
});

test('drift of a cohort names who made it, with its page', async () => {
  const { run, edit } = await applied();
  await edit(plans('live'));
  const drift = await run('drift', '--format', 'json');
  expect(schemaErrors('plan', drift.document())).toEqual([]);
  expect(drift.document()).toMatchObject({
    attributions: [
      {
        ref: 'cohort:beta',
        path: '/filters/properties/values/0/value',
        by: 'embedded@example.org',
        url: expect.stringMatching(/\/cohorts\/\d+$/) as string,
      },
    ],
  });
  expect((await run('drift')).stdout).toMatch(/changed by .* on 20.*\n.*\/cohorts\/\d+/);
});

test('a cohort that was renamed in the service is recognised by the record, or by the log', async () => {
  const { repository, run, edit, live } = await applied();
  const id = (await live())?.['id'];
  await edit({ name: 'By hand', description: 'Edited.' });
  const plan = await run('plan', '--format', 'json');
  expect(plan.document()).toMatchObject({
    changes: [{ action: 'update', ref: 'cohort:beta', id, fields: [{ path: '/name' }, { path: '/description' }] }],
  });
  expect((await run('plan')).stdout).toContain(
    'cohort:beta: the cohort with this name is now named By hand in the service',
  );

  rmSync(path.join(repository.root, '.flagwright'), { recursive: true });
  expect((await run('plan', '--format', 'json')).document()).toMatchObject({ changes: [{ action: 'update', id }] });
  // An earlier release recorded no ids.
  repository.git('update-ref', 'refs/flagwright/applied/main', 'HEAD');
  expect((await run('plan')).stdout).toContain('and it is not as declared otherwise. The plan creates another cohort.');
  await edit({ description: 'First' });
  expect((await run('plan', '--format', 'json')).document()).toMatchObject({ changes: [{ action: 'update', id }] });
});

test('a cohort that the manifests no longer declare is released', async () => {
  const { repository, run } = await applied();
  const [flags = ''] = manifest('First').split('cohorts:');
  repository.commit({ 'flags/main.yaml': flags.replace(/ +filters: .*\n/, '') });
  const drift = await run('drift');
  expect(drift.stdout).toContain('? cohort:beta  flags/main.yaml:6:3');
  expect(drift.stdout).toContain('declare it under cohorts as ALIAS: { name: NAME, deleted: true }');
  expect(drift.stdout).not.toContain('declare it under flags');
});

test('explain tells of each filter of a cohort where it is written and who changed it', async () => {
  const { run, edit } = await applied();
  await edit(plans('live'));
  const { code, stdout } = await run('explain', 'cohort:beta');
  expect(code).toBe(0);
  expect(stdout).toContain('name: "Beta testers"\n  from     flags/main.yaml:7:5, for all projects');
  expect(stdout).toMatch(
    /definition · 1: .*pro.*\n {2}from .*\n {2}line .*\n {2}live .*live.*\n {2}who .*embedded@example.org/,
  );
  const one = await run('explain', 'cohort:beta.definition.1', '--format', 'json');
  expect(schemaErrors('explain', one.document())).toEqual([]);
  expect(one.document()).toMatchObject({
    key: 'cohort:beta',
    url: expect.stringContaining('/cohorts/') as string,
    values: [{ path: '/filters/properties/values/0', live: { differs: true } }],
  });
  expect((await run('explain', 'cohort:beat')).stderr).toContain('Did you mean "cohort:beta"?');
});

test('a flag and a cohort that git deletes and people renamed are conflicts, and accept takes over their names', async () => {
  const { world, repository, run, edit, live } = await applied();
  await world.edit('beta', { key: 'gamma' });
  await edit({ name: 'Renamed' });
  const deleted = 'flags:\n  beta: { deleted: true }\ncohorts:\n  beta: { name: Beta testers, deleted: true }\n';
  repository.commit({ 'flags/main.yaml': deleted });
  expect((await run('snapshot', '--out', 'state.json')).code).toBe(0);
  const against = await run('plan', '--against', 'state.json');
  expect(against.stdout).toContain('beta: no flag has this key now, and whether one was renamed is unknown');
  expect(against.stdout).toContain('cohort:beta: no cohort has its name now, and whether one was renamed is unknown');
  const plan = await run('plan');
  expect(plan.stdout).toContain('the flag with this key (id 1) has the key gamma in the service');
  expect(plan.stdout).toContain('is now named Renamed in the service');
  expect(plan.stdout).toContain('Code that reads gamma no longer gets a value.');
  expect((await run('apply', '--yes')).code).toBe(4);
  const json = await run('plan', '-f', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    hazards: [
      { code: 'conflict', key: 'beta' },
      { code: 'conflict', key: 'cohort:beta' },
    ],
  });
  expect(schemaErrors('plan', JSON.parse(json.stdout))).toEqual([]);
  expect(await run('accept', '--yes')).toMatchObject({ code: 0 });
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  repository.write('flags/main.yaml', deleted);
  expect(await run('apply', '--yes', '--override', 'beta', '--override', 'cohort:beta')).toMatchObject({ code: 0 });
  expect([await live(), (await world.client.listFlags()).length]).toEqual([undefined, 0]);
});

test('plan, drift and a saved plan name cohorts where conditions have their ids, and say which side is which', async () => {
  const { world, repository, run } = await applied();
  const byHand = await world.client.createCohort({ name: 'By hand', ...plans('hand') });
  const uses = (cohort: string): string => manifest('First').replace('value: beta }', `value: ${cohort} }`);
  repository.commit({ 'flags/main.yaml': uses(String(byHand['id'])) });
  const plan = await run('plan', '--out', 'saved.json');
  expect(plan.stdout).toContain('Values are shown as in PostHog → in git.');
  expect(plan.stdout).toContain('condition 1 · property 1 · value  beta → "By hand"');
  expect(plan.stdout).toContain('in cohort beta becomes in cohort "By hand"');
  const shown = await run('show', 'saved.json');
  expect(shown.stdout).toContain('condition 1 · property 1 · value  beta → "By hand"');
  const document = (await run('plan', '-f', 'json')).document();
  expect(schemaErrors('plan', document)).toEqual([]);
  expect(Object.values(document['cohort_names'] as JsonObject)).toEqual(['beta', 'By hand']);
  const made = await run('apply', 'saved.json', '-v', '--report', 'markdown=result.md');
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('value  beta → "By hand"')]);
  const [beta] = Object.keys(document['cohort_names'] as JsonObject);
  const ids = `cohorts: { beta: ${beta}, hand: ${String(byHand['id'])} }`;
  const configuration = repository.read('flagwright.yaml');
  repository.write('flagwright.yaml', configuration.replace('project_id: "1"', `project_id: "1", ${ids}`));
  const undo = await run('undo', '--out', 'undo.json');
  expect(undo.stdout).toContain('condition 1 · property 1 · value  hand → beta');
  expect(undo.stdout).toContain('in cohort hand becomes in cohort beta');
  repository.write('flagwright.yaml', configuration);

  const [flag] = await world.client.listFlags();
  const groups = [{ properties: [{ key: 'id', type: 'cohort', value: Number(beta) }], rollout_percentage: 100 }];
  await world.client.updateFlag(Number(flag?.['id']), { filters: { groups } });
  for (const argv of [['drift'], ['drift', '-f', 'markdown']]) {
    const { stdout } = await run(...argv);
    expect(stdout).toContain('Values and effects are shown as in git → in PostHog');
    expect(stdout).toContain('"By hand" → beta');
  }
  expect((await run('drift', '-f', 'github')).stdout).toContain('declared "By hand", live beta');
});
