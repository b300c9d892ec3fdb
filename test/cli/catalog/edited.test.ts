/** The catalogue of a project that people edited in the service after an apply. */

import { expect, test } from 'vitest';
import type { CatalogFlagView, CatalogView } from '../../../src/report/model/catalog.ts';
import { gitStage, type GitStage } from '../../helpers/git-stage.ts';

const MANIFEST = `flags:
  checkout: { active: true, rollout_percentage: 10 }
  search: { active: true, filters: { groups: [{ properties: [{ key: checkout, type: flag, operator: flag_evaluates_to, value: true }] }] } }
`;

async function applied(): Promise<GitStage> {
  const here = await gitStage(undefined, { manifest: MANIFEST });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

async function flagsOf(here: GitStage): Promise<readonly CatalogFlagView[]> {
  return ((await here.run('catalog', '-f', 'json')).document() as unknown as CatalogView).flags;
}

test('names who edited a flag, without the address', async () => {
  const here = await applied();
  await here.world.edit('search', { active: false });
  const [, search] = await flagsOf(here);
  expect(search?.states[0]).toMatchObject({ standing: 'drifted', differences: [{ by: 'embedded' }] });
});

test('shows a flag that was renamed in the service once, under the key of git, and what depends on it', async () => {
  const here = await applied();
  await here.world.edit('checkout', { key: 'basket' });
  expect(
    (await flagsOf(here)).map(({ key, states: [state], ...flag }) => [key, state?.word, state?.standing, flag]),
  ).toMatchObject([
    ['checkout', 'some', 'drifted', { dependents: ['search'] }],
    ['search', 'some', 'in_sync', { depends_on: ['checkout'] }],
  ]);
});

test('says of what both sides changed that it was edited and that it is not applied', async () => {
  const here = await applied();
  here.commit({ 'flags/main.yaml': MANIFEST.replace('10', '20') });
  await here.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 30 }] } });
  const [checkout] = await flagsOf(here);
  expect(checkout?.states[0]).toMatchObject({
    standing: 'both',
    differences: [
      { standing: 'drifted', words: 'condition 1 (everyone): 20% → 30%' },
      { standing: 'pending', words: 'condition 1 (everyone): 30% → 20%' },
    ],
  });
});

test('shows a flag that git deletes as long as the service has it', async () => {
  const here = await applied();
  here.commit({
    'flags/main.yaml': 'flags:\n  checkout: { active: true, rollout_percentage: 10 }\n  search: { deleted: true }\n',
  });
  expect((await flagsOf(here)).map(({ key, states: [state] }) => [key, state?.word, state?.standing])).toEqual([
    ['checkout', 'some', 'in_sync'],
    ['search', 'some', 'pending'],
  ]);
});

test('says of a rollout that a project does not have yet that it is not applied, and not that somebody edited it', async () => {
  const here = await applied();
  const stepped = `{ active: true, rollout_percentage: { from: 10, steps: [{ at: 2126-01-01T08:00:00Z, to: 50 }] } }`;
  here.commit({ 'flags/main.yaml': `${MANIFEST}  stepped: ${stepped}\n` });
  const flag = (await flagsOf(here)).find(({ key }) => key === 'stepped');
  expect(flag).toMatchObject({ next: { step: 'apply' }, states: [{ word: 'missing', standing: 'pending' }] });
  expect(flag?.states[0]?.rollouts).toEqual([expect.not.objectContaining({ waits: expect.anything() })]);
});

test('tells who made a flag in PostHog and what it was then, although it was edited later', async () => {
  const here = await applied();
  const asked = async (path: string, method: string, body: object): Promise<{ readonly id: number }> => {
    const headers = { authorization: 'Bearer phx_test', 'content-type': 'application/json' };
    const answer = await fetch(`${here.world.url}/api/projects/1/feature_flags/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { readonly id: number };
  };
  const { id } = await asked('', 'POST', {
    key: 'popup',
    name: 'Popup',
    filters: { groups: [{ rollout_percentage: 25 }] },
  });
  await asked(`${id}/`, 'PATCH', { filters: { groups: [{ rollout_percentage: 70 }] } });
  await asked(`${id}/`, 'PATCH', { active: false });
  const popup = (await flagsOf(here)).find(({ key }) => key === 'popup');
  expect(popup?.changes?.map(({ by, source, words }) => [by, source, words])).toEqual([
    ['Embedded', 'service', 'The flag is disabled, and off for everybody'],
    ['Embedded', 'service', 'Condition 1 (everyone): 25% → 70%'],
    ['Embedded', 'service', 'New: on for 25% of everyone'],
  ]);
});

test('tells who took a flag out of git, and not of one that another file declares since', async () => {
  const here = await applied();
  const [checkout = '', search = ''] = MANIFEST.split('\n').slice(1);
  here.commit({ 'flags/main.yaml': `flags:\n${search}\n`, 'flags/other.yaml': `flags:\n${checkout}\n` });
  here.commit({ 'flags/main.yaml': 'flags: {}\n' });
  const [moved, released] = await flagsOf(here);
  expect(moved?.changes?.map(({ words }) => words)).toEqual(['New: on for 10% of everyone']);
  expect(released).toMatchObject({
    key: 'search',
    states: [{ standing: 'unmanaged' }],
    changes: [
      { words: 'Taken out of git: PostHog keeps it as it is', source: 'git' },
      { words: expect.stringMatching(/^New: /) },
    ],
  });
  here.commit({ 'flags/main.yaml': `flags:\n${search}\n` });
  const [, again] = await flagsOf(here);
  // PostHog kept it as it was, so nothing happened to people.
  expect(again?.changes?.map(({ words }) => words)).toEqual([expect.stringMatching(/^New: /)]);
  here.commit({ 'flags/main.yaml': 'flags: {}\n' });
  here.commit({ 'flags/main.yaml': `flags:\n${search.replace('true', 'false')}\n` });
  const [, other] = await flagsOf(here);
  expect(other?.changes?.map(({ words }) => words)).toEqual([
    expect.stringMatching(/^Declared again: /),
    expect.stringMatching(/^New: /),
  ]);
});
