import { describe, expect, test } from 'vitest';
import { commitSource, createKnownFiles, type KnownFiles } from '../../../src/cli/project/known-files.ts';
import { blobName } from '../../../src/loop/git/code-files.ts';
import { type CommitTree, failure, IN_SUBMODULE } from '../../../src/loop/git/commit-tree.ts';
import type { Repository } from '../../../src/loop/git/repository.ts';
import type { ParsedFile } from '../../../src/core/manifest/source.ts';

const repository = { hash: 'sha1', folder: '/repo', top: '/repo', caller: {} } as unknown as Repository;
const parsedOf = (file: string): ParsedFile => ({ file: { file } }) as unknown as ParsedFile;
const blobOf = (text: string): string => blobName(Buffer.from(text), repository);

function knowing(files: Readonly<Record<string, string | undefined>>): KnownFiles {
  const known = createKnownFiles();
  for (const [file, text] of Object.entries(files)) {
    known.remember({ parsed: parsedOf(file), ...(text === undefined ? {} : { bytes: Buffer.from(text) }) });
  }
  return known;
}

describe('a file that was read from disk', () => {
  const known = knowing({ 'b.yaml': 'b\n', 'a.yaml': 'a\r\n', 'typed.yaml': undefined });

  test('is listed in the order of reading', () => {
    expect(known.names()).toEqual(['b.yaml', 'a.yaml', 'typed.yaml']);
    expect(createKnownFiles().names()).toEqual([]);
  });

  test.each<[string, string, string | undefined, boolean]>([
    ['of the same content', 'b.yaml', blobOf('b\n'), true],
    ['as it is stored with other line ends', 'a.yaml', blobOf('a\n'), true],
    ['as it is on disk', 'a.yaml', blobOf('a\r\n'), true],
    ['of other content', 'b.yaml', blobOf('c\n'), false],
    ['of another file', 'b.yaml', blobOf('a\n'), false],
    ['that the commit lacks', 'b.yaml', undefined, false],
    ['that was not read', 'c.yaml', blobOf('b\n'), false],
    ['that is not from disk', 'typed.yaml', blobOf('b\n'), false],
  ])('is recognised in a commit %s: %s', async (_, file, blob, isSame) => {
    expect((await known.sameAs(file, blob, repository))?.file.file).toBe(isSame ? file : undefined);
    expect((await known.sameAs(file, blob, repository)) === undefined).toBe(!isSame);
  });
});

describe('the manifests of a commit', () => {
  const FOLDERS: Readonly<Record<string, readonly string[]>> = { '/repo': ['flags', 'own'], '/repo/own': [] };
  const treeWith = (code: string, blobs: Readonly<Record<string, string>> = {}): CommitTree =>
    ({
      list: async (folder: string) => {
        const names = FOLDERS[folder.replace(/\/$/, '')];
        if (names === undefined) throw failure(code);
        return Promise.resolve(names.map((name) => ({ name, kind: 'folder' })));
      },
      realpath: async (path: string) => Promise.resolve(path),
      stat: async () => Promise.resolve({ kind: 'folder', size: 0 }),
      blobOf: async (path: string) => Promise.resolve(blobs[path]),
    }) as unknown as CommitTree;
  const problems = async (code: string, known: KnownFiles): Promise<readonly string[]> => {
    const source = commitSource('/repo', treeWith(code), { repository, known });
    return (await source.find(['flags/*.yaml', 'own/*.yaml'])).diagnostics.map((one) => one.code);
  };

  test.each<[string, string, readonly string[], boolean]>([
    ['a submodule without a manifest on disk', IN_SUBMODULE, ['own/a.yaml', 'flags2/a.yaml', 'x/flags/a.yaml'], false],
    ['a submodule with one of several manifests', IN_SUBMODULE, ['own/a.yaml', 'flags/a.yaml'], true],
    ['another folder that cannot be read', 'EACCES', [], true],
  ])('have a problem with %s', async (_, code, files, isProblem) => {
    const known = knowing(Object.fromEntries(files.map((file) => [file, ''])));
    expect(await problems(code, known)).toEqual(isProblem ? ['file-unreadable'] : []);
  });

  test('are those of the disk where their content is the same', async () => {
    const tree = treeWith('ENOENT', { '/repo/flags/a.yaml': blobOf('a\n'), '/repo/flags/b.yaml': blobOf('other\n') });
    const known = knowing({ 'flags/a.yaml': 'a\n', 'flags/b.yaml': 'b\n' });
    const source = commitSource('/repo', tree, { repository, known });
    expect((await source.parsed?.('flags/a.yaml'))?.file.file).toBe('flags/a.yaml');
    expect(await source.parsed?.('flags/b.yaml')).toBeUndefined();
    expect(await source.parsed?.('flags/c.yaml')).toBeUndefined();
  });
});
