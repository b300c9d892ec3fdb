/** Finds where a clone is hosted: the system, and its default branch. */

import { listRemotes } from './refs.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export type Forge = 'github' | 'gitlab';

export interface SharedAt {
  /** Absent: no remote, or its host says neither. */
  readonly forge?: Forge;
  /** The name of the host in the address of the remote. */
  readonly host?: string;
  /** Absent: no branch is checked out and none is known. */
  readonly branch?: string;
}

/** `github.com/acme/web`, of the address of its remote; `undefined` without a remote on a host. */
export async function findRepositoryName(repository: Repository): Promise<string | undefined> {
  const { address } = await findRemote(repository);
  const host = address === undefined ? undefined : hostOf(address);
  const [, path] = /^[a-z+]+:\/\/[^/]+\/+(.*)$/i.exec(address ?? '') ?? /^[^/]+?:\/*(.*)$/.exec(address ?? '') ?? [];
  return host === undefined || path === undefined ? undefined : `${host}/${path.replace(/\/*(?:\.git)?\/*$/, '')}`;
}

export async function findSharedAt(repository: Repository): Promise<SharedAt> {
  const { remote, address } = await findRemote(repository);
  const host = address === undefined ? undefined : hostOf(address);
  const forge = FORGES.find((name) => host?.includes(name));
  const branch = await findDefaultBranch(repository, remote ?? 'origin');
  return {
    ...(forge === undefined ? {} : { forge }),
    ...(host === undefined ? {} : { host }),
    ...(branch === undefined ? {} : { branch }),
  };
}

async function findRemote(
  repository: Repository,
): Promise<{ readonly remote: string | undefined; readonly address: string | undefined }> {
  const remotes = await listRemotes(repository);
  const remote = remotes.includes('origin') ? 'origin' : remotes[0];
  const address = remote === undefined ? undefined : await ask(repository, ['remote', 'get-url', '--', remote]);
  return { remote, address };
}

const FORGES: readonly Forge[] = ['github', 'gitlab'];

/** The host of a URL or of `user@host:path`. */
function hostOf(address: string): string | undefined {
  const [, host] = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)/i.exec(address) ?? /^(?:[^@/:]+@)?([^/:]+):/.exec(address) ?? [];
  return host?.toLowerCase();
}

/** A clone knows the branch of its remote. A repository that was never cloned has the usual branches, or the one that is checked out. */
async function findDefaultBranch(repository: Repository, remote: string): Promise<string | undefined> {
  const prefix = `refs/remotes/${remote}/`;
  const head = await ask(repository, ['symbolic-ref', '--quiet', `${prefix}HEAD`]);
  if (head?.startsWith(prefix)) return head.slice(prefix.length);
  const current = await ask(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const usual = [await ask(repository, ['config', '--get', 'init.defaultBranch']), 'main', 'master'];
  for (const name of usual) {
    if (name !== undefined && (name === current || (await exists(repository, [`refs/heads/${name}`, prefix + name]))))
      return name;
  }
  return current;
}

async function exists(repository: Repository, refs: readonly string[]): Promise<boolean> {
  return (await ask(repository, ['for-each-ref', '--count=1', '--format=%(refname)', ...refs])) !== undefined;
}

/** The answer of git on one line; `undefined` for none. */
async function ask({ caller }: Repository, args: readonly string[]): Promise<string | undefined> {
  const run = await runGit(caller, { args });
  const text = run.kind === 'done' ? run.stdout.toString().trim() : '';
  return text === '' ? undefined : text;
}
