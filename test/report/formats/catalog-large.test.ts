/** A page of many flags says what it leaves out, and what happened to several flags once. */

import { expect, test } from 'vitest';
import type { CatalogChange, CatalogView } from '../../../src/report/model/catalog.ts';
import { catalogPage } from '../../../src/report/formats/html/catalog/page.ts';
import { largeView, TEAM_VIEW } from './catalog-samples.ts';

const URL = 'https://github.com/acme/flags/commit/';

function withChanges(view: CatalogView, changesOf: (index: number) => readonly CatalogChange[]): CatalogView {
  const flags = view.flags.map((flag, index) => {
    const changes = changesOf(index);
    const { words: _, projects: _projects, ...newest } = changes[0] ?? { words: '' };
    return { ...flag, changes, ...('at' in newest && { changed: newest }) };
  });
  return { ...view, flags };
}

/** Each in a commit of its own, all on the day on which the page was made. */
function tenChanges({ made_at: madeAt }: CatalogView): (index: number) => readonly CatalogChange[] {
  return (index) =>
    Array.from({ length: 10 }, (_, number) => {
      const commit = (index * 10 + number).toString(16).padStart(40, 'a');
      const at = new Date(Date.parse(madeAt) - number * 60_000).toISOString();
      return { at, by: 'Ann Ito', source: 'git', commit, url: URL + commit, words: `${number}% → ${number + 1}%` };
    });
}

function visible(page: string): string {
  return page.replace(/<script>.*?<\/script>/s, '').replaceAll(/<[^>]*>/g, '');
}

test('2,000 flags with ten changes each are at most 3 MB, and what is left out is counted', () => {
  const view = largeView(2000);
  const page = catalogPage(withChanges(view, tenChanges(view)));
  expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
  expect(page.split('<li>7 earlier')).toHaveLength(2001);
  expect(visible(page)).toContain('each has its newest 3 changes here, and more in the JSON document');
  expect(visible(page)).toContain('The newest 1000: 19000 more are in the JSON document.');
});

test('a page of few flags has all changes', () => {
  const page = catalogPage(withChanges(TEAM_VIEW, tenChanges(TEAM_VIEW)));
  expect(page).not.toMatch(/<li>\d+ earlier/);
  for (const { key } of TEAM_VIEW.flags) expect(page).toContain(key);
  expect(page.split('9% → 10%').length - 1).toBe(2 * TEAM_VIEW.flags.length);
});

test('what one commit did to several flags alike is said once, with each of them', () => {
  const commit = 'c'.repeat(40);
  const change = { at: TEAM_VIEW.made_at, source: 'git', commit, words: 'The same of all' } as const;
  const page = catalogPage(withChanges(TEAM_VIEW, (index) => (index === 0 ? [] : [change])));
  const [, list = ''] = page.split('id="view=changed"');
  expect(list.split('The same of all')).toHaveLength(2);
  for (const { key } of TEAM_VIEW.flags.slice(1)) expect(list).toContain(`>${key}</a>`);
});
