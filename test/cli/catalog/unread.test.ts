/** What the catalogue could not read is said, in each format, and never counts as absent. */

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { git } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';
import { openWorld } from '../../helpers/world.ts';
import { CONFIG, flagIn, MANIFEST, NOW, stage, viewOf } from './stage.ts';

const REFUSED = { status: 403 };
const LOG = { method: 'GET', path: '**/feature_flags/activity' };
const everyTime = (match: JsonObject, answer: JsonObject): { readonly faults: JsonValue } => ({
  faults: { faults: [{ match, count: 1000, answer }] },
});

function noteIn({ notes }: CatalogView, what: CatalogView['notes'][number]['what']): unknown {
  return notes.find((note) => note.what === what);
}

test('a key that may not read the activity log hides what was changed in the service, which each format says', async () => {
  const { run, world } = await stage(undefined, {}, everyTime(LOG, REFUSED));
  await world.edit('germany', { active: false });
  const view = viewOf(await run('-f', 'json'));
  expect(flagIn(view, 'germany').changes?.map(({ source }) => source)).toEqual(['git']);
  expect(noteIn(view, 'service_changes')).toEqual({
    what: 'service_changes',
    project: 'production',
    words: expect.stringMatching(/missing for production: .*Give the key the scope `activity_log:read`\.$/),
  });
  expect((await run('-f', 'html')).stdout).toContain('Give the key the scope <code>activity_log:read</code>.');
  expect((await run()).stdout).toContain('Give the key the scope `activity_log:read`.');
});

test('with the log nothing is noted of it, and a log that fails is no empty one', async () => {
  const { run } = await stage();
  expect(noteIn(viewOf(await run('-f', 'json')), 'service_changes')).toBeUndefined();
  const { run: fail } = await stage(undefined, {}, everyTime(LOG, { status: 400 }));
  expect(noteIn(viewOf(await fail('-f', 'json')), 'service_changes')).toMatchObject({
    words: expect.stringContaining('could not be read'),
  });
});

test('a log that is longer than what is read says until when', async () => {
  const { run, world } = await stage();
  const flags = await world.client.listFlags();
  for (let index = 0; index < 50; index += 1)
    for (const { id } of flags.slice(0, 2)) await world.client.updateFlag(id, { name: `Name ${index}` });
  const view = viewOf(await run('-f', 'json'));
  expect(noteIn(view, 'service_changes_before')).toMatchObject({ project: 'production' });
});

test('schedules that cannot be read are noted, also where only unmanaged flags are live', async () => {
  const match = { operation: 'listScheduledChanges' };
  const alone = [{ key: 'by-hand', filters: { groups: [{ properties: [], rollout_percentage: 5 }] } }];
  for (const flags of [undefined, alone]) {
    const { run } = await stage(flags, {}, everyTime(match, REFUSED));
    expect(noteIn(viewOf(await run('-f', 'json')), 'schedules')).toMatchObject({
      project: 'production',
      words: expect.stringContaining('feature_flag:read'),
    });
  }
});

test('a shallow clone has no commit that made all flags', async () => {
  const { run, work } = await stage();
  work.write('flags/a.yaml', MANIFEST.replace('everybody: { active: true', 'everybody: { active: false'));
  git(work.root, 'commit', '-qam', 'Turn it off');
  const first = git(work.root, 'rev-parse', 'HEAD');
  work.write('flags/a.yaml', MANIFEST);
  git(work.root, 'commit', '-qam', 'Turn it on');
  work.write('.git/shallow', `${first}\n`);
  const view = viewOf(await run('-f', 'json'));
  expect(flagIn(view, 'germany')).not.toHaveProperty('changed');
  expect(flagIn(view, 'germany')).not.toHaveProperty('changes');
  expect(flagIn(view, 'everybody').changes?.map(({ words }) => words)).toEqual(['The flag is enabled']);
  expect(noteIn(view, 'git_changes_before')).toMatchObject({ words: expect.stringContaining('git fetch --unshallow') });
});

