/** Opens the repository around a folder, and reads its commit from the files of git, so that a run without the program git records it too. */

import { realpath, readFile } from 'node:fs/promises';
import path, { join, relative, resolve, sep } from 'node:path';
import { runGit, type GitCaller } from './run-git.ts';
import { statSync, type Stats } from 'node:fs';

export interface Repository {
  /** Starts git in the folder that has `.git`. */
  readonly caller: GitCaller;
  /** Absolute folder around which the repository is; it may be reached by a symbolic link. */
  readonly folder: string;
  /** Absolute folder of the checkout, without symbolic links. */
  readonly top: string;
  /** The path from the top of the checkout to the folder, with `/` between folders; empty for the top. */
  readonly prefix: string;
  /** A clone with a part of the history. */
  readonly shallow: boolean;
  /** The hash that names objects. */
  readonly hash: 'sha1' | 'sha256';
}

/** `detail`: git's own words. */
export type OpenedRepository =
  | { readonly kind: 'open'; readonly repository: Repository }
  /** No checkout: no repository, or a bare one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'git_missing' }
  | { readonly kind: 'refused'; readonly detail: string };

/**
 * Opens the repository of the nearest `.git` at or above the folder. Without one, no process is started.
 *
 * git itself takes any folder with `HEAD`, `objects` and `refs` for a bare repository, and obeys its configuration. A clone can
 * bring such a folder, but never a `.git`. So git is called in the folder that has `.git`, where it looks for that first, and what
 * it found must be that. git older than 2.38 does not know `safe.bareRepository`.
 */
export async function openRepository(caller: GitCaller): Promise<OpenedRepository> {
  const folder = await realpath(caller.folder);
  const around = await findGitFolder(folder);
  if (around === undefined) return { kind: 'none' };
  const own = { ...caller, folder: around.home };
  const run = await runGit(own, { args: ['rev-parse', ...FACTS] });
  if (run.kind === 'missing') return { kind: 'git_missing' };
  if (run.kind !== 'done') return { kind: 'refused', detail: run.detail };
  // The folder of git comes last: its name may contain a line break.
  const [inside, shallow, hash, up = '', ...gitFolder] = run.stdout.toString().replace(/\n$/, '').split('\n');
  if (inside !== 'true') return { kind: 'none' };
  const found = await realpath(gitFolder.join('\n'));
  if (found !== (await realpath(around.own))) {
    return {
      kind: 'refused',
      detail: `git uses ${found} as the repository instead of ${join(around.home, '.git')}`,
    };
  }
  const top = resolve(around.home, up);
  const repository = {
    caller: own,
    folder: caller.folder,
    top,
    prefix: relative(top, folder).split(sep).join('/'),
    shallow: shallow === 'true',
    hash: hash === 'sha256' ? hash : 'sha1',
  } as const;
  return { kind: 'open', repository };
}

const FACTS = [
  '--is-inside-work-tree',
  '--is-shallow-repository',
  '--show-object-format',
  '--show-cdup',
  '--absolute-git-dir',
];

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
