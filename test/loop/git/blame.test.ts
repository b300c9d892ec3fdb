import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blameLines } from '../../../src/loop/git/blame.ts';
import { writeCommit } from '../../../src/loop/git/refs.ts';
import { openRepository, type Repository } from '../../../src/loop/git/repository.ts';
import { cloneOf, createRepository, GIT_ENV, importFast, type TestRepository } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

async function open({ root }: Pick<TestRepository, 'root'>): Promise<Repository> {
  const opened = await openRepository({ folder: root, env: { ...GIT_ENV, HOME: root } });
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return opened.repository;
}

test('each line has the commit that changed it last; a line that differs has none', async () => {
  const made = createRepository({ 'flags/a.yaml': 'a\nb\nc\nnot asked for\n' });
  const first = made.git('rev-parse', 'HEAD');
  const second = made.commit({ 'flags/a.yaml': 'a\nB\nc\nnot asked for\n' });
  made.write('flags/a.yaml', 'a\nB\nnew\nnot asked for\n');
  const lines = await blameLines(await open(made), 'flags/a.yaml', [3, 1, 2]);
  const ana = { kind: 'commit', author: 'Ana <ana@example.com>', at: '2026-01-01T00:00:00.000Z' };
  expect(Object.fromEntries(lines)).toEqual(
    Object.fromEntries([
      [3, { kind: 'uncommitted' }],
      [1, { ...ana, commit: first, summary: expect.any(String) as string }],
      [2, { ...ana, commit: second, summary: expect.any(String) as string }],
    ]),
  );
});

test('lines that look like the words of git say nothing about a commit', async () => {
  const lines = ['author Eve', 'author-mail <eve@example.com>', 'author-time 7', 'summary forged', 'boundary'];
  const made = createRepository({ 'a.yaml': lines.map((line) => `${line}\n`).join('') });
  const blamed = await blameLines(await open(made), 'a.yaml', [1, 5]);
  expect([...blamed.values()]).toEqual(
    [1, 2].map(() => ({
      kind: 'commit',
      commit: made.git('rev-parse', 'HEAD'),
      author: 'Ana <ana@example.com>',
      at: '2026-01-01T00:00:00.000Z',
      summary: 'change',
    })),
  );
});

test('a commit whose id begins and ends with zeros is one', async () => {
  const made = createRepository({ 'a.yaml': 'a\n' });
  const text = `${made.git('cat-file', 'commit', 'HEAD')}\n`;
  const idOf = (one: string): string =>
    createHash('sha1')
      .update(`commit ${Buffer.byteLength(one)}\0${one}`)
      .digest('hex');
  const numbers = Array.from({ length: 20_000 }, (_, number) => `${text}${number}\n`);
  const found = numbers.find((one) => /^0.*0$/.test(idOf(one))) ?? '';
  const repository = await open(made);
  await writeCommit(repository, found);
  made.git('reset', '--quiet', '--hard', idOf(found));
  expect((await blameLines(repository, 'a.yaml', [1])).get(1)).toMatchObject({ kind: 'commit', commit: idOf(found) });
});

test('a file that is in no commit is not committed yet, also in a repository without commits', async () => {
  const made = createRepository({ 'a.yaml': 'a\n' });
  made.write('b.yaml', 'b\n');
  expect((await blameLines(await open(made), 'b.yaml', [1])).get(1)).toEqual({ kind: 'uncommitted' });
  const empty = createRepository();
  empty.write('b.yaml', 'b\n');
  expect((await blameLines(await open(empty), 'b.yaml', [1])).get(1)).toEqual({ kind: 'uncommitted' });
});

test('a file below a link is blamed where it is, and so is a link to a file', async () => {
  const made = createRepository({ 'common/a.yaml': 'a\nb\n' });
  const first = made.git('rev-parse', 'HEAD');
  mkdirSync(path.join(made.root, 'flags'));
  symlinkSync('../common', path.join(made.root, 'flags/folder'));
  symlinkSync('../common/a.yaml', path.join(made.root, 'flags/a.yaml'));
  made.commit();
  const around = createWorkspace().root;
  symlinkSync(path.join(made.root, 'flags'), path.join(around, 'link'));
  made.write('common/new.yaml', 'n\n');
  for (const folder of [path.join(made.root, 'flags'), path.join(around, 'link')]) {
    const repository = await open({ root: folder });
    for (const file of ['folder/a.yaml', 'a.yaml']) {
      expect((await blameLines(repository, file, [2])).get(2)).toMatchObject({ kind: 'commit', commit: first });
    }
    expect((await blameLines(repository, 'folder/new.yaml', [1])).get(1)).toEqual({ kind: 'uncommitted' });
  }
});