test('a commit with mistakes neither removes nor makes a flag', async () => {
  const { run, work } = await stage();
  work.write('flags/a.yaml', MANIFEST.replace('unborn: { active: true', 'unborn: { active: 7'));
  git(work.root, 'commit', '-qam', 'Break one');
  work.write('flags/a.yaml', MANIFEST);
  git(work.root, 'commit', '-qam', 'Fix it');
  const words = flagIn(viewOf(await run('-f', 'json')), 'unborn').changes?.map((change) => change.words);
  expect(words).toEqual(['New: on for everyone']);
});

test('mistakes in test files, and a list of owners that cannot be read, are noted', async () => {
  const broken = { 'tests/people.yaml': 'people:\n  hans: { properties: 5 }\n' };
  const { run, work } = await stage(undefined, broken);
  work.write('owners', '* @acme/all\n');
  symlinkSync('owners', path.join(work.root, 'CODEOWNERS'));
  const view = viewOf(await run('-f', 'json'));
  expect(noteIn(view, 'people')).toMatchObject({ words: expect.stringContaining('flagwright test') });
  expect(noteIn(view, 'owners')).toMatchObject({ words: expect.stringContaining('CODEOWNERS') });
  expect(flagIn(view, 'everybody')).not.toHaveProperty('owner');
});

test('code in files that were not searched, and an unknown base, are noted', async () => {
  const { run } = await stage(undefined, { 'src/a.ts': 'nothing();\n' });
  const view = viewOf(await run('-f', 'json'));
  expect(noteIn(view, 'code')).toMatchObject({ words: expect.stringContaining('refs.sources') });
  expect(noteIn(view, 'base')).toMatchObject({
    project: 'production',
    words: expect.stringContaining('no apply of this project is recorded in this clone yet'),
  });
  expect(flagIn(view, 'germany').code).toMatchObject({ verdict: 'unknown' });
});

test('an archived flag is off, and no project lacks it', async () => {
  const groups = [{ properties: [], rollout_percentage: 100 }];
  const archived = { active: false, archived: true, filters: { groups } };
  const { run, work } = await stage([
    { key: 'germany', ...archived },
    { key: 'old', ...archived },
    { key: 'everybody', filters: { groups } },
  ]);
  const other = await openWorld(
    'posthog',
    [
      { id: 1, key: 'everybody', ...archived },
      { id: 2, key: 'by-hand', active: true, filters: { groups } },
    ] as unknown as JsonValue,
    { now: () => new Date(NOW) },
  );
  const { url } = (viewOf(await run('-f', 'json')).projects[0] ?? {}) as { readonly url?: string };
  expect(url).toBeDefined();
  work.write(
    'flagwright.yaml',
    `projects: { production: { host: "${new URL(url ?? '').origin}", project_id: "1" }, staging: { host: "${other.url}", project_id: "1" } }\n${CONFIG}`,
  );
  work.write(
    'flags/a.yaml',
    'flags:\n  germany: { active: false, only_in: [production] }\n  everybody: { active: true, rollout_percentage: 100, only_in: [production] }\n',
  );
  const view = viewOf(await run('-f', 'json'));
  const statesOf = (key: string): unknown =>
    flagIn(view, key).states.map(({ word, who, standing }) => [word, who, standing]);
  expect(statesOf('germany')).toEqual([
    ['off', 'nobody: it is archived', 'in_sync'],
    ['missing', 'nobody: the project does not have it', 'in_sync'],
  ]);
  // No plan of staging names the archived flag, so neither does a mark.
  expect(statesOf('everybody')).toEqual([
    ['all', 'everyone', 'in_sync'],
    ['off', 'nobody: it is archived', 'in_sync'],
  ]);
  expect(view.flags.map(({ key }) => key)).toEqual(['by-hand', 'everybody', 'germany']);
  const { unmanaged } = (await runCli(['plan', '-p', 'staging', '-f', 'json'], {
    cwd: work.root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
    now: NOW,
  }).then((ran) => ran.document())) as unknown as { readonly unmanaged: readonly string[] };
  expect(unmanaged).toEqual(['by-hand']);
});

