/** What a run writes beside the documents that a user asked for never gets into a commit. */

import { randomUUID as randomUuid } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmbedded } from '../../src/index.ts';
import { createRepository } from '../helpers/repository.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const FILES = { 'flags/a.yaml': 'flags:\n  a: { active: true, rollout_percentage: 10 }\n' };

test.each([
  ['a saved plan', ['plan', '--out', 'plan.json']],
  ['a saved plan in a folder', ['plan', '--out', 'flags/p l.json']],
  ['a snapshot', ['snapshot', '--out', 'live.json']],
  ['the journal', ['apply', '--yes']],
  ['a journal that the user names', ['apply', '--yes', '--journal', 'kept/journal']],
])('%s is ignored by git', async (_, command) => {
  const { root, git } = createRepository(FILES);
  const ran = await runCli(command, { cwd: root });
  expect([ran.code, git('status', '--porcelain')]).toEqual([0, '']);
  const isBeside = command.includes('--out');
  expect(ran.stderr.includes('git ignores')).toBe(isBeside);
});

test('a plan in our own folder is ignored by a repository that begins later', async () => {
  const { root, read } = createWorkspace(FILES);
  mkdirSync(join(root, '.flagwright'));
  expect((await runCli(['plan', '--out', '.flagwright/plan.json'], { cwd: root })).code).toBe(0);
  expect(read('.flagwright/.gitignore')).toBe('*\n');
});

test('data of a service that the library starts are ignored in the folder that it makes', async () => {
  const { root, git } = createRepository(FILES);
  const service = await startEmbedded({
    data: join(root, '.flagwright/local.db'),
    now: () => new Date(0),
    randomUuid,
    apiKeys: ['k'],
  });
  await service.close();
  expect(git('status', '--porcelain')).toBe('');
});
