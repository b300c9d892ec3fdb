/** Reads the commit of a checkout from the files of git, so that a run without the program git records it too. */

import { statSync, type Stats } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** The commit that is checked out in the repository around a folder; `undefined` without one, and for other formats. */
export async function readCommit(folder: string): Promise<string | undefined> {
  return inGitFolder(folder, async ({ common, own }) => {
    const head = await readText(path.join(own, 'HEAD'));
    const branch = /^ref: (refs\/[^\0]+)$/.exec(head.trim())?.[1];
    if (branch === undefined) return commitIn(head);
    // A branch outside the folder is none.
    const file = path.resolve(common, branch);
    const loose = file.startsWith(path.resolve(common) + path.sep) ? commitIn(await readText(file)) : undefined;
    if (loose !== undefined) return loose;
    // Lines are `COMMIT NAME`.
    const packed = (await readText(path.join(common, 'packed-refs'))).split('\n');
    return commitIn(packed.find((line) => line.trim().endsWith(` ${branch}`))?.split(' ')[0] ?? '');
  });
}

/** The branch that is checked out there; `undefined` for a detached head. */
export async function readBranch(folder: string): Promise<string | undefined> {
  return inGitFolder(folder, async ({ own }) => {
    const head = await readText(path.join(own, 'HEAD'));
    return /^ref: refs\/heads\/([^\0]+)$/.exec(head.trim())?.[1];
  });
}

async function inGitFolder(
  folder: string,
  read: (git: GitFolder) => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    const git = await findGitFolder(await realpath(folder));
    return git === undefined ? undefined : await read(git);
  } catch {
    return undefined;
  }
}

/** The folders in which git keeps the data of a checkout. */
interface GitFolder {
  /** The folder that has `.git`. */
  readonly home: string;
  /** Has `HEAD`. */
  readonly own: string;
  /** Has the branches; another folder in a worktree. */
  readonly common: string;
}

/** `undefined` for a folder that is in no checkout. */
export async function findGitFolder(folder: string): Promise<GitFolder | undefined> {
  const own = await gitFolderIn(folder);
  if (own !== undefined) {
    const common = await readText(path.join(own, 'commondir'));
    return { home: folder, own, common: path.resolve(own, common.trim()) };
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findGitFolder(parent);
}

/** `.git` is a folder, or a file that names one, as in a worktree or a submodule. */
async function gitFolderIn(folder: string): Promise<string | undefined> {
  const git = path.join(folder, '.git');
  let found: Stats | undefined;
  try {
    // A synchronous look costs less than waiting for an asynchronous one.
    found = statSync(git, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (found?.isDirectory() === true) return git;
  const named = found?.isFile() === true ? /^gitdir: (.+)$/m.exec(await readText(git))?.[1] : undefined;
  return named === undefined ? undefined : path.resolve(folder, named);
}

function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.trim())?.[0];
}

/** Empty without the file. */
async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
