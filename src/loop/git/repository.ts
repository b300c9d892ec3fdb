/** Opens the repository around a folder. */

import { realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { findGitFolder } from './read-head.ts';
import { runGit, type GitCaller } from './run-git.ts';

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
