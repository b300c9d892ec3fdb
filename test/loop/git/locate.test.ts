/** What a path leads to in the files of a commit. `commit-tree.test.ts` compares it with real repositories. */

import { describe, expect, test } from 'vitest';
import { leaves, locate, parseTree, type StoredEntry, type StoredFiles } from '../../../src/loop/git/commit-tree.ts';
import type { Repository } from '../../../src/loop/git/repository.ts';

/** Paths of the commit. A link has its target; a folder is what other paths are in. */
const FILES: Readonly<Record<string, readonly [StoredEntry['kind'], string?]>> = {
  'flags/a.yaml': ['file'],
  'flags/deep/b.yaml': ['file'],
  'flags/link.yaml': ['link', 'deep/b.yaml'],
  'flags/up': ['link', '..'],
  'flags/far': ['link', '../../elsewhere'],
  'flags/absolute': ['link', '/repo/flags/deep'],
  'flags/system': ['link', '/etc'],
  'flags/circle': ['link', 'circle'],
  'flags/windows': ['link', String.raw`deep\b.yaml`],
  module: ['module'],
  constructor: ['file'] as const,
  ...Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`l${index + 1}`, ['link', `l${index}`] as const])),
  l0: ['link', 'flags/a.yaml'],
};

/** Ids are paths. */
const STORED: StoredFiles = {
  root: '',
  list: (id) => {
    const below = Object.keys(FILES).filter((path) => id === '' || path.startsWith(`${id}/`));
    const names = new Set(below.map((path) => path.slice(id === '' ? 0 : id.length + 1).split('/')[0] ?? ''));
    const entries = [...names].map((name): [string, StoredEntry] => {
      const path = id === '' ? name : `${id}/${name}`;
      return [name, { kind: FILES[path]?.[0] ?? 'folder', id: path }];
    });
    return Promise.resolve(new Map(entries));
  },
  read: (id) => {
    const bytes = Buffer.from(FILES[id]?.[1] ?? '');
    return Promise.resolve({ id, type: 'blob', size: bytes.length, bytes });
  },
};

const TOP = { top: '/repo', folder: '/repo', prefix: '' };

async function found(path: string, places: Partial<Repository> = TOP): Promise<unknown> {
  try {
    const located = await locate(path, places as Repository, STORED);
    return located.kind === 'outside' ? `outside ${located.path}` : [located.parts.join('/'), located.entry.kind];
  } catch (error) {
    return (error as { readonly code?: string }).code;
  }
}

describe('a path of a commit', () => {
  test.each([
    ['/repo', ['', 'folder']],
    ['/repo/flags/a.yaml', ['flags/a.yaml', 'file']],
    ['/repo/flags/link.yaml', ['flags/deep/b.yaml', 'file']],
    ['/repo/flags/up/module', ['module', 'module']],
    ['/repo/flags/absolute/b.yaml', ['flags/deep/b.yaml', 'file']],
    ['/repo/flags/windows', ['flags/deep/b.yaml', 'file']],
    ['/repo/flags/far/x.yaml', 'outside /elsewhere/x.yaml'],
    ['/repo/flags/system/hostname', 'outside /etc/hostname'],
    ['/other/x.yaml', 'outside /other/x.yaml'],
    ['/repo/constructor', ['constructor', 'file']],
    ['/repo/flags/toString', 'ENOENT'],
    ['/repo/flags/gone', 'ENOENT'],
    ['/repo/flags/a.yaml/x', 'ENOTDIR'],
    ['/repo/module/x', 'ESUBMODULE'],
    ['/repo/flags/circle', 'ELOOP'],
    ['/repo/l39', ['flags/a.yaml', 'file']],
    ['/repo/l40', 'ELOOP'],
  ])('%s', async (path, expected) => {
    expect(await found(path)).toEqual(expected);
  });

  test('is known below the folder and below the top, where a link leads to the folder', async () => {
    const places = { top: '/repo', folder: '/home/ana/link', prefix: 'flags' };
    expect(await found('/home/ana/link/a.yaml', places)).toEqual(['flags/a.yaml', 'file']);
    expect(await found('/repo/flags/a.yaml', places)).toEqual(['flags/a.yaml', 'file']);
    expect(await found('/home/ana/a.yaml', places)).toBe('outside /home/ana/a.yaml');
  });
});

test.each([
  ['..', true],
  ['../a', true],
  ['/a', true],
  ['', false],
  ['a/..', false],
  ['..a', false],
])('%j leaves where it begins: %s', (path, expected) => {
  expect(leaves(path)).toBe(expected);
});

describe('the entries of a folder', () => {
  const id = 'ab'.repeat(20);
  const entry = (mode: string, name: string, bytes = id): Buffer =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(bytes, 'hex')]);

  test('have their kind by their mode', () => {
    const modes = { a: '100644', b: '100755', c: '40000', d: '120000', e: '160000', 'f é': '100664' };
    const tree = Buffer.concat(Object.entries(modes).map(([name, mode]) => entry(mode, name)));
    const kinds = [...parseTree(tree, 'sha1')].map(([name, { kind }]) => `${name} ${kind}`);
    expect(kinds).toEqual(['a file', 'b file', 'c folder', 'd link', 'e module', 'f é file']);
  });

  test.each(['sha1', 'sha256'] as const)('have ids by %s, which may hold any byte', (hash) => {
    const long = (hash === 'sha1' ? '' : '00'.repeat(12)) + '0020'.repeat(10);
    const tree = Buffer.concat([entry('100644', 'a', long), entry('40000', 'b', long)]);
    expect([...parseTree(tree, hash)].map(([name, one]) => [name, one.id])).toEqual([
      ['a', long],
      ['b', long],
    ]);
  });

  test('leave out names that no checkout can have, and no others', () => {
    const names = ['', '.', '..', 'x/y', '../x', '...', '.git2', 'a'];
    const tree = Buffer.concat(names.map((name) => entry('100644', name)));
    expect([...parseTree(tree, 'sha1').keys()]).toEqual(['...', '.git2', 'a']);
  });

  test.each([
    ['an id that is cut off', entry('100644', 'a').subarray(0, -1)],
    ['no id', Buffer.from('100644 a\0')],
    ['no end of the name', Buffer.from('100644 a')],
    ['no name', Buffer.from('100644')],
    ['a rest', Buffer.concat([entry('100644', 'a'), Buffer.from('\n')])],
  ])('are no fewer than there were: %s', (_, bytes) => {
    expect(() => parseTree(bytes, 'sha1')).toThrow('the entries of a folder are damaged');
  });
});
