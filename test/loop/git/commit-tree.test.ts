/** Manifests in a commit are found and read exactly as the same files on disk. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { diskSource, treeSource } from '../../../src/core/manifest/tree-source.ts';
import type { ManifestSource } from '../../../src/core/manifest/source.ts';
import { createRepository, git, GIT_ENV, type TestRepository } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { treeOf } from './support.ts';

/** What a source finds, with the text of each file or the problem with it. */
async function contentOf(source: ManifestSource, patterns: readonly string[]): Promise<unknown> {
  const { files, diagnostics } = await source.find(patterns);
  const texts = await Promise.all(
    files.map(async (file) => {
      const read = await source.read(file);
      return [file, 'text' in read ? read.text : read.problem];
    }),
  );
  return { texts, diagnostics };
}

async function bothWays(
  { root }: Pick<TestRepository, 'root'>,
  commit: string,
  ...patterns: string[]
): Promise<unknown> {
  const found = await contentOf(treeSource(root, await treeOf(root, commit)), patterns);
  expect(found).toEqual(await contentOf(diskSource(root), patterns));
  return found;
}

const ALL = 'flags/**/*.{yaml,yml}';

describe('a commit has the files of the disk', () => {
  test('by any pattern', async () => {
    const repository = createRepository();
    const commit = repository.commit({
      'flags/a.yaml': 'a',
      'flags/deep/er/b.yml': 'b',
      'flags/.hidden.yaml': 'h',
      'flags/.d/c.yaml': 'c',
      'flags/x.txt': 'x',
      'flags/empty.yaml': '',
      'flags/bom.yaml': '\ufeffbom',
      'other/d.yaml': 'd',
    });
    await expect(bothWays(repository, commit, ALL)).resolves.toMatchObject({ texts: { length: 4 } });
    for (const patterns of [
      ['**/*.yaml'],
      ['flags/*.yaml', '!flags/a.*'],
      ['./flags/a.yaml', path.join(repository.root, 'other/*.yaml')],
      ['flags/a.yaml', 'flags/gone.yaml'],
      ['flags'],
      ['flags/[ab].yaml', 'flags/{deep,other}/**'],
      ['nothing/*.yaml'],
      ['../*.yaml', 'flags/.*.yaml'],
    ]) {
      await bothWays(repository, commit, ...patterns);
    }
  });

  test('with names that no shell likes', async () => {
    const repository = createRepository();
    const commit = repository.commit({
      'flags/new\nline.yaml': 'n',
      'flags/-rf.yaml': 'r',
      'flags/"quoted" \\ é 日.yaml': 'q',
      'flags/$(touch ran).yaml': 't',
      'flags/\u001b[31m.yaml': 'e',
    });
    await expect(bothWays(repository, commit, ALL)).resolves.toMatchObject({ texts: { length: 5 } });
  });

  test('with links, inside and out', async () => {
    const repository = createRepository();
    const { root } = repository;
    mkdirSync(path.join(root, 'flags'));
    const link = (target: string, name: string): void => symlinkSync(target, path.join(root, name));
    link('../shared/a.yaml', 'flags/a.yaml');
    link('../shared', 'flags/folder');
    link('folder/deep/../a.yaml', 'flags/through.yaml');
    link(path.join(root, 'shared/a.yaml'), 'flags/absolute.yaml');
    link('gone.yaml', 'flags/dangling.yaml');
    link('circle.yaml', 'flags/circle.yaml');
    link('a.yaml/x', 'flags/below-a-file.yaml');
    const outside = path.join(createWorkspace({ 'x.yaml': '' }).root, 'x.yaml');
    link(path.relative(path.join(root, 'flags'), outside), 'flags/outside.yaml');
    link('/etc/hostname', 'flags/system.yaml');
    link('..', 'flags/up');
    const commit = repository.commit({ 'shared/a.yaml': 'shared', 'shared/deep/b.yaml': 'deep' });
    await expect(bothWays(repository, commit, ALL)).resolves.toMatchObject({
      texts: expect.arrayContaining([
        ['flags/a.yaml', 'shared'],
        ['flags/absolute.yaml', 'shared'],
        ['flags/folder/deep/b.yaml', 'deep'],
      ]),
    });
  });

  test('below a folder that is a repository of another configuration', async () => {
    const repository = createRepository();
    const commit = repository.commit({ 'team/flags/a.yaml': 'a', 'shared.yaml': 's' });
    const root = path.join(repository.root, 'team');
    symlinkSync('../../shared.yaml', path.join(root, 'flags/link.yaml'));
    const linked = repository.commit();
    expect(await bothWays({ root }, commit, 'flags/a.yaml')).toMatchObject({ texts: [['flags/a.yaml', 'a']] });
    expect(await bothWays({ root }, linked, ALL)).toMatchObject({
      texts: [
        ['flags/a.yaml', 'a'],
        ['flags/link.yaml', { code: 'file-outside' }],
      ],
    });
  });

  test('of a repository by SHA-256, whose objects are packed', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': 'a', 'flags/deep/b.yaml': 'b' });
    git(root, 'init', '--quiet', '--object-format=sha256');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '--message=x');
    git(root, 'gc', '--quiet');
    await bothWays({ root }, git(root, 'rev-parse', 'HEAD'), ALL);
  });

  test('that are too large or no text', async () => {
    const repository = createRepository();
    const commit = repository.commit({
      'flags/large.yaml': '#'.repeat(10_000_001),
      'flags/larger.yaml': '#'.repeat(20_000_001),
      'flags/utf16.yaml': '\u0000a\u0000b',
      'flags/z.yaml': 'z',
    });
    await expect(bothWays(repository, commit, ALL)).resolves.toMatchObject({ texts: { length: 4 } });
  });
});

