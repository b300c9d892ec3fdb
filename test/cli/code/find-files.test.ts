/** Where a search finds code without git, and what is said where it needs git and cannot have it. */

import { expect, test } from 'vitest';
import { findFiles, type CodePlace } from '../../../src/cli/code/code-files.ts';
import type { OpenedRepository } from '../../../src/loop/git/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

function place(opened: OpenedRepository, root = '/nowhere', checkpoint: () => void = () => undefined): CodePlace {
  const checkout = { opened: Promise.resolve(opened) };
  return { session: { interrupts: { checkpoint } }, config: { root }, checkout } as unknown as CodePlace;
}

test('a folder without git is searched as it is', async () => {
  const { root } = createWorkspace({ 'a.ts': 'x', 'b/c.ts': 'y' });
  const found = await findFiles(place({ kind: 'none' }, root), undefined);
  expect(found).toMatchObject({ top: root });
  expect([found.commit, found.repository]).toEqual([undefined, undefined]);
});

const MENDED = 'Make `git status` work in this folder.';

test.each<[OpenedRepository, string | undefined, string, string]>([
  [{ kind: 'none' }, 'v1', 'this is not a git repository', 'Omit --commit to search the files on disk.'],
  [{ kind: 'git_missing' }, undefined, 'git is not installed', MENDED],
  [{ kind: 'git_missing' }, 'v1', 'git is not installed', MENDED],
  [{ kind: 'refused', detail: 'dubious ownership' }, undefined, 'dubious ownership', MENDED],
])('%j with the commit %s is an error', async (opened, commit, why, remedy) => {
  await expect(findFiles(place(opened), commit)).rejects.toMatchObject({
    code: 'file',
    message: `The code cannot be read with git: ${why}.`,
    remedy,
  });
});

test('a run that ends says so, and not that git failed', async () => {
  const ended = (): never => {
    throw new Error('interrupted');
  };
  await expect(findFiles(place({ kind: 'git_missing' }, '/nowhere', ended), undefined)).rejects.toThrow('interrupted');
});
