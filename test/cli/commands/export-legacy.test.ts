/** Live flags that break today's rules: exported, validated, planned and applied over HTTP. */

// @module-tag untimely
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../../../service/src/index.ts';
import { legacyFlags } from '../../loop/export/broken-filters.ts';
import { LEGACY_SHAPES } from '../../loop/export/legacy-shapes.ts';
import { cli, type CliResult } from '../../helpers/cli.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { holdsAsync, runs } from '../../helpers/runs.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { KEY } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, startWorld, type World } from '../../helpers/world.ts';

const SEED: JsonObject = {
  flags: [
    { id: 1, key: 'other', filters: { groups: [{}] } },
    ...LEGACY_SHAPES.map(({ filters }, index) => ({ id: 10 + index, key: `legacy-${index}`, filters })),
  ],
  cohorts: [{ id: 42, name: 'Beta testers' }],
  persons: [{ distinct_ids: ['ada'], properties: { email: 'a@acme.com', a: 'b' } }],
};

async function serve(profile: Profile, seed: JsonObject): Promise<World> {
  const world = await openWorld(profile, seed);
  return world;
}

function environment({ url }: World): Record<string, string> {
  return { POSTHOG_HOST: url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
}

async function stateOf({ client }: World): Promise<unknown> {
  return { flags: await client.listFlags(), values: await client.evaluationReasons({ distinctId: 'ada' }) };
}

test.each<Profile>(['documented', 'posthog'])('%s', async (profile) => {
  const world = await serve(profile, SEED);
  const { root } = createWorkspace();
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root, env: environment(world) });
  const before = await stateOf(world);

  const exported = await run('export', '--group-by', 'single', '-f', 'json');
  expect(exported.code, exported.stderr).toBe(0);
  const unchecked = LEGACY_SHAPES.flatMap(({ form }, index) => (form === 'unchecked' ? [`legacy-${index}`] : []));
  const document = exported.document() as { unchecked: { key: string }[] };
  expect(document.unchecked.map(({ key }) => key)).toEqual(expect.arrayContaining(unchecked));
  expect(schemaErrors('files', document)).toEqual([]);
  expect(exported.stderr).toContain(
    'Filters that break a rule (variants-sum) are under fields, unchanged and unchecked, for ',
  );

  expect(await run('validate')).toMatchObject({ code: 0 });
  expect(await run('plan', '--detailed-exitcode', '--prune')).toMatchObject({ code: 0 });
  expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
  expect(await stateOf(world)).toEqual(before);
});

test.each<[string, Profile]>([
  ['flags-today.json', 'documented'],
  ['flags-today.json', 'posthog'],
  ['flags-2023.json', 'documented'],
  ['flags-2023.json', 'posthog'],
])('%s in %s: nothing is unchecked, left out or left to do', async (fixture, profile) => {
  const listing = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url), 'utf8');
  const world = await serve(profile, JSON.parse(listing) as JsonObject);
  const { root } = createWorkspace();
  const run = async (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root, env: environment(world) });
  const exported = await run('export', '-f', 'json');
  expect([exported.code, exported.document()]).toMatchObject([0, { unchecked: [], left_out: [] }]);
  expect(await run('validate')).toMatchObject({ code: 0 });
  expect(await run('plan', '--detailed-exitcode', '--prune')).toMatchObject({ code: 0 });
});

test(
  'random filters, by the built command',
  async () => {
    await holdsAsync(1, [legacyFlags({ minLength: 60, maxLength: 60 })], async (flags) => {
      const world = await startWorld('posthog', { flags });
      const { root } = createWorkspace();
      const run = async (...argv: string[]): Promise<CliResult> => cli(argv, { cwd: root, env: environment(world) });
      const before = await stateOf(world);
      const { code, stdout, stderr } = await run('export', '--group-by', 'single', '-f', 'json');
      const { left_out: notExported } = JSON.parse(stdout) as { left_out: { key: string }[] };
      expect(code, stderr).toBe(notExported.length === 0 ? 0 : 3);
      expect(await run('validate')).toMatchObject({ code: 0 });
      expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
      expect(await stateOf(world)).toEqual(before);
      const exported = parse(readFileSync(path.join(root, 'flags/flags.yaml'), 'utf8')) as { flags: JsonObject };
      const named = [...Object.keys(exported.flags), ...notExported.map(({ key }) => key)];
      expect(named.sort()).toEqual(flags.map(({ key }) => key).sort());
      await world.close();
    });
  },
  runs(120_000),
);

test('flags that no manifest can express are named, and the exit code is 3', async () => {
  const world = await serve('posthog', {
    flags: [
      { id: 1, key: 'fine' },
      { id: 2, key: 'not fine' },
      { id: 3, key: 'a/b' },
    ],
  });
  const { root } = createWorkspace();
  const options = { cwd: root, env: environment(world) };
  const exported = await cli(['export', '-f', 'json', '--quiet'], options);
  expect(exported.code).toBe(3);
  expect(JSON.parse(exported.stdout)).toMatchObject({
    files: [{ file: 'flags/misc.yaml', status: 'written' }],
    unchecked: [],
    left_out: [
      { key: 'a/b', id: 3, reasons: ['flag-key-invalid'] },
      { key: 'not fine', id: 2, reasons: ['flag-key-invalid'] },
    ],
  });
  expect(schemaErrors('files', JSON.parse(exported.stdout))).toEqual([]);
  expect(exported.stderr).toMatch(
    /^not exported {2}a\/b \(flag id 3\) was not exported.*\nnot exported {2}not fine .*\n$/,
  );
  expect(readdirSync(path.join(root, 'flags'))).toEqual(['misc.yaml']);
  expect(await cli(['plan', '--detailed-exitcode'], options)).toMatchObject({ code: 0 });
});
