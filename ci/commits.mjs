// Commits of the remote, and how they stand to the checkout. A clone with a part of the history gets as much as it takes to know.

import { readFileSync } from 'node:fs';
import { must } from './shell.mjs';

/** By how many commits a history grows that is too short; after these, all of it is fetched. */
const STEPS = [50, 500];

export function openCommits({ git, readFrom }) {
  const readBoundary = boundaryReader(git);
  /** Commits of the remote from which the history grows. */
  const known = new Set();
  /** Commits that git was asked about. */
  const here = new Set();

  /** The commit that a name of the remote stands for, which is here afterwards; undefined if the remote has no such name. */
  async function bring(name) {
    const commit = isId(name) ? name : await resolveRemote({ git, readFrom }, fullName(name));
    if (commit === undefined || (await isHere(commit))) return commit;
    // `--depth` would cut off the history that is here already, so it is for a commit that is not.
    const depth = (await readBoundary()).size > 0 ? ['--depth', '1'] : [];
    must(await git('fetch', '--quiet', '--no-tags', ...depth, readFrom, commit), `git fetch ${name}`);
    return commit;
  }

  async function isHere(commit) {
    if (!here.has(commit) && (await git('cat-file', '-e', `${commit}^{commit}`)).code === 0) here.add(commit);
    return here.has(commit);
  }

  /** Whether the checkout has the commit in its history: never a guess. */
  async function contains(commit) {
    // A whole history does not grow.
    if (known.size === 0 && (await readBoundary()).size > 0)
      known.add(must(await git('rev-parse', 'HEAD'), 'git rev-parse HEAD').output);
    known.add(commit);
    for (const step of [...STEPS, undefined]) {
      if (await isKnown(commit)) break;
      const more = step === undefined ? ['--unshallow'] : ['--deepen', String(step)];
      must(await git('fetch', '--quiet', '--no-tags', ...more, readFrom, ...known), `git fetch ${more.join(' ')}`);
    }
    const { code } = await git('merge-base', '--is-ancestor', commit, 'HEAD');
    return code === 0;
  }

  /** Where a history ends in a commit that only one side has, the other side may have it too, further back. */
  async function isKnown(commit) {
    const boundary = await readBoundary();
    if (boundary.size === 0) return true;
    const { output } = must(await git('rev-list', `HEAD...${commit}`), 'git rev-list');
    return !output.split('\n').some((one) => boundary.has(one));
  }

  return { bring, contains };
}

const isId = (name) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name);

const fullName = (name) => (name === 'HEAD' || name.startsWith('refs/') ? name : `refs/heads/${name}`);

async function resolveRemote({ git, readFrom }, name) {
  const { output } = must(await git('ls-remote', readFrom, name), `git ls-remote ${readFrom} ${name}`);
  // The name is a pattern for the ends of names.
  const line = output.split('\n').find((one) => one.endsWith(`\t${name}`));
  return line?.split('\t')[0];
}

/** Reads where the history of a shallow clone ends; empty for a whole clone. git is asked once for the file, which stays where it is. */
function boundaryReader(git) {
  let file;
  return async () => {
    file ??= must(await git('rev-parse', '--path-format=absolute', '--git-path', 'shallow'), 'git rev-parse').output;
    try {
      return new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));
    } catch {
      return new Set();
    }
  };
}
