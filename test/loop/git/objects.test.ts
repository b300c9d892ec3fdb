import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openObjects, type Objects } from '../../../src/loop/git/objects.ts';
import { createRepository, GIT_ENV } from '../../helpers/repository.ts';
import { until } from '../../helpers/until.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { callerIn } from './support.ts';

function open(folder: string, env?: Readonly<Record<string, string>>): Objects {
  const objects = openObjects(callerIn(folder, env));
  onTestFinished(() => objects.close());
  return objects;
}

test('answers many questions in their order', async () => {
  const { root, git } = createRepository({ 'a.txt': 'content\nwith lines\n', 'empty.txt': '' });
  git('tag', '--annotate', '--message=tag', 'v1');
  const objects = open(root);
  const names = [
    'HEAD:a.txt',
    'gone',
    'HEAD',
    'v1',
    'HEAD^{tree}',
    'HEAD:empty.txt',
    'v1^{commit}',
    'HEAD:a.txt^{commit}',
  ];
  const answers = await Promise.all(names.map((name) => objects.read(name)));
  expect(answers.map((answer) => answer?.type)).toEqual([
    'blob',
    undefined,
    'commit',
    'tag',
    'tree',
    'blob',
    'commit',
    undefined,
  ]);
  expect(answers[0]?.bytes?.toString()).toBe('content\nwith lines\n');
  expect(answers[5]).toMatchObject({ size: 0, bytes: Buffer.alloc(0) });
  expect(answers[6]?.id).toBe(git('rev-parse', 'HEAD'));
});

test('takes a name with a line break as one that is missing', async () => {
  const { root } = createRepository({ 'a.txt': 'a' });
  const objects = open(root);
  expect(await Promise.all([objects.read('HEAD\nHEAD:a.txt'), objects.read('HEAD:a.txt')])).toMatchObject([
    undefined,
    { size: 1 },
  ]);
});

test('ignores objects that replace others', async () => {
  const { root, git, commit } = createRepository({ 'a.txt': 'before' });
  const first = git('rev-parse', 'HEAD');
  git('replace', first, commit({ 'a.txt': 'after' }));
  expect((await open(root).read(`${first}:a.txt`))?.bytes?.toString()).toBe('before');
});

test('takes a damaged object as one that is missing', async () => {
  const { root, git } = createRepository({ 'a.txt': 'a' });
  const id = git('rev-parse', 'HEAD:a.txt');
  rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
  writeFileSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)), 'damaged');
  const objects = open(root);
  expect(await objects.read(id)).toBeUndefined();
  expect(await objects.read('HEAD')).toMatchObject({ type: 'commit' });
});

test('rejects with the words of git where git does not read the repository', async () => {
  await expect(open(createWorkspace().root).read('HEAD')).rejects.toThrow(/^fatal: not a git repository/);
});

test('rejects without git', async () => {
  const { root } = createRepository({ 'a.txt': 'a' });
  await expect(open(root, { PATH: '' }).read('HEAD')).rejects.toThrow('ENOENT');
});

test('rejects when it was closed or aborted', async () => {
  const { root } = createRepository({ 'a.txt': 'a' });
  const objects = open(root);
  objects.close();
  await expect(objects.read('HEAD')).rejects.toThrow();
  const waiting = open(root);
  const answer = waiting.read('HEAD');
  waiting.close();
  await expect(answer).rejects.toThrow();
  const controller = new AbortController();
  const aborted = openObjects({ ...callerIn(root), signal: controller.signal });
  controller.abort();
  await expect(aborted.read('HEAD')).rejects.toThrow();
});

test('ends a git that answers nothing, when it is closed', async () => {
  const { root, write, read } = createWorkspace({
    'bin/git': '#!/bin/bash\necho $$ > pid.new; mv pid.new pid\nexec sleep 1000\n',
  });
  chmodSync(path.join(root, 'bin/git'), 0o755);
  write('pid', '');
  const objects = openObjects(callerIn(root, { PATH: `${path.join(root, 'bin')}:${GIT_ENV.PATH}` }));
  const answer = objects.read('HEAD');
  await until(() => expect(read('pid')).not.toBe(''));
  objects.close();
  await expect(answer).rejects.toThrow('git was ended');
  await until(() => expect(isAlive(Number(read('pid')))).toBe(false));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
