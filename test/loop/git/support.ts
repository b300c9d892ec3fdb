/** Opens repositories as flagwright does. */

import { openObjects, type Objects } from '../../../src/loop/git/objects.ts';
import { gitEnvironment, type GitCaller } from '../../../src/loop/git/run-git.ts';
import { openRepository, type OpenedRepository, type Repository } from '../../../src/loop/git/repository.ts';
import { commitTree, type CommitTree } from '../../../src/loop/git/commit-tree.ts';
import { onTestFinished } from 'vitest';
import { GIT_ENV } from '../../helpers/repository.ts';

export function callerIn(folder: string, env: Readonly<Record<string, string>> = {}): GitCaller {
  return { folder, env: gitEnvironment({ ...GIT_ENV, HOME: folder, ...env }, []) };
}

export async function openIn(folder: string, env: Readonly<Record<string, string>> = {}): Promise<OpenedRepository> {
  return openRepository(callerIn(folder, env));
}

/** @throws if there is none. */
export async function repositoryOf(folder: string): Promise<Repository> {
  const opened = await openIn(folder);
  if (opened.kind !== 'open') throw new Error(JSON.stringify(opened));
  return opened.repository;
}

export async function historyOf(
  folder: string,
): Promise<{ readonly repository: Repository; readonly objects: Objects }> {
  const repository = await repositoryOf(folder);
  const objects = openObjects(repository.caller);
  onTestFinished(() => objects.close());
  return { repository, objects };
}

export async function treeOf(folder: string, commit: string): Promise<CommitTree> {
  const { repository, objects } = await historyOf(folder);
  return commitTree(objects, repository, commit);
}
