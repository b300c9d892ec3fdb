import { expect, test } from 'vitest';
import { defined } from '../../../src/base/optional.ts';
import { blobName } from '../../../src/loop/git/code-files.ts';
import { detailOf, runGit } from '../../../src/loop/git/run-git.ts';
import { createRepository } from '../../helpers/repository.ts';
import { callerIn } from './support.ts';

test('a call answers with its output or with the words of git', async () => {
  const { root } = createRepository({ 'a.txt': 'a' });
  const run = async (...args: string[]): Promise<unknown> => runGit(callerIn(root), { args });
  expect(await run('cat-file', 'blob', 'HEAD:a.txt')).toEqual({ kind: 'done', stdout: Buffer.from('a') });
  expect(await run('cat-file', 'blob', 'HEAD:b.txt')).toEqual({
    kind: 'failed',
    exit: 128,
    detail: "fatal: path 'b.txt' does not exist in 'HEAD'",
  });
});

test('a call has its own input and variables, and warnings beside its output', async () => {
  const { root, git } = createRepository();
  git('config', 'alias.say', '!echo "$SAID"; echo careful >&2');
  expect(await runGit(callerIn(root, { SAID: 'no' }), { args: ['say'], env: { SAID: 'yes' } })).toEqual({
    kind: 'done',
    stdout: Buffer.from('yes\n'),
    warnings: 'careful\n',
  });
  for (const input of ['é\n', undefined]) {
    const run = await runGit(callerIn(root), { args: ['hash-object', '--stdin'], ...defined({ input }) });
    const id = blobName(Buffer.from(input ?? ''), { hash: 'sha1' });
    expect(run).toEqual({ kind: 'done', stdout: Buffer.from(`${id}\n`) });
  }
});

test('a call is stopped when it takes too long, answers too much or is aborted', async () => {
  const { root, git } = createRepository({ 'a.txt': 'x'.repeat(100_000) });
  const call = { args: ['cat-file', 'blob', 'HEAD:a.txt'] };
  const signal = AbortSignal.abort();
  expect(await runGit(callerIn(root), { ...call, limits: { ms: 30_000, bytes: 1000 } })).toMatchObject({
    kind: 'stopped',
  });
  expect(await runGit({ ...callerIn(root), signal }, call)).toMatchObject({ kind: 'stopped' });
  // An alias of the user's own that never ends; its helper holds the pipes when git is gone.
  git('config', 'alias.wait', '!sleep 1000');
  const waited = await runGit(callerIn(root), { args: ['wait'], limits: { ms: 300, bytes: 1000 } });
  expect(waited).toMatchObject({ kind: 'stopped' });
  // Another process ends git.
  git('config', 'alias.die', '!kill -9 $PPID');
  expect(await runGit(callerIn(root), { args: ['die'] })).toMatchObject({ kind: 'stopped' });
});

test('without git, a call says so', async () => {
  const { root } = createRepository();
  expect(await runGit(callerIn(root, { PATH: '/nowhere' }), { args: ['status'] })).toEqual({
    kind: 'missing',
    detail: 'git is not installed, or not on the PATH',
  });
});

test.each([
  ['fatal: bad thing\nhint: more\n', 'fatal: bad thing'],
  [
    'remote: Permission denied to bot.\nfatal: unable to access',
    'remote: Permission denied to bot.; fatal: unable to access',
  ],
  ["fatal: unable to access 'https://user:secret@host/x.git/'", "fatal: unable to access 'https://host/x.git/'"],
  [
    'To file:///x\n ! [remote rejected] a -> b (hook declined)\nerror: failed to push',
    '! [remote rejected] a -> b (hook declined); error: failed to push',
  ],
  ['something else\n', 'something else'],
  ['one\n\n  two  \n\n', 'two'],
  ['x fatal: quoted\nmore', 'more'],
  ['fatal:\nlast', 'last'],
  ['error: a\nerror: b\nremote: c\nfatal: d\n', 'error: a; error: b; remote: c'],
  ['', 'git gives no reason'],
])('%j is told as %j', (stderr, detail) => {
  expect(detailOf(stderr)).toBe(detail);
});