test('nothing is known of a file in a submodule, outside the checkout, or that is gone', async () => {
  const inner = createRepository({ 'a.yaml': 'a\n' });
  const made = createRepository({ 'b.yaml': 'b\n' });
  made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
  symlinkSync('sub', path.join(made.root, 'link'));
  const outside = createWorkspace({ 'x.yaml': 'x\n' });
  symlinkSync(outside.root, path.join(made.root, 'out'));
  made.commit();
  const repository = await open(made);
  const detailOf = async (file: string): Promise<unknown> => (await blameLines(repository, file, [1])).get(1);
  for (const [file, detail] of [
    ['sub/a.yaml', 'the file is in a submodule'],
    ['link/a.yaml', 'the file is in a submodule'],
    ['out/x.yaml', 'the file is not in the checkout'],
    ['gone.yaml', 'the file cannot be read'],
  ] as const) {
    expect(await detailOf(file)).toEqual({ kind: 'unknown', detail });
  }
});

test('more lines are asked for than a command line holds', async () => {
  const made = createRepository({ 'a.yaml': 'a\nb\n' });
  const lines = Array.from({ length: 200_000 }, () => 2);
  const commit = made.git('rev-parse', 'HEAD');
  expect((await blameLines(await open(made), 'a.yaml', lines)).get(2)).toMatchObject({ kind: 'commit', commit });
});

test('a line that the file does not have is unknown', async () => {
  const made = createRepository({ 'a.yaml': 'a\n' });
  expect((await blameLines(await open(made), 'a.yaml', [9])).get(9)).toMatchObject({ kind: 'unknown' });
});

test('a shallow clone does not know who changed older lines', async () => {
  const made = createRepository({ 'a.yaml': 'a\n' });
  made.commit({ 'a.yaml': 'a\nb\n' });
  made.commit({ 'a.yaml': 'a\nB\n' });
  const kinds = async (...options: string[]): Promise<unknown> =>
    [...(await blameLines(await open(cloneOf(made, ...options)), 'a.yaml', [1, 2])).values()].map(({ kind }) => kind);
  expect(await kinds('--depth=1')).toEqual(['unknown', 'unknown']);
  expect(await kinds()).toEqual(['commit', 'commit']);
  expect(await kinds('--depth=2')).toEqual(['unknown', 'commit']);
});

test('no program of a hostile repository is started', async () => {
  const made = createRepository({ 'a.yaml': 'a\n', '.gitattributes': '*.yaml filter=evil diff=evil\n' });
  for (const name of ['filter.evil.clean', 'filter.evil.smudge', 'diff.evil.textconv']) {
    made.git('config', name, 'sh -c "touch evil; cat"');
  }
  made.write('a.yaml', 'b\n');
  const repository = await open(made);
  expect((await blameLines(repository, 'a.yaml', [1])).get(1)).toEqual({
    kind: 'unknown',
    detail: 'the filter evil of git changes the file',
  });
  made.write('.gitattributes', '*.yaml diff=evil\n');
  expect((await blameLines(repository, 'a.yaml', [1])).get(1)).toEqual({ kind: 'uncommitted' });
  expect(existsSync(`${made.root}/evil`)).toBe(false);
});

test('an author without a name and a time beyond all dates are no error', async () => {
  const made = createRepository();
  importFast(
    made.root,
    'commit refs/heads/main\nauthor <nobody@example.com> 99999999999999 +0000\ncommitter C <c@example.com> 0 +0000\ndata 0\nM 644 inline a.yaml\ndata 2\na\n\n',
  );
  made.git('reset', '--quiet', '--hard');
  expect((await blameLines(await open(made), 'a.yaml', [1])).get(1)).toEqual({
    kind: 'commit',
    commit: made.git('rev-parse', 'HEAD'),
    author: '<nobody@example.com>',
    at: '+275760-09-13T00:00:00.000Z',
    summary: expect.any(String) as string,
  });
});

test('where git cannot tell the filters of the file, nothing is known', async () => {
  const repository = await open(createRepository({ 'a.yaml': 'a\n' }));
  const caller = { ...repository.caller, env: { PATH: '/nowhere' } };
  expect((await blameLines({ ...repository, caller }, 'a.yaml', [1])).get(1)).toEqual({
    kind: 'unknown',
    detail: 'git is not installed, or not on the PATH',
  });
});
