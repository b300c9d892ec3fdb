// What the jobs do with git: the commit that was applied last, a published file, permits of the base, newer flags, the branch with
// accepted edits.

import { rmSync, writeFileSync } from 'node:fs';
import { Failure } from './failure.mjs';
import { runGit } from './shell.mjs';

/** Named in the environment of git, so that its address, which has the token, is in no argument and no file. */
const REMOTE = 'flagwright-ci';
/** Merges that wait for one apply. A project that has more of them has no applies. */
const MOST_WAITING = 50;
/** Not tracked, so no commit takes it. */
const PERMITS_COPY = '.base-permits.yaml';

/**
 * `address`: of the repository, with a token. `readFrom`: a remote that the checkout can read, if that is another one. Without
 * `mayPush`, nothing is published.
 */
export function openRepository({ env, address, readFrom = REMOTE, mayPush, secrets }) {
  const options = { env: withRemote(env, address), secrets };
  const git = (...args) => runGit(args, options);
  const feed = (input, ...args) => runGit(args, { ...options, input });
  const remote = { git, readFrom, mayPush };
  return { ...applied(remote), ...published(remote, feed), ...history(remote), ...edits(remote) };
}

function withRemote(env, address) {
  if (address === undefined) return env;
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  return {
    ...env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `remote.${REMOTE}.url`,
    [`GIT_CONFIG_VALUE_${count}`]: address,
  };
}

/** The ref of the commit that was applied last. It tells changes that wait for an apply from edits in the service. */
function applied({ git, readFrom, mayPush }) {
  /** What the ref of the remote named when the job read it. */
  let seen = '';
  /** Before the first apply there is none. The ref may name the applied commit by one of our own, whose parents it needs. */
  async function fetchApplied(ref) {
    const { output } = must(await git('ls-remote', readFrom, ref), `git ls-remote ${readFrom} ${ref}`);
    seen = output.split('\t')[0];
    if (seen !== '')
      must(await git('fetch', '--quiet', '--depth', '2', readFrom, `+${ref}:${ref}`), `git fetch ${ref}`);
  }
  return {
    fetchApplied,
    /** For an apply, which records a commit only if it contains the one of the ref. A clone of an earlier job may know another. */
    async takeApplied(ref) {
      await fetchApplied(ref);
      if (seen === '') must(await git('update-ref', '-d', ref), `git update-ref -d ${ref}`);
      const { output } = must(await git('rev-parse', '--is-shallow-repository', 'HEAD'), 'git rev-parse');
      const [isShallow, commit] = output.split('\n');
      if (isShallow !== 'true' || seen === '') return;
      const more = ['fetch', '--quiet', `--deepen=${MOST_WAITING}`, readFrom, commit];
      must(await git(...more), `git fetch ${commit}`);
    },
    /** An apply that recorded no commit, and said why, leaves the ref of the remote as it is. So does one that another overtook. */
    async publishApplied(ref) {
      const { code } = await git('rev-parse', '--verify', '--quiet', ref);
      if (code !== 0 || !mayPush) return;
      const lease = `--force-with-lease=${ref}:${seen}`;
      must(await git('push', '--quiet', lease, REMOTE, `${ref}:${ref}`), `git push ${ref}`);
    },
  };
}

/** Where an apply left something, the ref names a commit of flagwright, whose message has the applied one. */
async function appliedCommit(git, ref) {
  const { output: id } = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  const { output: text } = id === '' ? { output: '' } : await git('cat-file', 'commit', id);
  const [, subject = '', body = ''] = /\n\n(.*)\n([^]*)$/.exec(text) ?? [];
  const [, named] = /^Applied: ([0-9a-f]+)$/m.exec(body) ?? [];
  return subject === RECORD && named !== undefined ? named : id;
}

const RECORD = 'flagwright: applied, but for what was left';

