/** How a document of a run is kept out of commits. */

import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ignoreFile } from '../../../src/cli/session/ignore-file.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import { createRepository } from '../../helpers/repository.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

function sessionIn(cwd: string, env: Readonly<Record<string, string | undefined>> = process.env) {
  const secrets = createSecrets();
  secrets.add('12345678');
  const { session, said } = watchSession({ context: { cwd, env, randomUuid: () => '0' } });
  const life = { holder: { pid: 1, host: 'here' }, isAlive: () => false };
  return { session: { ...session, places: { root: cwd }, secrets, life }, said };
}

test.each([
  ['.flagwright/plan.json', '.flagwright/.gitignore'],
  ['sub/.flagwright/more/plan.json', 'sub/.flagwright/.gitignore'],
  ['.flagwright/more/.flagwright/plan.json', '.flagwright/more/.flagwright/.gitignore'],
])('%s is ignored by %s, which is said nowhere', async (file, ignore) => {
  const { root, read } = createWorkspace({ [file]: '{}' });
  const { session, said } = sessionIn(root);
  await ignoreFile(session, file);
  expect([read(ignore), said]).toEqual(['*\n', []]);
});

test('another document is ignored by this clone, which is said once', async () => {
  const { root, git } = createRepository({ 'sub/.keep': '', 'plan.json': '{}' });
  git('rm', '-q', '--cached', 'plan.json');
  const { session, said } = sessionIn(path.join(root, 'sub'));
  await ignoreFile(session, '../plan.json');
  const excludes = path.join(root, '.git/info/exclude');
  expect(said).toEqual([`note git ignores ../plan.json in this clone now (${excludes}).\n`]);
  await ignoreFile(session, '../plan.json');
  expect([said.length, existsSync(path.join(root, '.gitignore'))]).toEqual([1, false]);
});

test('a folder that is gone fails nothing', async () => {
  const { root } = createWorkspace();
  const { session, said } = sessionIn(root);
  await ignoreFile(session, 'nowhere/plan.json');
  expect(said).toEqual([]);
});

test('git gets no variable that holds a key, and the others', async () => {
  const { root, read, write } = createRepository();
  const files = { 'bin/git': '#!/bin/sh\nenv > "$SEEN"\nexit 1\n', 'plan.json': '{}' };
  for (const [file, text] of Object.entries(files)) write(file, text);
  chmodSync(path.join(root, 'bin/git'), 0o755);
  const PATH = [path.join(root, 'bin'), process.env['PATH']].join(path.delimiter);
  const { session } = sessionIn(root, {
    PATH,
    SEEN: path.join(root, 'seen'),
    KEY: '12345678',
    OTHER: 'other',
    NONE: undefined,
  });
  await ignoreFile(session, 'plan.json');
  const names = read('seen').match(/^\w+(?==)/gm);
  expect([names?.includes('OTHER'), names?.includes('KEY')]).toEqual([true, false]);
});