test('a declared flag that is archived differs as the plan says', async () => {
  const { run } = await stage([
    {
      key: 'everybody',
      active: false,
      archived: true,
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    },
  ]);
  const [state] = flagIn(viewOf(await run('-f', 'json')), 'everybody').states;
  expect(state).toMatchObject({ word: 'off', who: 'nobody: it is archived', standing: 'differs' });
});

test('a flag that a manifest deletes is shown as long as it is there', async () => {
  const { run } = await stage(undefined, { 'flags/b.yaml': 'flags:\n  by-hand: { deleted: true }\n' });
  const [state] = flagIn(viewOf(await run('-f', 'json')), 'by-hand').states;
  expect(state).toMatchObject({ word: 'some', standing: 'differs' });
  expect(state?.differences?.[0]?.words).toBe('nobody gets a value from it');
});

test('what was done by hand is told also if a commit once did the same', async () => {
  const { run, work, world } = await stage();
  for (const active of [false, true]) {
    work.write('flags/a.yaml', MANIFEST.replace('everybody: { active: true', `everybody: { active: ${active}`));
    git(work.root, 'commit', '-qam', `Set it to ${active}`);
  }
  const id = (await world.client.listFlags()).find(({ key }) => key === 'everybody')?.id;
  // The client of this test would name itself as an apply does.
  await fetch(`${world.url}/api/projects/1/feature_flags/${id}/`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
    body: '{"active": false}',
  });
  const changes = flagIn(viewOf(await run('-f', 'json')), 'everybody').changes ?? [];
  expect(changes[0]).toMatchObject({ source: 'service', words: 'The flag is disabled, and off for everybody' });
});

test('who needs a flag is known from manifests alone', async () => {
  const { run } = await stage(undefined, {
    'flags/b.yaml':
      'flags:\n  child:\n    active: true\n    filters: { groups: [{ properties: [{ key: germany, type: flag, operator: flag_evaluates_to, value: true }], rollout_percentage: 100 }] }\n',
  });
  const view = viewOf(await run('--declared', '-f', 'json'));
  expect(flagIn(view, 'germany').dependents).toEqual(['child']);
  expect(flagIn(view, 'child').depends_on).toEqual(['germany']);
});

test.each([
  ['--declared beside it', ['--declared', '--against', 'p.json'], 'cannot be used together'],
  ['twice', ['--against', 'p.json', '--against', 'p.json'], 'two snapshots of the project production'],
  ['of a project that is not shown', ['-p', 'staging', '--against', 'p.json'], 'which this run does not show'],
])('a snapshot that would be left out is refused: %s', async (_, argv, words) => {
  const { run, work, world } = await stage();
  work.write(
    'flagwright.yaml',
    `projects: { production: { host: "${world.url}", project_id: "1" }, staging: { host: "${world.url}", project_id: "1" } }\n${CONFIG}`,
  );
  const taken = await runCli(['snapshot', '-p', 'production', '--out', 'p.json'], {
    cwd: work.root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
    now: NOW,
  });
  expect(taken.code).toBe(0);
  const ran = await run(...argv);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).toContain('→');
});

test('a snapshot has schedules and no log', async () => {
  const { run, work } = await stage();
  await runCli(['snapshot', '--out', 'p.json'], {
    cwd: work.root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
    now: NOW,
  });
  const view = viewOf(await run('--against', 'p.json', '-f', 'json'));
  expect(view.projects[0]).toMatchObject({ source: 'snapshot' });
  expect(noteIn(view, 'service_changes')).toMatchObject({
    words: expect.stringContaining('a snapshot has none'),
  });
  expect(noteIn(view, 'schedules')).toBeUndefined();
});

test('with --declared only the head says that nothing was read', async () => {
  const { run } = await stage();
  const page = (await run('--declared', '-f', 'html')).stdout.replace(/<script>.*<\/script>/s, '');
  expect(page.match(/not read/g)?.length).toBeLessThanOrEqual(3);
  expect(page).not.toContain('! not read');
});
