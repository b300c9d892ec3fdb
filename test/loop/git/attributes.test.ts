import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blobName, blobNames, findFilters } from '../../../src/loop/git/code-files.ts';
import { createRepository, git } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { repositoryOf } from './support.ts';

test('files with a filter are named, below any folder and with any name', async () => {
  const { root, write } = createRepository({
    '.gitattributes': '*.secret.yaml filter=git-crypt\nteam/wide.yaml working-tree-encoding=UTF-16\n',
    'team/.gitattributes': 'plain.secret.yaml -filter\n',
    'team/a.yaml': '',
  });
  write('.git/info/attributes', 'local.yaml filter=lfs\n');
  const team = path.join(realpathSync(root), 'team');
  const repository = await repositoryOf(team);
  const files = ['a.yaml', 'x\ny.secret.yaml', 'plain.secret.yaml', 'wide.yaml', 'local.yaml', 'deep/b.secret.yaml'];
  const found = await findFilters(
    repository,
    files.map((file) => path.join(team, file)),
  );
  const named = found.kind === 'found' ? [...found.filters] : [];
  expect(Object.fromEntries(named.map(([file, filter]) => [path.relative(team, file), filter]))).toEqual({
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

test('content on disk has also the name that it has after git changed its line ends and keywords', async () => {
  const { root, write, git: run } = createRepository({ '.gitattributes': '*.yaml text eol=crlf ident\n' });
  const repository = await repositoryOf(root);
  for (const text of ['a\r\nb\r\n', '# $Id: 0123456789 $\r\na: é\r\n', '# $Id: x\ny $', '$Id: a$ $Id$ $Id: b$']) {
    write('x.yaml', text);
    expect(await blobNames(Buffer.from(text), repository, path.join(root, 'x.yaml'))).toContain(
      run('hash-object', 'x.yaml'),
    );
  }
  expect(await blobNames(Buffer.from('a\n'), repository, path.join(root, 'x.yaml'))).toHaveLength(1);
});

test('text that looks like a keyword is text, unless the attribute is set where the file is', async () => {
  const {
    root,
    write,
    git: run,
  } = createRepository({
    '.gitattributes': 'common/** ident\nflags/a.yaml ident=x\nflags/b.yaml -ident\n',
    'common/c.yaml': '',
  });
  symlinkSync('common', path.join(root, 'flags'));
  const repository = await repositoryOf(root);
  const bytes = Buffer.from('a: $Id: x$\n');
  const names = (file: string): Promise<readonly string[]> => blobNames(bytes, repository, path.join(root, file));
  for (const file of ['top.yaml', 'a.yaml', 'b.yaml']) {
    write(file, bytes.toString());
    expect(await names(file)).toEqual([run('hash-object', file)]);
  }
  write('common/c.yaml', bytes.toString());
  expect(await names('flags/c.yaml')).toContain(run('hash-object', 'common/c.yaml'));
  expect(await names('common/gone.yaml')).toHaveLength(1);
});

test('where git gives no answer, the filters are not known and no keyword is replaced; without files there is no question', async () => {
  const { root } = createRepository({ '.gitattributes': '* ident\n', 'a.yaml': '# $Id: x$\n' });
  const opened = await repositoryOf(root);
  const repository = { ...opened, caller: { ...opened.caller, env: { PATH: '/nowhere' } } };
  const file = path.join(root, 'a.yaml');
  expect(await findFilters(repository, [file])).toEqual({
    kind: 'failed',
    detail: 'git is not installed, or not on the PATH',
  });
  expect(await findFilters(repository, [])).toEqual({ kind: 'found', filters: new Map() });
  expect(await blobNames(Buffer.from('# $Id: x$\n'), repository, file)).toHaveLength(1);
  expect(await blobNames(Buffer.from('# $Id: x$\n'), opened, file)).toHaveLength(2);
});
