/** Where unmanaged flags are declared, and for which projects. */

import { describe, expect, test } from 'vitest';
import { declareAllUnmanaged } from '../../../src/cli/editing/accept.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const FLAG = { id: 7, key: 'chat', name: 'Chat', active: true, deleted: false, filters: { groups: [] }, tags: [] };

interface Given {
  readonly texts?: Readonly<Record<string, string>>;
  readonly onDisk?: Readonly<Record<string, string>>;
  /** The services of the other projects. */
  readonly others?: readonly string[];
  readonly keys?: readonly string[];
}

async function declare({ texts = {}, onDisk = {}, others = [], keys = ['chat'] }: Given) {
  const { root } = createWorkspace({ ...texts, ...onDisk });
  const names = [['prod', 'remote'], ...others.map((service, at) => [`other${at}`, service])] as const;
  const projects = names.map(([name, service]) => ({ name, service, roles: {}, cohorts: {} }));
  const [project] = projects;
  const config = { root, projects: Object.fromEntries(projects.map((one) => [one.name, one])) };
  const none = new Set<string>();
  return declareAllUnmanaged({ config, project } as unknown as LoadedProject, {
    live: { flags: [FLAG, { ...FLAG, id: 8, key: 'other' }], roleAccess: {} } as never,
    project: project as never,
    projects: projects as never,
    manifests: Object.entries(texts).map(([file, text]) => ({ file, text })),
    keys: new Set(keys),
    cohorts: none,
    early_access: none,
  });
}

describe('a new file', () => {
  test.each<[string, readonly string[], string]>([
    ['flags without manifests', [], 'flags/'],
    ['the folder with most of them', ['a/1.yaml', 'b/1.yaml', 'b/2.yaml'], 'b/'],
    ['the first of those with as many', ['c/1.yaml', 'b/1.yaml'], 'c/'],
    ['the folder of the configuration', ['1.yaml', '2.yaml', 'b/1.yaml'], ''],
  ])('is in %s', async (_, files, folder) => {
    const texts = Object.fromEntries(files.map((file, at) => [file, `flags: { x${at}: {} }\n`]));
    const { files: made, edited, added, left } = await declare({ texts });
    expect(made.map(({ file }) => file)).toEqual([`${folder}misc.yaml`]);
    expect([edited, added.map(({ key }) => key), left]).toEqual([[], ['chat'], []]);
  });

  test('names the schema, and no file that is there already', async () => {
    const { files } = await declare({ onDisk: { 'flags/misc.yaml': '# not a manifest of the configuration\n' } });
    const [made] = files;
    expect(made?.file).toMatch(/^flags\/misc.+\.yaml$/);
    expect(made?.text).toContain('$schema=../node_modules/flagwright/schemas/manifest.schema.json');
  });
});

test('beside the flags with its prefix, the file of these is edited', async () => {
  const { edited, files } = await declare({
    texts: { 'flags/chat.yaml': 'flags:\n  chat-old: {}\n', 'flags/z.yaml': 'flags: { z: {} }\n' },
    keys: ['chat'],
  });
  expect([...edited, ...files].map(({ file }) => file)).toEqual(['flags/chat.yaml']);
});

test.each<[readonly string[], boolean]>([
  [[], false],
  [['embedded'], false],
  [['remote'], true],
])('with other projects of the services %j, the flag is for the one project alone: %s', async (others, isAlone) => {
  const { files } = await declare({ others });
  expect(files.map(({ text }) => text.includes('only_in')).at(0)).toBe(isAlone);
});

test('nothing is declared without a key', async () => {
  expect(await declare({ keys: [], texts: { 'flags/a.yaml': 'flags: { a: {} }\n' } })).toEqual({
    edited: [],
    files: [],
    added: [],
    left: [],
  });
});