test('an earlier commit has its own files', async () => {
  const repository = createRepository();
  const commit = repository.commit({ 'flags/a.yaml': 'before', 'flags/b.yaml': 'b' });
  repository.write('flags/a.yaml', 'after');
  repository.git('rm', '--quiet', 'flags/b.yaml');
  repository.commit();
  expect(await contentOf(treeSource(repository.root, await treeOf(repository.root, commit)), [ALL])).toEqual({
    texts: [
      ['flags/a.yaml', 'before'],
      ['flags/b.yaml', 'b'],
    ],
    diagnostics: [],
  });
});

test('a submodule is not read, and is reported', async () => {
  const inner = createRepository({ 'a.yaml': '' });
  const outer = createRepository();
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'flags/inner');
  const commit = outer.commit();
  const source = treeSource(outer.root, await treeOf(outer.root, commit));
  expect(await contentOf(source, [ALL])).toMatchObject({
    diagnostics: [{ code: 'file-unreadable', place: { file: 'flags/inner' }, args: { reason: 'ESUBMODULE' } }],
  });
  expect(await contentOf(source, ['flags/*.yaml'])).toMatchObject({ diagnostics: [{ code: 'manifests-none' }] });
});

test('what is asked for in another form than it has fails as on disk', async () => {
  const inner = createRepository({ 'a.yaml': '' });
  const outer = createRepository({ 'flags/a.yaml': 'a', large: 'x'.repeat(20_000_001) });
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner');
  const tree = await treeOf(outer.root, outer.commit());
  const at = (name: string): string => path.join(outer.root, name);
  await expect(tree.list(at('flags/a.yaml'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(tree.readFile(at('flags'))).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(tree.readFile(at('large'))).rejects.toMatchObject({ code: 'EFBIG' });
  await expect(tree.stat(at('inner/a.yaml'))).rejects.toMatchObject({ code: 'ESUBMODULE' });
  await expect(tree.stat('/etc')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await tree.realpath('/etc')).toBe('/etc');
  expect(await tree.stat(at('flags'))).toEqual({ kind: 'folder', size: 0 });
  expect(await tree.stat(at('inner'))).toEqual({ kind: 'folder', size: 0 });
  expect(await tree.stat(at('large'))).toEqual({ kind: 'file', size: 20_000_001 });
  expect(await tree.blobOf(at('flags/gone.yaml'))).toBeUndefined();
  expect(await tree.blobOf(at('flags'))).toBeUndefined();
  expect(await tree.blobOf(at('flags/a.yaml'))).toBe(outer.git('rev-parse', 'HEAD:flags/a.yaml'));
});

test('names that no checkout can have are left out, and a damaged folder is no shorter one', async () => {
  const repository = createRepository({ 'a.yaml': 'a' });
  const { root } = repository;
  const id = Buffer.from(repository.git('rev-parse', 'HEAD:a.yaml'), 'hex');
  const entry = (name: string): Buffer => Buffer.concat([Buffer.from(`100644 ${name}\0`), id]);
  const committed = async (...entries: Buffer[]): Promise<unknown> => {
    const input = Buffer.concat(entries);
    const options = { cwd: root, env: { ...GIT_ENV, HOME: root }, encoding: 'utf8', input } as const;
    const tree = execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'], options).trim();
    const commit = repository.git('commit-tree', '-m', 'x', tree);
    return contentOf(treeSource(root, await treeOf(root, commit)), ['**/*.yaml']);
  };
  const names = ['a.yaml', '..', '.', 'x/../../b.yaml', ''].map(entry);
  expect(await committed(...names)).toEqual({ texts: [['a.yaml', 'a']], diagnostics: [] });
  for (const damaged of [entry('b.yaml').subarray(0, -1), Buffer.from('100644'), Buffer.from('100644 b.yaml')]) {
    expect(await committed(entry('a.yaml'), damaged)).toMatchObject({
      diagnostics: [{ code: 'file-unreadable', args: { reason: 'EGIT' } }],
    });
  }
});

test('a commit whose objects are gone is reported', async () => {
  const { root } = createRepository({ 'flags/a.yaml': '' });
  const source = treeSource(root, await treeOf(root, 'f'.repeat(40)));
  await expect(source.find([ALL])).resolves.toMatchObject({
    diagnostics: [{ code: 'file-unreadable', args: { reason: 'EGIT' } }],
  });
});

test('no program of the repository is started', async () => {
  const repository = createRepository({ 'flags/a.yaml': 'a' });
  const { root } = repository;
  const command = `touch ${path.join(root, 'ran')}`;
  for (const hook of ['post-index-change', 'reference-transaction', 'pre-push', 'post-checkout']) {
    repository.write(`.git/hooks/${hook}`, `#!/bin/sh\n${command}\n`);
    chmodSync(path.join(root, '.git/hooks', hook), 0o755);
  }
  for (const [name, value] of Object.entries({
    'core.fsmonitor': command,
    'core.pager': command,
    'pager.cat-file': command,
    'core.editor': command,
    'alias.cat-file': `!${command}`,
    'alias.rev-parse': `!${command}`,
    'filter.evil.clean': command,
    'filter.evil.smudge': command,
    'filter.evil.process': command,
    'filter.evil.required': 'true',
    'diff.evil.textconv': command,
    'diff.external': command,
  })) {
    git(root, 'config', name, value);
  }
  repository.write('.gitattributes', '* filter=evil diff=evil\n');
  const commit = git(root, 'rev-parse', 'HEAD');
  expect(await contentOf(treeSource(root, await treeOf(root, commit)), [ALL])).toEqual({
    texts: [['flags/a.yaml', 'a']],
    diagnostics: [],
  });
  expect(() => repository.read('ran')).toThrow('ENOENT');
  // git by itself starts it. The command is no filter and no monitor, so git may fail then.
  try {
    git(root, 'status');
  } catch {}
  expect(repository.read('ran')).toBe('');
});
