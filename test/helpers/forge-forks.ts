/** What GitHub answers about pull requests of forks, and about commits, trees and blobs of a real repository. */

import { execFileSync } from 'node:child_process';
import { GIT_ENV } from './repository.ts';

export interface ForkPull {
  readonly number: number;
  head: string;
  readonly branch: string;
  readonly owner: string;
  /** The id of the fork; absent once it is deleted. */
  readonly repository?: number;
  readonly target?: string;
  state?: 'open' | 'closed';
  /** What GitHub has found so far. */
  mergeable: boolean | null;
  merge: string | null;
}

export interface ForkState {
  readonly forkPulls: ForkPull[];
  /** A bare repository that has the commits. */
  gitFolder: string;
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
}
interface Answer {
  readonly status: number;
  readonly value?: unknown;
}

const ok = (value: unknown): Answer => ({ status: 200, value });

export function githubForks({ path, query }: Asked, state: ForkState): Answer | undefined {
  if (path === '/repos/acme/shop/pulls') {
    const found = state.forkPulls.filter(({ owner, branch }) => `${owner}:${branch}` === query.get('head'));
    const open = found.filter((pull) => pull.state !== 'closed' || query.get('state') !== 'open');
    return open.length === 0 ? undefined : ok(open.map(pullOf));
  }
  const [, number] = /^\/repos\/acme\/shop\/pulls\/(\d+)$/.exec(path) ?? [];
  const pull = state.forkPulls.find((one) => String(one.number) === number);
  // Only the answer for a single pull request says whether it can be merged.
  if (pull !== undefined) return ok({ ...pullOf(pull), mergeable: pull.mergeable });
  const [, kind, sha] = /^\/repos\/acme\/shop\/git\/(commits|trees|blobs)\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (kind === undefined || sha === undefined) return undefined;
  return OBJECTS[kind]?.({ folder: state.gitFolder, sha, isRecursive: query.has('recursive') });
}

function pullOf({ number, head, branch, owner, repository, target, state, merge }: ForkPull): object {
  return {
    number,
    state: state ?? 'open',
    head: {
      sha: head,
      ref: branch,
      repo: repository === undefined ? null : { id: repository, full_name: `${owner}/shop` },
    },
    base: { ref: target ?? 'main' },
    user: { login: owner },
    merged_at: null,
    merge_commit_sha: merge,
  };
}

interface Wanted {
  readonly folder: string;
  readonly sha: string;
  readonly isRecursive: boolean;
}

const OBJECTS: Readonly<Record<string, (wanted: Wanted) => Answer>> = {
  commits: ({ folder, sha }) => {
    const [tree = '', ...parents] = read(folder, 'show', '-s', '--format=%T %P', sha).toString().trim().split(' ');
    return ok({ sha, tree: { sha: tree }, parents: parents.filter(Boolean).map((parent) => ({ sha: parent })) });
  },
  trees: ({ folder, sha, isRecursive }) => {
    const lines = read(folder, 'ls-tree', '-z', '-l', ...(isRecursive ? ['-r', '-t'] : []), sha)
      .toString()
      .split('\0');
    const tree = lines.filter(Boolean).map((line) => {
      const [facts = '', name = ''] = line.split('\t');
      const [mode = '', type = '', object = '', size = ''] = facts.split(/ +/);
      return { path: name, mode, type, sha: object, ...(type === 'blob' && { size: Number(size) }) };
    });
    return ok({ sha, tree, truncated: false });
  },
  blobs: ({ folder, sha }) => {
    const bytes = read(folder, 'cat-file', 'blob', sha);
    // In lines, as GitHub answers.
    const content = bytes.toString('base64').replaceAll(/.{60}/g, '$&\n');
    return ok({ sha, size: bytes.length, encoding: 'base64', content });
  },
};

function read(folder: string, ...args: string[]): Buffer {
  return execFileSync('git', ['--git-dir', folder, ...args], { env: GIT_ENV, maxBuffer: 2 ** 28 });
}
