/** Edits of conditions that select the same people: no plan shows them, no command calls them drift, and no apply depends on them. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonArray, jsonEquals, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { filters } from '../helpers/arbitraries.ts';
import { createRepository, GIT_ENV } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState } from '../helpers/states.ts';
import { openWorld, startWorld, type World } from '../helpers/world.ts';

type Edit = (properties: readonly JsonObject[]) => readonly JsonObject[];

const withValue =
  (change: (value: JsonValue[]) => JsonValue): Edit =>
  (properties) =>
    properties.map((one) =>
      isJsonArray(one['value'] ?? null) ? { ...one, value: change(one['value'] as never) } : one,
    );

/** Each as somebody saves it in the web interface. */
const EDITS: readonly (readonly [name: string, edit: Edit])[] = [
  ['values in another order', withValue((value) => value.toReversed())],
  ['a value in place of a list of it', withValue((value) => (value.length === 1 ? (value[0] ?? null) : value))],
  ['properties in another order', (properties) => properties.toReversed()],
];

function edited(live: JsonObject, edit: Edit): JsonObject {
  const groups = (live['groups'] as JsonObject[]).map((group) =>
    isJsonArray(group['properties'] ?? null)
      ? { ...group, properties: [...edit(group['properties'] as JsonObject[])] }
      : group,
  );
  return { ...live, groups };
}

const isEdited = (wanted: JsonObject, edit: Edit): boolean => !jsonEquals(edited(wanted, edit), wanted);

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  let serial = 0;
  beforeEach(async () => {
    world = await startWorld(profile);
  });
  afterEach(() => world.close());

  it.each(EDITS)('%s: the plan is empty, and so it is after an apply of something else', async (_name, edit) => {
    await holdsAsync(15, [filters().filter((wanted) => isEdited(wanted, edit))], async (wanted) => {
      serial += 1;
      const key = `f${serial}`;
      const flag = declared(key, { name: 'before', active: true, filters: wanted });
      await world.apply(await world.plan(desiredState(flag)));
      const stored = (await world.live()).flags.find((one) => one.key === key)?.filters as JsonObject;
      await world.edit(key, { filters: edited(stored, edit) });
      expect((await world.plan(desiredState(flag))).changes).toEqual([]);

      const [first = {}, ...rest] = wanted['groups'] as JsonObject[];
      const groups = [{ ...first, rollout_percentage: 12.5 }, ...rest];
      const next = declared(key, { name: 'after', active: true, filters: { ...wanted, groups } });
      const plan = await world.plan(desiredState(next));
      expect(plan.changes).toMatchObject([{ action: 'update', key }]);
      expect(await world.apply(plan)).toMatchObject({ remainder: [], verified: true });
      expect((await world.plan(desiredState(next))).changes).toEqual([]);
    });
  });
});

const MANIFEST = `flags:
  checkout:
    active: true
    filters:
      groups:
        - properties:
            - { key: plan, type: person, operator: exact, value: [pro, team] }
            - { key: country, type: person, operator: is_not, value: [DE] }
          rollout_percentage: 25
`;

it.each(EDITS)('%s: drift and accept find nothing, with a base and without', async (_name, edit) => {
  const world = await openWorld('posthog');
  const { root, commit, read } = createRepository({
    'flagwright.yaml': `projects: { main: { host: ${world.url}, project_id: "1" } }\n`,
    '.gitignore': '.flagwright/\n',
    'flags/main.yaml': MANIFEST,
  });
  const env = { ...GIT_ENV, HOME: root, POSTHOG_API_KEY: 'phx_test' };
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root, env });
  expect((await run('apply', '-y')).code).toBe(0);
  const stored = (await world.live()).flags[0]?.filters as JsonObject;
  await world.edit('checkout', { filters: edited(stored, edit) });
  for (const base of [[], ['--base', 'none']]) {
    expect(await run('drift', ...base)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('In sync: 1 flag matches') as string,
    });
    expect((await run('accept', '-y', ...base)).code).toBe(0);
    expect(read('flags/main.yaml')).toBe(MANIFEST);
  }
  // What somebody accepts beside it is the only line that moves.
  await world.edit('checkout', { name: 'Paid plans outside Germany' });
  expect((await run('accept', '-y')).code).toBe(0);
  expect(read('flags/main.yaml').replace(/\n *description: .*/, '')).toBe(MANIFEST);
  commit({ 'flags/main.yaml': MANIFEST.replace('[DE]', 'DE').replace('[pro, team]', '[team, pro]') });
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});
