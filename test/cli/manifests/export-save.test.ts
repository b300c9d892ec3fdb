/** What an export writes into the configuration, and where it finds the schema of its manifests. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSchema, nameInConfiguration, save, type NewAliases } from '../../../src/cli/manifests/save-edits.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = "projects:\n  prod: { project_id: '1' }\n  other: { project_id: '2' }\n";
const UNREAD = { failure: { kind: 'forbidden' } } as never;

async function name(
  found: NewAliases,
  config: string | undefined = CONFIG,
  file: string | undefined = 'flagwright.yaml',
) {
  const { root } = createWorkspace(config === undefined ? {} : { 'flagwright.yaml': config });
  const { session } = watchSession({ context: { cwd: root } });
  const project = { name: 'prod', roles: { a: 'A' }, cohorts: { old: 1 } };
  const projects = { prod: project, other: { name: 'other' } };
  const loaded = { project, config: { root, projects, ...(file === undefined ? {} : { file }) } };
  return { loaded, named: await nameInConfiguration(session, loaded as unknown as LoadedProject, found) };
}

describe('new names', () => {
  const FOUND: NewAliases = { aliases: { roles: { b: 'B' }, cohorts: { new: 2 } }, unread: {} };

  test('are added to the project, in the text and in the configuration of the run', async () => {
    const { named } = await name(FOUND);
    expect(named.project).toMatchObject({ roles: { a: 'A', b: 'B' }, cohorts: { old: 1, new: 2 } });
    expect(named.config.projects).toEqual({ prod: named.project, other: { name: 'other' } });
    const [write] = named.writes;
    expect([named.writes.length, write?.file, write?.before]).toEqual([1, 'flagwright.yaml', CONFIG]);
    expect(write?.text).toMatch(/roles: \{ b: B \}|roles:\n +b: B/);
    expect(write?.text).toContain('other: { project_id: ');
    expect(named.texts).toHaveLength(1);
  });

  test.each<NewAliases['aliases']>([
    { roles: { b: 'B' }, cohorts: {} },
    { roles: {}, cohorts: { new: 2 } },
  ])('of one kind are enough: %j', async (aliases) => {
    expect((await name({ aliases, unread: {} })).named.writes).toHaveLength(1);
  });

  test('that the text has no place for are told, and nothing is written', async () => {
    const { loaded, named } = await name(FOUND, "projects:\n  other: { project_id: '2' }\n");
    expect(named).toMatchObject({ project: loaded.project, config: loaded.config, writes: [] });
    const { named: added } = await name(FOUND);
    expect([named.texts.length, named.texts[0] === added.texts[0]]).toEqual([1, false]);
  });

  test('are none without a file, and without any', async () => {
    const { loaded, named } = await name({ aliases: { roles: {}, cohorts: {} }, unread: {} });
    expect(named).toEqual({ ...loaded, writes: [], texts: [] });
    const { root } = createWorkspace();
    const { session } = watchSession({ context: { cwd: root } });
    const without = { project: { name: 'prod' }, config: { root, projects: {} } } as unknown as LoadedProject;
    expect(await nameInConfiguration(session, without, FOUND)).toEqual({ ...without, writes: [], texts: [] });
  });

  test('that could not be read are told, cohorts first', async () => {
    const aliases = { roles: {}, cohorts: {} };
    const { named } = await name({ aliases, unread: { early_access: UNREAD, cohorts: UNREAD } });
    expect(named.texts).toEqual([expect.stringContaining('cohort'), expect.stringContaining('early access')]);
    expect((await name({ ...FOUND, unread: { early_access: UNREAD } })).named.texts).toHaveLength(2);
    expect((await name({ aliases, unread: { cohorts: UNREAD } })).named.texts).toHaveLength(1);
  });
});

describe('files that are saved', () => {
  const begin = () => {
    const workspace = createWorkspace({ 'a.yaml': 'old' });
    const { session } = watchSession({ context: { cwd: workspace.root, randomUuid: () => '0' } });
    const secrets = createSecrets();
    secrets.add('12345678');
    const life = { holder: { pid: 1, host: 'here' }, isAlive: () => false };
    return { ...workspace, session: { ...session, secrets, life, places: { root: workspace.root } } as Session };
  };
  const WRITES = [
    { file: 'a.yaml', text: 'new', before: 'old' },
    { file: 'b.yaml', text: 'new', before: null },
  ];

  test.each([
    [true, ['to_edit', 'to_write'], 'old'],
    [false, ['edited', 'written'], 'new'],
  ])('have an outcome each, with --dry-run %s', async (dryRun, statuses, text) => {
    const { session, read } = begin();
    expect((await save(session, WRITES, dryRun)).map(({ status }) => status)).toEqual(statuses);
    expect(read('a.yaml')).toBe(text);
  });

  test.each([true, false])('never have the key, with --dry-run %s', async (dryRun) => {
    const { session, read } = begin();
    const writes = [...WRITES, { file: 'c.yaml', text: '12345678', before: null }];
    await expect(save(session, writes, dryRun)).rejects.toMatchObject({
      message: 'Nothing was exported: c.yaml would contain the API key.',
      remedy: expect.stringContaining('the live flags') as string,
    });
    expect(read('a.yaml')).toBe('old');
  });
});

const SCHEMA = 'node_modules/flagwright/schemas/manifest.schema.json';

test.each([
  [[`x/${SCHEMA}`], 'x/flags', `../${SCHEMA}`],
  [[`x/${SCHEMA}`], 'x', `./${SCHEMA}`],
  [[SCHEMA], 'x/flags', `../../${SCHEMA}`],
  [[], 'x/flags', `../${SCHEMA}`],
  [[SCHEMA, `x/${SCHEMA}`], 'x/flags/more', `../../${SCHEMA}`],
])('with the package at %j, manifests in %s name %s', async (installed, folder, schema) => {
  const files = Object.fromEntries(installed.map((file) => [file, '{}']));
  const { root } = createWorkspace({ 'x/.keep': '', ...files });
  expect(await findSchema(path.join(root, 'x'), path.join(root, folder))).toBe(schema);
});
