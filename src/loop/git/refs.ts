/** Names of commits in the repository and in a remote. */

import { readdir, readFile, stat } from 'node:fs/promises';

import path from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { GitError } from './objects.ts';
import { findGitFolder, type Repository } from './repository.ts';
import { type GitCall, type GitCaller, type GitRun, REMOTE, runGit } from './run-git.ts';

/** The id that a name stands for: a ref, an id, `HEAD`, `main~2`. It may be of an object that the repository lacks. */
export async function resolveName({ caller }: Repository, name: string): Promise<string | undefined> {
  const run = await runGit(caller, { args: ['rev-parse', '--verify', '--quiet', '--end-of-options', name] });
  const id = run.kind === 'done' ? run.stdout.toString().trim() : '';
  return /^[0-9a-f]{40,64}$/.test(id) ? id : undefined;
}

/** `former`: what the ref must still name, if anything: another process may have moved it. */
export async function writeRef(
  { caller, hash }: Repository,
  ref: string,
  { commit, former }: { readonly commit: string; readonly former: string | undefined },
): Promise<GitRun> {
  const none = '0'.repeat(hash === 'sha256' ? 64 : 40);
  return runWithoutHooks(caller, { args: ['update-ref', '-m', 'flagwright apply', ref, commit, former ?? none] });
}

/** Stores a commit by its text, and answers its id. */
export async function writeCommit({ caller }: Repository, text: string): Promise<GitRun> {
  return runGit(caller, { args: ['hash-object', '-t', 'commit', '-w', '--stdin'], input: text });
}

