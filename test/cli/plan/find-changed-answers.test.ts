import { describe, expect, test } from 'vitest';
import { findChangedAnswers } from '../../../src/cli/plan/forecast.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import { MOST_KEPT, type ChangedAnswers } from '../../../src/review/expectations/compare-answers.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { watchSession, type Watched } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const US = {
  filters: { groups: [{ properties: [{ key: 'country', type: 'person', operator: 'exact', value: ['US'] }] }] },
};
const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b', US), liveFlag(3, 'same')]);

interface Found {
  readonly found: ChangedAnswers | undefined;
  readonly watched: Watched;
}

async function find(
  files: Readonly<Record<string, string>>,
  { changed = ['a', 'b'], tests }: { changed?: readonly string[]; tests?: readonly string[] } = {},
): Promise<Found> {
  const watched = watchSession();
  const desired = desiredState(...['a', 'b', 'same'].map((key) => declared(key, { active: !changed.includes(key) })));
  const config = { root: createWorkspace(files).root, ...(tests === undefined ? {} : { tests }) };
  const project = { service: 'remote', name: 'main', roles: {}, cohorts: {} };
  const loaded = { config, project } as unknown as LoadedProject;
  const plan = planFor(desired, live);
  return { found: await findChangedAnswers(watched.session, { loaded, plan, desired, live }), watched };
}

const PEOPLE = 'people: { ada: { properties: { country: US } }, bob: { properties: { country: DE } } }\n';

test('each person has the answers that change, and takes a pause for Ctrl-C', async () => {
  const { found, watched } = await find({ 'tests/a.yaml': PEOPLE });
  expect(found).toMatchObject({ people: 2, changed: 2, total: 3 });
  expect(found?.answers.map(({ person, flag }) => `${person} ${flag}`)).toEqual(['ada a', 'ada b', 'bob a']);
  expect([watched.said, watched.breaths()]).toEqual([[], 2]);
});

test.each<[string, Readonly<Record<string, string>>, object]>([
  ['a plan without changes', { 'tests/a.yaml': 'people: 7\n' }, { changed: [] }],
  ['no test files', { 'other/a.yaml': PEOPLE }, {}],
  ['files without people', { 'tests/a.yaml': 'expect: [{ person: { id: x }, flags: { a: true } }]\n' }, {}],
  ['files of other programs', { 'tests/a.yaml': 'other: program\n' }, {}],
])('%s has none, and nothing is said', async (_, files, options) => {
  const { found, watched } = await find(files, options);
  expect([found, watched.said]).toEqual([undefined, []]);
});

test('the files are those that the configuration names', async () => {
  const { found } = await find({ 'x/a.yaml': PEOPLE, 'tests/b.yaml': 'people: 7\n' }, { tests: ['x/*.yaml'] });
  expect(found).toMatchObject({ people: 2 });
});

test('people whose answers stay are counted', async () => {
  const { found } = await find({ 'tests/a.yaml': PEOPLE }, { changed: ['b'] });
  expect(found).toMatchObject({ people: 2, changed: 1, total: 1 });
});

test('only the first thousand answers are kept', async () => {
  const names = Array.from({ length: MOST_KEPT / 2 + 1 }, (_, index) => `p${index}`);
  const { found } = await find({
    'tests/a.yaml': `people: { ${names.map((name) => `${name}: { properties: { country: US } }`).join(', ')} }\n`,
  });
  expect(found).toMatchObject({ people: names.length, changed: names.length, total: 2 * names.length });
  expect(found?.answers).toHaveLength(MOST_KEPT);
  expect(found?.answers.at(-1)?.person).toBe(`p${MOST_KEPT / 2 - 1}`);
});

describe('test files with errors', () => {
  const START = 'note note  Test files have errors, so the plan may leave out named people.';
  const END = 'flagwright test shows each error.\n';

  test('are noted with the place of the first error, and the others are read', async () => {
    const { found, watched } = await find({
      'tests/a.yaml': 'people: { eve: { idd: x } }\n',
      'tests/b.yaml': PEOPLE,
      'tests/c.yaml': 'people: { ada: { id: z } }\n',
    });
    expect(found?.people).toBe(2);
    expect(watched.said).toHaveLength(1);
    expect(watched.said[0]?.startsWith(`${START} tests/a.yaml:1:`)).toBe(true);
    expect(watched.said[0]?.endsWith(` ${END}`)).toBe(true);
  });

  test('are noted too where the people of two files have the same name', async () => {
    const { watched } = await find({ 'tests/a.yaml': PEOPLE, 'tests/b.yaml': 'people: { ada: { id: z } }\n' });
    expect(watched.said).toHaveLength(1);
    expect(watched.said[0]?.startsWith(`${START} tests/b.yaml:1:`)).toBe(true);
  });

  test('are noted without a place where the error has none', async () => {
    const { found, watched } = await find({ 'x/a.yaml': PEOPLE }, { tests: ['x/*.yaml', '../outside/*.yaml'] });
    expect(found?.people).toBe(2);
    expect(watched.said).toHaveLength(1);
    expect(watched.said[0]).not.toMatch(/undefined|:\d+:\d+:/);
    expect(watched.said[0]?.startsWith(`${START} `)).toBe(true);
  });
});
