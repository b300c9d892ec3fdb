/** The files of a repository that people work on, on disk and in a commit. */

import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listCommit, listWorkingTree, type ListedFiles } from '../../../src/loop/git/code-files.ts';
import { createRepository, GIT_ENV } from '../../helpers/repository.ts';
import { openIn, repositoryOf } from './support.ts';

function listed(found: ListedFiles): Extract<ListedFiles, { kind: 'listed' }> {
  if (found.kind !== 'listed') throw new Error(found.detail);
  return found;
}

test('the files on disk and of a commit are those of people: no links, no ignored ones, no other repositories', async () => {
  const inner = createRepository({ 'in.ts': '' });
  const made = createRepository({
    '.gitignore': 'build/\n*.log\n',
    'src/a.ts': 'a',
    'src/a\nb "é".ts': 'b',
    'run.sh': '#!/bin/sh\n',
    'kept.log': '',
  });
  chmodSync(path.join(made.root, 'run.sh'), 0o755);
  symlinkSync('src/a.ts', path.join(made.root, 'link.ts'));
  symlinkSync('src', path.join(made.root, 'folder'));
  made.git('add', '--force', 'kept.log');
  made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'vendor/inner');
  const commit = made.commit();
  made.write('new/deep/c.ts', 'c');
  const odd = `100644 ${'a'.repeat(40)} 0\tname.ts`;
  made.write(odd, '');
  made.write('build/out.ts', '');
  made.write('error.log', '');
  made.write('src/a.ts', 'changed');
  mkdirSync(path.join(made.root, 'other'));
  made.git('clone', '--quiet', inner.root, 'other/nested');
  const blob = (file: string): string => made.git('rev-parse', `${commit}:${file}`);
  const committed = ['.gitignore', '.gitmodules', 'kept.log', 'run.sh', 'src/a\nb "é".ts', 'src/a.ts'].map((file) => ({
    file,
    blob: blob(file),
  }));
  const repository = await repositoryOf(path.join(made.root, 'src'));
  expect(await listCommit(repository, commit)).toEqual({
    kind: 'listed',
    files: committed,
    submodules: ['vendor/inner'],
    unreadable: [],
  });
  expect(await listWorkingTree(repository)).toEqual({
    kind: 'listed',
    files: [...committed, { file: odd }, { file: 'new/deep/c.ts' }],
    submodules: ['vendor/inner', 'other/nested'],
    unreadable: [],
  });
});

test('a file in conflict is listed once, and one that a sparse checkout lacks is marked', async () => {
  const made = createRepository({ 'a.ts': '1', 'far/b.ts': 'b' });
  made.git('checkout', '--quiet', '-b', 'other');
  made.commit({ 'a.ts': '2' });
  made.git('checkout', '--quiet', 'main');
  made.commit({ 'a.ts': '3' });
  expect(() => made.git('merge', '--quiet', 'other')).toThrow('Command failed');
  made.git('update-index', '--skip-worktree', 'far/b.ts');
  const { files } = listed(await listWorkingTree(await repositoryOf(made.root)));
  expect(files.map(({ file, isSparse }) => [file, isSparse])).toEqual([
    ['a.ts', undefined],
    ['far/b.ts', true],
  ]);
});

/** A git that says of its own files what it says of folders whose owner lets nobody in. */
const CLOSED_FOLDERS = `#!/bin/bash
PATH=\${PATH#*:}
if [[ "$*" == *--others* ]]; then
  echo "warning: could not open directory 'secret/': Permission denied" >&2
  echo "warning: could not open directory 'a b/c': Permission denied" >&2
fi
exec git "$@"
`;

test('folders that git cannot open are named', async () => {
  const made = createRepository({ 'a.ts': '', '.gitignore': 'bin\n', 'bin/git': CLOSED_FOLDERS });
  chmodSync(path.join(made.root, 'bin/git'), 0o755);
  const opened = await openIn(made.root, { PATH: `${path.join(made.root, 'bin')}:${GIT_ENV.PATH}` });
  if (opened.kind !== 'open') throw new Error(opened.kind);
  expect(listed(await listWorkingTree(opened.repository)).unreadable).toEqual(['secret', 'a b/c']);
});

test('where git gives no answer, nothing is listed', async () => {
  const repository = await repositoryOf(createRepository({ 'a.ts': '' }).root);
  const failed = (detail: string): unknown => ({ kind: 'failed', detail });
  expect(await listCommit(repository, 'a'.repeat(40))).toEqual(failed('fatal: not a tree object'));
  const missing = { ...repository, caller: { ...repository.caller, env: { PATH: '/nowhere' } } };
  expect(await listWorkingTree(missing)).toEqual(failed('git is not installed, or not on the PATH'));
  expect(await listCommit(missing, 'HEAD')).toEqual(failed('git is not installed, or not on the PATH'));
});
