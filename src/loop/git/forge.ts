/** Finds where a clone is hosted: the system, and its default branch. */

import { defined } from '../../base/optional.ts';
import { listRemotes } from './refs.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** Those whose pipelines `init` writes. */
export type Forge = 'github' | 'gitlab';

export interface SharedAt {
  /** Absent: no remote, or its host says neither. */
  readonly forge?: Forge;
  /** The name of the host in the address of the remote. */
  readonly host?: string;
  /** The name of the remote; absent if there is none. */
  readonly remote?: string;
  /** Absent: no branch is checked out and none is known. */
  readonly branch?: string;
}

/** `github.com/acme/web`, of the address of its remote; `undefined` without a remote on a host. */
export async function findRepositoryName(repository: Repository): Promise<string | undefined> {
  const { host, path } = await findRemote(repository);
  return host === undefined || path === undefined ? undefined : `${host}/${path.replace(/\/*(?:\.git)?\/*$/, '')}`;
}

export async function findSharedAt(repository: Repository): Promise<SharedAt> {
  const { remote, host } = await findRemote(repository);
  const forge = forgeOf(host);
  const branch = await findDefaultBranch(repository, remote ?? 'origin');
  return defined({ forge: forge === 'bitbucket' ? undefined : forge, host, remote, branch });
}

/** By the name of the host. */
export function forgeOf(host = ''): Forge | 'bitbucket' | undefined {
  return FORGES.find((name) => host.includes(name));
}

const FORGES = ['github', 'gitlab', 'bitbucket'] as const;

/** Without a host and a path if the address is of a folder. */
async function findRemote(
  repository: Repository,
): Promise<{ readonly remote?: string; readonly host?: string | undefined; readonly path?: string | undefined }> {
  const remotes = await listRemotes(repository);
  const remote = remotes.includes('origin') ? 'origin' : remotes[0];
  if (remote === undefined) return {};
  const address = (await ask(repository, ['remote', 'get-url', '--', remote])) ?? '';
  const [, host, path] = (address.includes('://') ? URL_ADDRESS : SSH_ADDRESS).exec(address) ?? [];
  return { remote, host: host?.toLowerCase(), path };
}

const URL_ADDRESS = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)[^/]*\/+(.*)$/i;
/** `user@host:path`. */
const SSH_ADDRESS = /^(?:[^@/:]+@)?([^/:]+):\/*(.*)$/;

/** A clone knows the branch of its remote. A repository that was never cloned has the usual branches, or the one that is checked out. */
async function findDefaultBranch(repository: Repository, remote: string): Promise<string | undefined> {
  const prefix = `refs/remotes/${remote}/`;
  const head = await ask(repository, ['symbolic-ref', '--quiet', `${prefix}HEAD`]);
  if (head?.startsWith(prefix)) return head.slice(prefix.length);
  const current = await ask(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const usual = [await ask(repository, ['config', '--get', 'init.defaultBranch']), 'main', 'master'];
  for (const name of usual) {
    if (name === undefined) continue;
    const refs = [`refs/heads/${name}`, prefix + name];
    const found = await ask(repository, ['for-each-ref', '--count=1', '--format=%(refname)', ...refs]);
    if (name === current || found !== undefined) return name;
  }
  return current;
}

/** The answer of git on one line; `undefined` for none. */
async function ask({ caller }: Repository, args: readonly string[]): Promise<string | undefined> {
  const run = await runGit(caller, { args });
  const text = run.kind === 'done' ? run.stdout.toString().trim() : '';
  return text === '' ? undefined : text;
}
