/** The catalogue of flags that are gone, and of flags that moved: what happened lately is told once, with who and when. */

import { expect, test } from 'vitest';
import { gitStage, type GitStage } from '../../helpers/git-stage.ts';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { flagIn, viewOf } from './stage.ts';

const CHECKOUT = '  checkout: { active: true, rollout_percentage: 10 }\n';
const SEARCH = '  search: { active: true, rollout_percentage: 20 }\n';
const NOW = Date.parse('2026-01-02T00:00:00Z');

/** Commits of these tests are of the day before. */
async function applied(): Promise<GitStage> {
  const here = await gitStage(undefined, { manifest: `flags:\n${CHECKOUT}${SEARCH}`, now: () => new Date(NOW) });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

async function catalogOf(here: GitStage, ...argv: string[]): Promise<CatalogView> {
  return viewOf(await here.runWith({ now: NOW }, 'catalog', '-f', 'json', ...argv));
}

async function removeByHand({ world }: GitStage, key: string): Promise<void> {
  const id = (await world.client.listFlags()).find((flag) => flag.key === key)?.id;
  const answer = await fetch(`${world.url}/api/projects/1/feature_flags/${id}/`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer phx_other', 'content-type': 'application/json' },
    body: '{"deleted": true}',
  });
  expect(answer.ok).toBe(true);
}

const goneIn = ({ gone = [] }: CatalogView): unknown =>
  gone.map(({ key, changes }) => [key, changes.map(({ by, source, words }) => [by, source, words])]);

test('a flag that git deleted is told of, although nothing has it any more', async () => {
  const here = await applied();
  here.commit({ 'flags/main.yaml': `flags:\n${CHECKOUT}  search: { deleted: true }\n` });
  expect(await here.run('apply', '--yes', '--allow-deletes', '1')).toMatchObject({ code: 0 });
  const told = [
    [
      'search',
      [
        ['Ana', 'git', 'Nobody gets a value from it'],
        ['Ana', 'git', 'New: on for 20% of everyone'],
      ],
    ],
  ];
  expect(goneIn(await catalogOf(here))).toEqual(told);
  here.commit({ 'flags/main.yaml': `flags:\n${CHECKOUT}` });
  const view = await catalogOf(here);
  expect(view.flags.map(({ key }) => key)).toEqual(['checkout']);
  expect(goneIn(view)).toEqual(told);
  const page = (await here.runWith({ now: NOW }, 'catalog', '-f', 'html')).stdout;
  const changed = page.slice(page.indexOf('id="view=changed"'));
  expect(changed).toMatch(/by Ana in git [0-9a-f]{10}<ul><li>search: Nobody gets a value from it/);
});

test('a flag that was taken out of git, and deleted by hand, is told of with both', async () => {
  const here = await applied();
  here.commit({ 'flags/main.yaml': `flags:\n${CHECKOUT}` });
  expect((await catalogOf(here)).gone).toBeUndefined();
  await removeByHand(here, 'search');
  expect(goneIn(await catalogOf(here))).toEqual([
    [
      'search',
      [
        ['Embedded', 'service', 'Nobody gets a value from it'],
        ['Ana', 'git', 'Taken out of git'],
        ['Ana', 'git', 'New: on for 20% of everyone'],
      ],
    ],
  ]);
});

test('a flag that only PostHog had is told of after it was deleted there', async () => {
  const here = await applied();
  await here.world.client.createFlag({
    key: 'by-hand',
    active: true,
    filters: { groups: [{ rollout_percentage: 5 }] },
  });
  await removeByHand(here, 'by-hand');
  expect(goneIn(await catalogOf(here))).toEqual([
    ['by-hand', [['Embedded', 'service', 'Nobody gets a value from it']]],
  ]);
});

test('from manifests alone a flag that was taken out of git is told of, and nothing is said about PostHog', async () => {
  const here = await applied();
  here.commit({ 'flags/main.yaml': `flags:\n${CHECKOUT}` });
  expect(goneIn(await catalogOf(here, '--declared'))).toEqual([
    [
      'search',
      [
        ['Ana', 'git', 'Taken out of git'],
        ['Ana', 'git', 'New: on for 20% of everyone'],
      ],
    ],
  ]);
});

test('what is older than two weeks is not told of', async () => {
  const here = await applied();
  here.commit({ 'flags/main.yaml': `flags:\n${CHECKOUT}` });
  const month = 31 * 86_400_000;
  const view = viewOf(await here.runWith({ now: NOW + month }, 'catalog', '--declared', '-f', 'json'));
  expect(view.gone).toBeUndefined();
});

test.each<[string, readonly Readonly<Record<string, string>>[]]>([
  ['at once', [{ 'flags/main.yaml': `flags:\n${CHECKOUT}`, 'flags/other.yaml': `flags:\n${SEARCH}` }]],
  [
    'in another form',
    [
      {
        'flags/main.yaml': `flags:\n${CHECKOUT}`,
        'flags/other.yaml': 'flags:\n  search:\n    rollout_percentage: 20\n    active: true\n',
      },
    ],
  ],
  [
    'in a commit after that which took it out',
    [{ 'flags/main.yaml': `flags:\n${CHECKOUT}` }, { 'flags/other.yaml': `flags:\n${SEARCH}` }],
  ],
  [
    'in a commit before that which took it out',
    [{ 'flags/other.yaml': `flags:\n${SEARCH}` }, { 'flags/main.yaml': `flags:\n${CHECKOUT}` }],
  ],
])('a flag that moved to another file, %s, was neither made nor removed by that', async (_, commits) => {
  const here = await applied();
  for (const files of commits) here.commit(files);
  const view = await catalogOf(here);
  expect(flagIn(view, 'search').changes?.map(({ words }) => words)).toEqual(['New: on for 20% of everyone']);
  expect(flagIn(view, 'search').place).toMatchObject({ file: 'flags/other.yaml' });
  expect(flagIn(view, 'search').states[0]?.standing).toBe('in_sync');
  expect(view.gone).toBeUndefined();
});

test('a flag that came back with a change of another one is the same, in whatever order a list has its values', async () => {
  const here = await applied();
  const listed = `  listed:\n    active: true\n    filters: { groups: [{ properties: [{ key: plan, type: person, operator: exact, value: [pro, basic] }], rollout_percentage: 5 }] }\n`;
  here.commit({ 'flags/other.yaml': `flags:\n${listed}` });
  here.commit({ 'flags/other.yaml': 'flags: {}\n' });
  here.commit({ 'flags/other.yaml': `flags:\n${listed}`, 'flags/main.yaml': `flags:\n${SEARCH}` });
  const view = await catalogOf(here, '--declared');
  expect(flagIn(view, 'listed').changes?.map(({ words }) => words)).toEqual([
    'New: on for 5% of condition 1 (plan is one of pro, basic)',
  ]);
});