type RemoteRef =
  | { readonly kind: 'found'; readonly commit: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreachable'; readonly detail: string };

export async function readRemoteRef(repository: Repository, remote: string, ref: string): Promise<RemoteRef> {
  const found = await readRemoteRefs(repository, remote, ref);
  if (found.kind === 'unreachable') return found;
  // The name is a pattern for the ends of names.
  const commit = found.refs.get(ref);
  return commit === undefined ? { kind: 'none' } : { kind: 'found', commit };
}

/**
 * The variable in which a job of CI says what the refs of the remote name that tell what was applied, as `git ls-remote` prints it, or `none`:
 * the job has fetched them, with a token that this program does not get, and pushes them itself.
 */
const GIVEN = 'FLAGWRIGHT_APPLIED_REFS';

const RECORDS = 'refs/flagwright/applied/';

/** By the environment of a run; a ref that the run moved is given as it is then. */
const given = new WeakMap<object, Map<string, string>>();

/** What the job says of these refs; `undefined` if no job does. Empty for text that names no ref. */
function givenRefs({ caller: { env } }: Repository, pattern: string): Map<string, string> | undefined {
  const listed = memberOf(env, GIVEN);
  if (listed === undefined || !pattern.startsWith(RECORDS)) return undefined;
  const known = given.get(env) ?? new Map(refsIn(Buffer.from(listed)));
  given.set(env, known);
  return known;
}

/** The ids of refs by their names. The remote must be configured: git would take another name as a path. */
export async function readRemoteRefs(
  repository: Repository,
  remote: string,
  pattern: string,
): Promise<
  | { readonly kind: 'listed'; readonly refs: ReadonlyMap<string, string> }
  | Extract<RemoteRef, { readonly kind: 'unreachable' }>
> {
  const { caller } = repository;
  const told = givenRefs(repository, pattern);
  if (told !== undefined) {
    if (told.size > 0 || memberOf(caller.env, GIVEN) === 'none') return { kind: 'listed', refs: told };
    return { kind: 'unreachable', detail: `the variable ${GIVEN} names no ref` };
  }
  if (!(await listRemotes(repository)).includes(remote)) {
    return { kind: 'unreachable', detail: 'the repository has no remote of this name' };
  }
  const run = await runGit(caller, {
    args: ['ls-remote', '--quiet', '--upload-pack=git-upload-pack', remote, pattern],
    limits: REMOTE,
  });
  if (run.kind !== 'done') return { kind: 'unreachable', detail: run.detail };
  return { kind: 'listed', refs: refsIn(run.stdout) };
}

/** The refs of this clone below a name, with the ids of their objects. */
export async function listRefs({ caller }: Repository, below: string): Promise<ReadonlyMap<string, string>> {
  if (!(await mayHaveRefs(caller.folder, below))) return new Map();
  const run = await runGit(caller, { args: ['for-each-ref', '--format=%(objectname) %(refname)', below] });
  if (run.kind !== 'done') throw new GitError(run.detail);
  return refsIn(run.stdout);
}

/** Each line is an id and a name. */
function refsIn(listed: Buffer): ReadonlyMap<string, string> {
  return new Map([...listed.toString().matchAll(/^(\w+)[ \t](.+)$/gm)].map(([, id = '', name = '']) => [name, id]));
}

/** Fetches the ref under its own name, into a shallow clone without the history of its commit. */
export async function fetchRef(repository: Repository, remote: string, ref: string): Promise<GitRun> {
  return fetchFrom(repository, [...(repository.shallow ? ['--depth=1'] : []), remote, `+${ref}:${ref}`]);
}

/** Fetches commits by their ids, without their history, into a shallow clone. */
export async function fetchCommits(repository: Repository, remote: string, ids: readonly string[]): Promise<GitRun> {
  return fetchFrom(repository, ['--depth=1', remote, ...ids]);
}

/** Gets more of the history of commits into a shallow clone: a project with more merges that wait for one apply has no applies. */
export async function deepen(repository: Repository, remote: string, ids: readonly string[]): Promise<GitRun> {
  return fetchFrom(repository, ['--deepen=50', remote, ...ids]);
}

/** Gets the history of commits since a time into a shallow clone. */
export async function deepenSince(
  repository: Repository,
  remote: string,
  { ids, seconds }: { readonly ids: readonly string[]; readonly seconds: number },
): Promise<GitRun> {
  return fetchFrom(repository, [`--shallow-since=@${Math.max(0, seconds)} +0000`, remote, ...ids]);
}

function fetchFrom({ caller }: Repository, args: readonly string[]): Promise<GitRun> {
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--upload-pack=git-upload-pack'];
  return runWithoutHooks(caller, { args: ['fetch', ...options, ...args], limits: REMOTE });
}

/** The ref of the remote moves to the same commit, if it still names `former`: another clone may have moved it. */
export async function pushRef(
  repository: Repository,
  remote: string,
  { ref, former = '' }: { readonly ref: string; readonly former: string | undefined },
): Promise<GitRun> {
  const { caller } = repository;
  const told = givenRefs(repository, ref);
  const moved = told && (await resolveName(repository, ref));
  if (told !== undefined && moved !== undefined) {
    told.set(ref, moved);
    return { kind: 'done', stdout: Buffer.alloc(0) };
  }
  const options = ['--quiet', '--no-verify', '--receive-pack=git-receive-pack', `--force-with-lease=${ref}:${former}`];
  return runWithoutHooks(caller, { args: ['push', ...options, remote, `${ref}:${ref}`], limits: REMOTE });
}

export async function listRemotes({ caller }: Repository): Promise<readonly string[]> {
  const run = await runGit(caller, { args: ['remote'] });
  return run.kind === 'done' ? (run.stdout.toString().match(/.+/g) ?? []) : [];
}

/**
 * Looks in the files of a repository that git does not read, or where there is no git: whether the repository around a folder has refs
 * below a name, such as `refs/flagwright/`, as far as files tell: of a format of refs that is not files, it may.
 */
export async function mayHaveRefs(folder: string, below: string): Promise<boolean> {
  const { common } = (await findGitFolder(path.resolve(folder)).catch(() => undefined)) ?? {};
  if (common === undefined) return false;
  const files = await readdir(path.join(common, below), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => (isMissing(error) ? [] : undefined),
  );
  return files === undefined || files.some((entry) => entry.isFile()) || mayBePacked(common, below);
}

/** The same for one ref, by its whole name. */
export async function mayHaveRef({ caller }: Repository, ref: string): Promise<boolean> {
  const { common } = (await findGitFolder(path.resolve(caller.folder)).catch(() => undefined)) ?? {};
  return common === undefined || (await isThere(path.join(common, ref))) || mayBePacked(common, ref);
}

async function mayBePacked(common: string, name: string): Promise<boolean> {
  const packed = await readFile(path.join(common, 'packed-refs'), 'utf8').catch((error: unknown) =>
    isMissing(error) ? '' : undefined,
  );
  if (packed === undefined || packed.split('\n').some((line) => line.includes(` ${name}`))) return true;
  return isThere(path.join(common, 'reftable'));
}

/** What cannot be looked at may be there. */
async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
}

/**
 * Starts git for a change of refs, without hooks. The fixed options switch off those in the folder of hooks; git 2.54 and newer
 * also have hooks that the configuration defines, and only their names switch them all off.
 */
export async function runWithoutHooks(caller: GitCaller, call: GitCall): Promise<GitRun> {
  const listed = await runGit(caller, { args: ['config', '--null', '--name-only', '--get-regexp', '^hook[.]'] });
  if (listed.kind === 'failed' && listed.exit === NOTHING_FOUND) return runGit(caller, call);
  if (listed.kind !== 'done') return listed;
  // A variable is `hook.NAME.enabled` and the like, where the name may contain anything.
  const variables = listed.stdout.toString().split('\0');
  const hooks = new Set(variables.flatMap((variable) => /^hook\.(.+)\.[^.]+$/s.exec(variable)?.[1] ?? []));
  // Environment variables, after those of the user: an option could not name a hook with `=` in its name.
  const first = Number(caller.env['GIT_CONFIG_COUNT'] ?? 0);
  const settings = [...hooks].flatMap((name, index) => [
    [`GIT_CONFIG_KEY_${first + index}`, `hook.${name}.enabled`],
    [`GIT_CONFIG_VALUE_${first + index}`, 'false'],
  ]);
  const env = { GIT_CONFIG_COUNT: String(first + hooks.size), ...Object.fromEntries(settings) };
  return runGit(caller, { ...call, env });
}

const NOTHING_FOUND = 1;
