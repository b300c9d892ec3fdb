import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blobName, blobNames } from '../../src/git/blob-name.ts';
import { findFilters } from '../../src/git/filters.ts';
import { createRepository, git } from '../helpers/repository.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { repositoryOf } from './support.ts';

test('files with a filter are named, below any folder and with any name', async () => {
  const { root, write } = createRepository({
    '.gitattributes': '*.secret.yaml filter=git-crypt\nteam/wide.yaml working-tree-encoding=UTF-16\n',
    'team/.gitattributes': 'plain.secret.yaml -filter\n',
    'team/a.yaml': '',
  });
  write('.git/info/attributes', 'local.yaml filter=lfs\n');
  const repository = await repositoryOf(path.join(root, 'team'));
  const files = ['a.yaml', 'x\ny.secret.yaml', 'plain.secret.yaml', 'wide.yaml', 'local.yaml', 'deep/b.secret.yaml'];
  const found = await findFilters(repository, files);
  expect(found.kind === 'found' && Object.fromEntries(found.filters)).toEqual({
    'x\ny.secret.yaml': 'git-crypt',
    'wide.yaml': 'working-tree-encoding=UTF-16',
    'local.yaml': 'lfs',
    'deep/b.secret.yaml': 'git-crypt',
  });
  expect(await findFilters(repository, [])).toEqual({ kind: 'found', filters: new Map() });
});

test.each(['sha1', 'sha256'] as const)('content has the name that git gives it by %s', (hash) => {
  const { root } = createWorkspace();
  git(root, 'init', '--quiet', `--object-format=${hash}`);
  for (const text of ['', 'a\n', 'é\r\n', '\u0000']) {
    writeFileSync(path.join(root, 'x'), text);
    expect(blobName(Buffer.from(text), { hash })).toBe(git(root, 'hash-object', '--no-filters', 'x'));
  }
});

test('content on disk has also the name that it has after git changed its line ends and keywords', () => {
  const { write, git: run } = createRepository({ '.gitattributes': '*.yaml text eol=crlf ident\n' });
  for (const text of ['a\r\nb\r\n', '# $Id: 0123456789 $\r\na: é\r\n']) {
    write('x.yaml', text);
    expect(blobNames(Buffer.from(text), { hash: 'sha1' })).toContain(run('hash-object', 'x.yaml'));
  }
  expect(blobNames(Buffer.from('a\n'), { hash: 'sha1' })).toHaveLength(1);
});
