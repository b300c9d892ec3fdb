/** Opens the repository around a folder. */

import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { findGitFolder } from './read-head.ts';
import { runGit, type GitCaller } from './run-git.ts';

export interface Repository {
  /** Starts git in the folder. */
  readonly caller: GitCaller;
  /** Absolute folder of the checkout, without symbolic links. */
  readonly top: string;
  /** From the top of the checkout to the folder, `/` between folders; empty for the top. */
  readonly prefix: string;
  /** A clone with a part of the history. */
  readonly shallow: boolean;
  /** What names objects. */
  readonly hash: 'sha1' | 'sha256';
}

/** `detail`: git's own words. */
export type OpenedRepository =
  | { readonly kind: 'open'; readonly repository: Repository }
  /** No checkout: no repository, or a bare one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'git_missing' }
  | { readonly kind: 'refused'; readonly detail: string };

/** Without a repository around the folder, no process is started. */
export async function openRepository(caller: GitCaller): Promise<OpenedRepository> {
  if ((await findGitFolder(caller.folder)) === undefined) return { kind: 'none' };
  const run = await runGit(caller, {
    args: ['rev-parse', '--is-inside-work-tree', '--is-shallow-repository', '--show-object-format', '--show-cdup'],
  });
  if (run.kind === 'missing') return { kind: 'git_missing' };
  if (run.kind !== 'done') return { kind: 'refused', detail: run.detail };
  // The way up comes last: it is a folder, and so may contain a line break.
  const [inside, shallow, hash, ...up] = run.stdout.toString().replace(/\n$/, '').split('\n');
  if (inside !== 'true') return { kind: 'none' };
  const folder = await realpath(caller.folder);
  const top = resolve(folder, up.join('\n'));
  const prefix = relative(top, folder).split(sep).join('/');
  const repository = {
    caller,
    top,
    prefix,
    shallow: shallow === 'true',
    hash: hash === 'sha256' ? hash : 'sha1',
  } as const;
  return { kind: 'open', repository };
}
