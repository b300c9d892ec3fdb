import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFormerConfig, nameIn, readIfThere, type FormerConfig } from '../../../src/cli/applied/former-config.ts';
import type { FileTree, TreeEntry } from '../../../src/base/file-tree.ts';
import type { Config, ProjectConfig } from '../../../src/config/config.ts';
import { GitError } from '../../../src/loop/git/objects.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const HOST = 'https://x.example';
const configOf = (id: string, name = 'main'): string =>
  `projects: { ${name}: { host: '${HOST}', project_id: '${id}' } }\n`;
const remote = (id: string, name = 'main', host = HOST): ProjectConfig =>
  ({ service: 'remote', name, host, projectId: id }) as ProjectConfig;

/** The files of a commit, by their path from the top; a value that is an error is thrown. */
function treeOf(top: string, files: Readonly<Record<string, string | Error | Uint8Array>>): FileTree {
  const missing = (): Error => Object.assign(new Error('none'), { code: 'ENOENT' });
  return {
    list: async (folder: string) => {
      const entries = new Map<string, TreeEntry>();
      for (const file of Object.keys(files)) {
        const [first = '', ...rest] = path.relative(folder, path.join(top, file)).split('/');
        if (first !== '..') entries.set(first, { name: first, kind: rest.length > 0 ? 'folder' : 'file' });
      }
      return Promise.resolve([...entries.values()]);
    },
    readFile: async (file: string) => {
      const found = files[path.relative(top, file)] ?? missing();
      if (found instanceof Error) throw found;
      return Promise.resolve(typeof found === 'string' ? Buffer.from(found) : found);
    },
  } as unknown as FileTree;
}

interface Given {
  readonly files: Readonly<Record<string, string | Error | Uint8Array>>;
  /** Of the configuration on disk, from the top. */
  readonly own?: string;
  readonly onDisk?: readonly string[];
  readonly project?: ProjectConfig;
}

async function find({
  files,
  own = 'flagwright.yaml',
  onDisk = [],
  project = remote('1'),
}: Given): Promise<{ readonly at: string; readonly config: Config | undefined } | undefined> {
  const { root: top } = createWorkspace();
  for (const file of onDisk) {
    mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
    writeFileSync(path.join(top, file), '');
  }
  const { session } = watchSession({ context: { cwd: top } });
  session.places.root = top;
  const named = { path: path.join(top, own), project };
  const found: FormerConfig | undefined = await findFormerConfig(session, { tree: treeOf(top, files), top }, named);
  return found && { at: path.relative(top, found.path), config: found.config };
}