/** A ref whose commit has one file and no parent: what was published before is garbage to git. */
function published({ git, readFrom, mayPush }, feed) {
  return {
    async publishFile({ ref, file, message, email }) {
      if (!mayPush) throw new Failure('The job has no token that may push.');
      const { output: blob } = must(await git('hash-object', '-w', '--no-filters', file), `git hash-object ${file}`);
      const { output: tree } = must(await feed(`100644 blob ${blob}\t${file}\n`, 'mktree'), 'git mktree');
      const commit = [...identityOf(email), 'commit-tree', tree, '-m', message];
      const { output: made } = must(await git(...commit), 'git commit-tree');
      must(await git('push', '--quiet', '--force', REMOTE, `${made}:${ref}`), `git push ${ref}`);
    },
    /** Writes the file, unless nobody has published it. */
    async fetchFile({ ref, file }) {
      const { output } = must(await git('ls-remote', readFrom, ref), `git ls-remote ${readFrom} ${ref}`);
      if (output === '') return;
      must(await git('fetch', '--quiet', '--depth', '1', readFrom, ref), `git fetch ${ref}`);
      const { output: text } = must(await git('show', `FETCH_HEAD:${file}`), `git show ${ref}`);
      writeFileSync(file, `${text}\n`);
    },
  };
}

function history({ git, readFrom }) {
  return {
    /** A copy of the permits as they are at the base, so that no change permits itself; undefined if there are none. */
    async copyPermits(base, file) {
      const fetched = await git('fetch', '--quiet', '--depth', '1', readFrom, base);
      const permits = fetched.code === 0 ? await git('show', `FETCH_HEAD:./${file}`) : fetched;
      if (permits.code !== 0) return undefined;
      // A link of that name could lead elsewhere.
      rmSync(PERMITS_COPY, { force: true });
      writeFileSync(PERMITS_COPY, `${permits.output}\n`);
      return PERMITS_COPY;
    },
    /**
     * Commits that change the paths, from the one that was applied last to `commit`, oldest first, as the branch took them: of a
     * merge the merge. Undefined if none was applied, or too long ago.
     */
    async listWaiting({ ref, commit, paths }) {
      const applied = await appliedCommit(git, ref);
      must(await git('fetch', '--quiet', '--depth', String(MOST_WAITING + 1), readFrom, commit), `git fetch ${commit}`);
      const taken = ['rev-list', '--first-parent', `--max-count=${MOST_WAITING + 1}`, commit];
      const { output: newest } = must(await git(...taken), 'git rev-list');
      if (!newest.split('\n').includes(applied)) return undefined;
      const since = ['rev-list', '--first-parent', '--reverse', `${applied}..${commit}`, '--', ...paths];
      return must(await git(...since), 'git rev-list')
        .output.split('\n')
        .filter(Boolean);
    },
    /** Whether the branch or commit has other flags than the checkout. */
    async isDifferentFrom(other, paths) {
      must(await git('fetch', '--quiet', '--depth', '1', readFrom, other), `git fetch ${other}`);
      return isDifferent(await git('diff', '--quiet', 'HEAD', 'FETCH_HEAD', '--', ...paths));
    },
  };
}

function edits({ git, readFrom }) {
  return {
    hasEdits: async () => isDifferent(await git('diff', '--quiet')),
    /** The same edits as yesterday keep the branch, with its reviews. */
    async pushEdits({ branch, message, email }) {
      must(await git('switch', '--quiet', '--force-create', branch), `git switch ${branch}`);
      must(await git(...identityOf(email), 'commit', '--quiet', '--all', '--message', message), 'git commit');
      const yesterday = await git('fetch', '--quiet', '--depth', '1', readFrom, branch);
      if (yesterday.code === 0 && !isDifferent(await git('diff', '--quiet', 'FETCH_HEAD', 'HEAD'))) return;
      must(await git('push', '--quiet', '--force', REMOTE, `HEAD:refs/heads/${branch}`), `git push ${branch}`);
    },
  };
}

function identityOf(email) {
  return ['-c', 'user.name=flagwright', '-c', `user.email=${email}`];
}

function isDifferent(compared) {
  if (compared.code > 1) must(compared, 'git diff');
  return compared.code === 1;
}

function must(ended, what) {
  if (ended.code === 0) return ended;
  throw new Failure(`${what} failed: ${JSON.stringify(ended.errors)}. Check that the token of the job may do this.`);
}
