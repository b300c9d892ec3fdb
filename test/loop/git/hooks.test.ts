/** Starts git for a change of refs, without hooks. */

import { chmodSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runWithoutHooks, writeRef } from '../../../src/loop/git/refs.ts';
import { createRepository, git } from '../../helpers/repository.ts';
import { callerIn, repositoryOf } from './support.ts';

const NAMES = ['evil', 'reference-transaction', 'a.b = c d', 'Ä'];

test('hooks of the configuration are off for the call, whatever their names are', async () => {
  const { root, git: call } = createRepository({ 'a.txt': 'a' });
  const user = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'hook.of-user.command', GIT_CONFIG_VALUE_0: 'true' };
  call('config', 'hook.jobs', '2');
  for (const name of NAMES.slice(0, 2)) call('config', `hook.${name}.command`, 'true');
  call('config', '--file', 'included', `hook.${NAMES[2]}.event`, 'pre-push');
  call('config', '--file', 'included', 'hook.Ä.enabled', 'true');
  call('config', 'include.path', path.join(root, 'included'));
  for (const name of [...NAMES, 'of-user']) {
    const run = await runWithoutHooks(callerIn(root, user), { args: ['config', '--get', `hook.${name}.enabled`] });
    expect([name, run]).toEqual([name, { kind: 'done', stdout: Buffer.from('false\n') }]);
  }
  // The settings of the user are still there.
  const run = await runWithoutHooks(callerIn(root, user), { args: ['config', '--get', 'hook.of-user.command'] });
  expect(run).toEqual({ kind: 'done', stdout: Buffer.from('true\n') });
});

test('no hook runs when a ref is written, of the folder of hooks or of the configuration', async () => {
  const { root, git: call, read, write } = createRepository({ 'a.txt': 'a' });
  const command = `touch ${path.join(root, 'ran')}`;
  write('.git/hooks/reference-transaction', `#!/bin/sh\n${command}\n`);
  chmodSync(path.join(root, '.git/hooks/reference-transaction'), 0o755);
  for (const name of ['evil', 'reference-transaction']) {
    call('config', `hook.${name}.command`, command);
    call('config', `hook.${name}.event`, 'reference-transaction');
  }
  const repository = await repositoryOf(root);
  expect(
    await writeRef(repository, 'refs/x/y', { commit: call('rev-parse', 'HEAD'), former: undefined }),
  ).toMatchObject({ kind: 'done' });
  expect(() => read('ran')).toThrow('ENOENT');
});

test('without hooks in the configuration, the call is made as it is; git that fails is told', async () => {
  const { root } = createRepository({ 'a.txt': 'a' });
  expect(await runWithoutHooks(callerIn(root), { args: ['rev-parse', '--is-bare-repository'] })).toEqual({
    kind: 'done',
    stdout: Buffer.from('false\n'),
  });
  expect(await runWithoutHooks(callerIn(root, { PATH: '/nowhere' }), { args: ['status'] })).toEqual({
    kind: 'missing',
    detail: 'git is not installed, or not on the PATH',
  });
  git(root, 'config', 'core.repositoryFormatVersion', '99');
  expect(await runWithoutHooks(callerIn(root), { args: ['status'] })).toMatchObject({ kind: 'failed', exit: 128 });
});