describe('the configuration at a commit', () => {
  test.each<[string, Given, string | undefined]>([
    [
      'has the same name',
      { files: { 'flagwright.yaml': configOf('1'), 'flagwright.yml': configOf('1') } },
      'flagwright.yaml',
    ],
    ['has the same name, whatever projects it has', { files: { 'flagwright.yaml': configOf('9') } }, 'flagwright.yaml'],
    [
      'has a usual name in its folder',
      { files: { 'a/flagwright.yml': configOf('9') }, own: 'a/eu.yaml' },
      'a/flagwright.yml',
    ],
    [
      'precedes another usual name',
      { files: { 'flagwright.yml': configOf('1'), 'flagwright.yaml': configOf('1') }, own: 'flagwright.yml' },
      'flagwright.yml',
    ],
    [
      'is in another folder, of the same project',
      { files: { 'b/flagwright.yaml': configOf('1') } },
      'b/flagwright.yaml',
    ],
    ['is far below', { files: { 'b/c/flagwright.yml': configOf('1') } }, 'b/c/flagwright.yml'],
    ['has its own name elsewhere', { files: { 'b/eu.yaml': configOf('1') }, own: 'eu.yaml' }, 'b/eu.yaml'],
    ['is none of another name elsewhere', { files: { 'b/eu.yaml': configOf('1') } }, undefined],
    ['is none of another project elsewhere', { files: { 'b/flagwright.yaml': configOf('2') } }, undefined],
    ['is none that cannot be read elsewhere', { files: { 'b/flagwright.yaml': ': [' } }, undefined],
    ['is no file of that name', { files: { 'b/flagwright.yaml/x': configOf('1') } }, undefined],
    ['is missing', { files: {} }, undefined],
    [
      'is unknown where two of the project are still there',
      {
        files: { 'a/flagwright.yaml': configOf('1'), 'b/flagwright.yaml': configOf('1') },
        onDisk: ['a/flagwright.yaml', 'b/flagwright.yaml'],
      },
      undefined,
    ],
    [
      'is the one of two that is gone',
      {
        files: { 'a/flagwright.yaml': configOf('1'), 'b/flagwright.yaml': configOf('1') },
        onDisk: ['a/flagwright.yaml'],
      },
      'b/flagwright.yaml',
    ],
    [
      'is the only one, though it is still there',
      { files: { 'a/flagwright.yaml': configOf('1') }, onDisk: ['a/flagwright.yaml'] },
      'a/flagwright.yaml',
    ],
  ])('%s', async (_, given, at) => {
    expect((await find(given))?.at).toBe(at);
  });

  test('is an error where several of the project are gone', async () => {
    const files = {
      'b/flagwright.yaml': configOf('1'),
      'a/flagwright.yml': configOf('1'),
      'c/flagwright.yaml': configOf('2'),
    };
    await expect(find({ files })).rejects.toMatchObject({
      code: 'config_invalid',
      message:
        'Several configurations that declared main at the base are gone, so it is unknown whose policies count: b/flagwright.yaml, a/flagwright.yml.',
      remedy: 'Move one of them at a time.',
    });
  });

  test.each<[string, string | Uint8Array, boolean]>([
    ['a configuration', configOf('1'), true],
    ['an empty file', '', true],
    ['no UTF-8', new Uint8Array([0xff, 0xfe, 0xff]), false],
    ['no YAML', 'a: [', false],
    ['two documents', `${configOf('1')}---\n${configOf('2')}`, false],
    ['an unknown member', `${configOf('1')}polices: {}\n`, false],
    [
      'an expression that cannot be read',
      `${configOf('1')}policies: { rules: [{ name: mine, when: 'a ==', message: No }] }\n`,
      false,
    ],
  ])('with %s is read or not', async (_, text, isRead) => {
    const found = await find({ files: { 'flagwright.yaml': text } });
    expect(found?.at).toBe('flagwright.yaml');
    expect(found?.config !== undefined).toBe(isRead);
  });

  test('that git cannot read is not absent', async () => {
    const damaged = new GitError('bad object');
    await expect(find({ files: { 'flagwright.yaml': damaged } })).rejects.toThrow(damaged);
    const tree = treeOf('/r', { a: damaged, b: 'text' });
    await expect(readIfThere(tree, '/r/a')).rejects.toThrow(damaged);
    expect(await readIfThere(tree, '/r/c')).toBeUndefined();
    expect(Buffer.from((await readIfThere(tree, '/r/b')) ?? []).toString()).toBe('text');
  });
});

describe('the name of a project in another configuration', () => {
  const embedded = (name: string): ProjectConfig => ({ service: 'embedded', name, projectId: '1' }) as ProjectConfig;
  const config = (...projects: readonly ProjectConfig[]): Config =>
    ({ projects: Object.fromEntries(projects.map((one) => [one.name, one])) }) as unknown as Config;

  test.each<[string, Config, ProjectConfig, string]>([
    ['of the same address', config(remote('2', 'two'), remote('1', 'old')), remote('1', 'new'), 'old'],
    ['of another project', config(remote('2', 'old')), remote('1', 'new'), 'new'],
    ['of another address', config(remote('1', 'old', 'https://y.example')), remote('1', 'new'), 'old'],
    [
      'of another project at another address',
      config(remote('2', 'old', 'https://y.example')),
      remote('1', 'new'),
      'new',
    ],
    ['of the current project', config(remote('1', 'old')), remote('@current', 'new'), 'old'],
    [
      'of the same host, written otherwise',
      config(remote('1', 'old', 'https://X.example.:443')),
      remote('1', 'new'),
      'old',
    ],
    ['of an embedded project with another name', config(embedded('old')), embedded('new'), 'new'],
    ['without projects', config(), remote('1', 'new'), 'new'],
  ])('%s', (_, former, project, name) => {
    expect(nameIn(former, project)).toBe(name);
  });

  test('of one that may be any of several is not guessed', () => {
    const several = config(remote('1', 'one'), remote('2', 'two'));
    expect(() => nameIn(several, remote('@current', 'new'))).toThrow('several projects that new may be: one, two');
  });
});
