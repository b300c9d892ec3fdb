/** The catalogue of a project: what is live, declared, edited and coming, over HTTP, with git and code. */

import { expect, test } from 'vitest';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { git } from '../../helpers/repository.ts';
import { CONFIG, flagIn, MANIFEST, stage, viewOf } from './stage.ts';

test('says of each flag for whom it is on, and how it stands to git', async () => {
  const { run } = await stage();
  const view = viewOf(await run('-f', 'json'));
  const states = Object.fromEntries(
    view.flags.map(({ key, states: [state] }) => [key, state && [state.word, state.standing, state.who]]),
  );
  expect(states).toEqual({
    'by-hand': ['some', 'unmanaged', 'people whose email is hidden-address'],
    everybody: ['some', 'differs', '50% of everyone'],
    germany: ['some', 'in_sync', 'people whose country is DE (Germany)'],
    stepped: ['some', 'in_sync', '10% of everyone'],
    unborn: ['missing', 'pending', 'nobody: the project does not have it'],
  });
  expect(view.projects).toMatchObject([{ name: 'production', source: 'live', read_at: '2026-06-01T00:00:00.000Z' }]);
});

test('names the owner, the code, the answers of people and the commit', async () => {
  const { run } = await stage();
  const germany = flagIn(viewOf(await run('-f', 'json')), 'germany');
  expect(germany).toMatchObject({
    description: 'For customers in Germany',
    owner: { name: 'growth', by: 'tag' },
    place: { file: 'flags/a.yaml', line: 2 },
    code: { verdict: 'read', places: [{ file: 'src/a.ts', line: 1 }] },
    answers: [
      { person: 'hans', project: 'production', value: 'on' },
      { person: 'mary', project: 'production', value: 'off' },
    ],
    changed: { by: 'Ana', source: 'git' },
  });
  expect(germany.changes).toMatchObject([{ source: 'git', words: 'New: on for 100% of condition 1 (country is DE)' }]);
});

test('the calendar has steps and freezes in the order of time', async () => {
  const { run } = await stage();
  const { calendar } = viewOf(await run('-f', 'json'));
  expect(calendar.map(({ at, kind, key, words }) => [at.slice(0, 10), kind, key, words])).toEqual([
    ['2026-06-03', 'step', 'stepped', '50%'],
    ['2026-06-05', 'freeze', undefined, 'no changes are allowed (UTC)'],
    ['2026-06-09', 'step', 'stepped', '100%'],
  ]);
});

test('tells what a later commit changed, and who edited the flag in the service', async () => {
  const { run, work, world } = await stage();
  work.write('flags/a.yaml', MANIFEST.replace('everybody: { active: true', 'everybody: { active: false'));
  git(work.root, 'commit', '-qam', 'Turn it off');
  await world.edit('germany', { active: false });
  const view = viewOf(await run('-f', 'json'));
  expect(flagIn(view, 'everybody').changes?.map(({ words }) => words)).toEqual([
    'The flag is disabled, and off for everybody',
    'New: on for everyone',
  ]);
  expect(flagIn(view, 'germany').changes?.[0]).toMatchObject({
    source: 'service',
    words: 'The flag is disabled, and off for everybody',
  });
  expect(flagIn(view, 'germany').states[0]).toMatchObject({ word: 'off', who: 'nobody: it is switched off' });
});

test('--declared asks no service and says so', async () => {
  const { run, asked } = await stage();
  const view = viewOf(await run('--declared', '-f', 'json'));
  expect(asked).toEqual([]);
  expect(view.projects).toMatchObject([{ source: 'manifests' }]);
  expect(view.notes[0]?.words).toContain('The service was not asked');
  expect(flagIn(view, 'everybody').states[0]).toMatchObject({ word: 'all', who: 'everyone', standing: 'unread' });
});

test('shows addresses only if asked', async () => {
  const { run } = await stage();
  expect((await run('-f', 'json')).stdout).not.toContain('zoe@acme.example');
  expect(flagIn(viewOf(await run('--addresses', '-f', 'json')), 'by-hand').states[0]?.who).toContain(
    'zoe@acme.example',
  );
});

test('a project that cannot be read is unread, and the others are shown', async () => {
  const { run, work, world } = await stage();
  work.write(
    'flagwright.yaml',
    `projects:
  production: { host: "${world.url}", project_id: "1" }
  staging: { host: "http://127.0.0.1:9", project_id: "1" }
${CONFIG}`,
  );
  const ran = await run('-f', 'json', '--deadline', '30s');
  expect(ran.code).toBe(1);
  const view = ran.document() as unknown as CatalogView;
  expect(view.projects.map(({ source }) => source)).toEqual(['live', 'unread']);
  expect(flagIn(view, 'germany').states.map(({ word }) => word)).toEqual(['some', 'unknown']);
  expect(view.notes[0]?.words).toContain('staging was not read');
});

test('fails if no project can be read', async () => {
  const { run, work } = await stage();
  work.write('flagwright.yaml', 'projects: { production: { host: "http://127.0.0.1:9", project_id: "1" } }\n');
  const ran = await run();
  expect(ran.code).toBe(1);
  expect(ran.stdout).toBe('');
});
