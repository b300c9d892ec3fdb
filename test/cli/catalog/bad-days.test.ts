/** The catalogue of a service that fails in parts, by the built command: what is not known is said, and nothing else changes. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { CatalogFlagView, CatalogStateView, CatalogView } from '../../../src/report/model/catalog.ts';
import { committing, severalProjects } from '../../helpers/several-projects.ts';
import { cli } from '../../helpers/cli.ts';

const MANIFEST = `flags:
  checkout: { active: true, rollout_percentage: 10 }
  people: { active: true, filters: { groups: [{ properties: [{ key: id, type: cohort, operator: in, value: 42 }] }] } }
`;
const ALWAYS = { count: 99 } as const;

interface Seen {
  readonly code: number | null;
  readonly stderr: string;
  readonly view: CatalogView;
}

/** Of two projects that have the flag; the faults are those of the second one. */
async function catalogWith(faults: readonly JsonObject[], ...argv: string[]): Promise<Seen> {
  const here = await severalProjects(
    { calm: '', stormy: '' },
    { manifest: MANIFEST, worlds: { stormy: { faults: { faults: [...faults] } as never } } },
  );
  const { env } = committing(here);
  const run = async (...args: string[]): ReturnType<typeof cli> =>
    cli(args, { cwd: here.root, env: { ...here.env, ...env } });
  for (const name of ['calm', 'stormy'] as const) {
    await here.worlds[name].client.createFlag({
      key: 'checkout',
      active: true,
      filters: { groups: [{ rollout_percentage: 10 }] },
    } as never);
  }
  const ran = await run('catalog', '-f', 'json', '--deadline', '20s', ...argv);
  return { ...ran, view: JSON.parse(ran.stdout) as CatalogView };
}

function stateOf({ flags }: CatalogView, key: string, project: string): CatalogStateView | undefined {
  return flags.find((flag: CatalogFlagView) => flag.key === key)?.states.find((state) => state.project === project);
}

const isRead: Partial<CatalogStateView> = { word: 'some', who: '10% of everyone' };

test('a pause that the service asks for delays, and changes nothing', async () => {
  const busy = { match: { operation: 'listFlags' }, count: 1, answer: { status: 429, retry_after: 1 } };
  const { code, view } = await catalogWith([busy]);
  expect(code).toBe(0);
  expect(stateOf(view, 'checkout', 'stormy')).toMatchObject(isRead);
  expect(view.notes.filter(({ what }) => what !== 'code')).toEqual([]);
});

test.each<[string, JsonObject]>([
  ['always fails', { match: { operation: 'listFlags' }, ...ALWAYS, answer: { status: 403 } }],
  [
    'answers with the page of a proxy',
    { match: { operation: 'listFlags' }, ...ALWAYS, answer: { status: 200, body: 'html' } },
  ],
])('a project whose list %s is unread, and the other one is shown', async (_, fault) => {
  const { code, view } = await catalogWith([fault]);
  expect(code).toBe(1);
  expect(view.projects.map(({ source }) => source)).toEqual(['live', 'unread']);
  expect(stateOf(view, 'checkout', 'stormy')).toMatchObject({ word: 'unknown', standing: 'unread' });
  expect(stateOf(view, 'checkout', 'calm')).toMatchObject(isRead);
});

test.each<[string, JsonObject, RegExp]>([
  ['activity', { match: { path: '**/activity**' }, ...ALWAYS, answer: { status: 403 } }, /PostHog|activity/],
  [
    'scheduled changes',
    { match: { operation: 'listScheduledChanges' }, ...ALWAYS, answer: { status: 403 } },
    /^Scheduled/,
  ],
])('a project of which the %s cannot be read is shown, and the page says so', async (_, fault, words) => {
  const { code, view } = await catalogWith([fault]);
  expect(code).toBe(0);
  expect(stateOf(view, 'checkout', 'stormy')).toMatchObject(isRead);
  const notes = view.notes.filter(({ what }) => what !== 'code');
  expect(notes.map(({ words: text }) => text).join('\n')).toMatch(words);
  expect(JSON.stringify(notes)).toContain('stormy');
  expect(JSON.stringify(notes)).not.toContain('calm');
});
