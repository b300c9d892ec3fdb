// What the jobs do with git: the commit that was applied last, a published file, the merge of a request, newer
// flags, the branch with accepted edits.

import { writeFileSync } from 'node:fs';
import { openCommits } from './commits.mjs';
import { Failure } from './failure.mjs';
import { must, runGit } from './shell.mjs';

/** Named in the environment of git, so that its address, which has the token, is in no argument and no file. */
const REMOTE = 'flagwright-ci';
/** Merges that wait for one apply. A project that has more of them has no applies. */
const MOST_WAITING = 50;
/** Not tracked, so no commit takes it. */

/**
 * `address`: of the repository, with a token. `readFrom`: a remote that the checkout can read, if that is another one. Without
 * `mayPush`, nothing is published.
 */
export function openRepository({ env, address, readFrom = REMOTE, mayPush, secrets }) {
  const options = { env: withRemote(env, address), secrets };
  const git = (...args) => runGit(args, options);
  const feed = (input, ...args) => runGit(args, { ...options, input });
  const remote = { git, readFrom, mayPush };
  const commits = openCommits(remote);
  return {
    ...applied(remote, commits),
    ...published(remote, feed),
    ...merging(remote, commits),
    ...history(remote, commits),
    ...edits(remote),
  };
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
function applied({ git, readFrom, mayPush }, { bring, contains }) {
  /** What the refs of the remote named when the job read them, or since it moved them. */
  const seen = new Map();
  let isListed = false;
  async function list() {
    if (isListed) return;
    const { output } = must(await git('ls-remote', readFrom, `${RECORDS}*`), `git ls-remote ${readFrom} ${RECORDS}*`);
    for (const [, id, name] of output.matchAll(/^(\w+)\t(.+)$/gm)) seen.set(name, id);
    isListed = true;
  }
  /** Returns the commit that was applied; undefined before the first apply. A record of flagwright needs the commits that it names. */
  async function fetchApplied(ref) {
    await list();
    const record = seen.get(ref);
    if (record !== undefined) return take(ref, record);
    // Without one, flagwright looks among all others for a project that was renamed.
    for (const [other, id] of seen) await take(other, id);
    return undefined;
  }
  async function take(ref, record) {
    await bring(record);
    const { output: text } = must(await git('cat-file', 'commit', record), `git cat-file ${record}`);
    for (const parent of parentsIn(text)) await bring(parent);
    must(await git('update-ref', ref, record), `git update-ref ${ref}`);
    return appliedIn(text) ?? record;
  }
  return {
    fetchApplied,
    /** For flagwright, which has no token to ask the remote. */
    withApplied(env) {
      if (!isListed) return env;
      const lines = [...seen].map(([name, id]) => `${id}\t${name}`);
      return { ...env, FLAGWRIGHT_APPLIED_REFS: lines.join('\n') || 'none' };
    },
    /** For an apply, which records a commit only if it contains the one of the ref. A clone of an earlier job may know another. */
    async takeApplied(ref) {
      const commit = await fetchApplied(ref);
      if (commit === undefined) must(await git('update-ref', '-d', ref), `git update-ref -d ${ref}`);
      else await contains(commit);
    },
    /** An apply that recorded no commit, and said why, leaves the ref of the remote as it is. So does one that another overtook. */
    async publishApplied(ref) {
      const { code, output: id } = await git('rev-parse', '--verify', '--quiet', ref);
      if (code !== 0 || !mayPush) return;
      const lease = `--force-with-lease=${ref}:${seen.get(ref) ?? ''}`;
      must(await git('push', '--quiet', lease, REMOTE, `${ref}:${ref}`), `git push ${ref}`);
      seen.set(ref, id);
    },
  };
}

const RECORDS = 'refs/flagwright/applied/';

/** Of a record; the parents of other commits are history, of which a job gets as much as it needs. */
function parentsIn(text) {
  if (!text.includes(`\n\n${RECORD}\n`)) return [];
  const [head] = text.split('\n\n');
  return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent);
}

/** Where an apply left something, the ref names a commit of flagwright, whose message has the applied one. */
async function appliedCommit(git, ref) {
  const { output: id } = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  const { output: text } = id === '' ? { output: '' } : await git('cat-file', 'commit', id);
  return appliedIn(text) ?? id;
}

/** The commit that a record names; undefined for any other commit. */
function appliedIn(text) {
  const [, subject = '', body = ''] = /\n\n(.*)\n([^]*)$/.exec(text) ?? [];
  const [, named] = /^Applied: ([0-9a-f]+)$/m.exec(body) ?? [];
  return subject === RECORD ? named : undefined;
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
    async fetchFile({ ref, file, to }) {
      const { output } = must(await git('ls-remote', readFrom, ref), `git ls-remote ${readFrom} ${ref}`);
      if (output === '') return;
      must(await git('fetch', '--quiet', readFrom, ref), `git fetch ${ref}`);
      const { output: text } = must(await git('show', `FETCH_HEAD:${file}`), `git show ${ref}`);
      writeFileSync(to, `${text}\n`);
    },
  };
}

function merging({ git }, { bring, contains }) {
  return {
    /** Whether the checkout has the commit in its history. */
    contains,
    /** The same of a commit that the remote may no longer have. */
    hasCommit: async (commit) => {
      const here = await bring(String(commit)).catch(() => undefined);
      return here !== undefined && contains(here);
    },
    /**
     * Makes the checkout what a merge into the branch makes now: a plan without what others merged would show that as its own
     * reversal. Returns the commit of the branch; undefined if the two conflict.
     */
    async mergeInto(branch, email) {
      const tip = await bring(`refs/heads/${branch}`);
      if (tip === undefined) throw new Failure(`The branch ${branch} is not in the repository.`);
      if (await contains(tip)) return tip;
      must(await git('switch', '--quiet', '--detach'), 'git switch');
      const options = ['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', ...identityOf(email)];
      const { code } = await git(...options, 'merge', '--quiet', '--no-edit', tip);
      if (code !== 0) must(await git('merge', '--abort'), `git merge ${branch}`);
      return code === 0 ? tip : undefined;
    },
  };
}

function history({ git }, { bring, contains }) {
  return {
    /**
     * Commits that change the paths, from the one that was applied last to `commit`, oldest first, as the branch took them: of a
     * merge the merge. Undefined if none was applied, or too long ago.
     */
    async listWaiting({ ref, commit, paths }) {
      const applied = await appliedCommit(git, ref);
      if (applied === '') return undefined;
      await bring(commit);
      await contains(applied);
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
      const commit = await bring(other);
      if (commit === undefined) throw new Failure(`${other} is not in the repository.`);
      return isDifferent(await git('diff', '--quiet', 'HEAD', commit, '--', ...paths));
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
