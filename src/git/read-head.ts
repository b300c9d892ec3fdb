/** Reads the commit of a checkout from the files of git, so that a run without the program git records it too. */

import { statSync, type Stats } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** The commit that is checked out in the repository around a folder; `undefined` without one, and for other formats. */
export async function readCommit(folder: string): Promise<string | undefined> {
  try {
    const git = await findGitFolder(await realpath(folder));
    return git === undefined ? undefined : await resolveHead(git);
  } catch {
    return undefined;
  }
}

/** The branch that is checked out there; `undefined` for a detached head. */
export async function readBranch(folder: string): Promise<string | undefined> {
  try {
    const git = await findGitFolder(await realpath(folder));
    return git === undefined ? undefined : /^ref: refs\/heads\/([^\0]+)$/.exec(await readHead(git))?.[1];
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
  const found = look(git);
  if (found?.isDirectory() === true) return git;
  const named = found?.isFile() === true ? /^gitdir: (.+)$/m.exec(await readText(git))?.[1] : undefined;
  return named === undefined ? undefined : path.resolve(folder, named);
}

/** `undefined` for a file that does not exist or cannot be examined. A synchronous look costs less than waiting for an asynchronous one. */
function look(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

async function readHead({ own }: GitFolder): Promise<string> {
  return (await readText(path.join(own, 'HEAD'))).trim();
}

async function resolveHead(git: GitFolder): Promise<string | undefined> {
  const { common } = git;
  const head = await readHead(git);
  const branch = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
  if (branch === undefined) return commitIn(head);
  const loose = isInside(common, branch) ? commitIn(await readText(path.join(common, branch))) : undefined;
  return loose ?? commitIn(findPacked(await readText(path.join(common, 'packed-refs')), branch));
}

function isInside(folder: string, name: string): boolean {
  return path.resolve(folder, name).startsWith(path.resolve(folder) + path.sep);
}

/** Lines are `COMMIT NAME`. */
function findPacked(text: string, branch: string): string {
  const line = text.split('\n').find((one) => one.trim().endsWith(` ${branch}`));
  return line?.split(' ')[0] ?? '';
}

function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.trim())?.[0];
}

/** Empty without the file. */
async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
