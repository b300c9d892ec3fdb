/** Finds who last changed lines of files, from the history of the checkout. */

import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setMember } from '../../base/json.ts';
import { findFilters } from './code-files.ts';
import { leaves } from './commit-tree.ts';
import { resolveName } from './refs.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export type BlamedLine =
  | {
      readonly kind: 'commit';
      readonly commit: string;
      /** The author's name, and the address in angle brackets. */
      readonly author: string;
      /** ISO 8601. */
      readonly at: string;
      /** The first line of the commit's message. */
      readonly summary: string;
    }
  /** The line differs from the last commit, or its file is not in it. */
  | { readonly kind: 'uncommitted' }
  /** git gives no answer; `detail`: why. */
  | { readonly kind: 'unknown'; readonly detail: string };

/**
 * Returns what is known of each line, by its number. `file`: relative to the folder of the repository; it may be below a link, although git
 * knows files by their real location. Starts one process if git knows the file.
 */
export async function blameLines(
  repository: Repository,
  file: string,
  lines: readonly number[],
): Promise<ReadonlyMap<number, BlamedLine>> {
  const all = (line: BlamedLine): ReadonlyMap<number, BlamedLine> => new Map(lines.map((number) => [number, line]));
  const place = await realpath(join(repository.folder, file)).catch(() => undefined);
  if (place === undefined) return all(unknown('the file cannot be read'));
  const path = relative(repository.top, place);
  if (leaves(path)) return all(unknown('the file is not in the checkout'));
  // git would start the program of a filter to compare the file on disk.
  const found = await findFilters(repository, [place]);
  if (found.kind === 'failed') return all(unknown(found.detail));
  const filter = found.filters.get(place);
  if (filter !== undefined) return all(unknown(`the filter ${filter} of git changes the file`));
  const ranges = lines.length > MOST_RANGES ? [] : lines.flatMap((line) => ['-L', `${line},${line}`]);
  const run = await runGit(repository.caller, {
    args: ['blame', '--no-textconv', '--porcelain', ...ranges, '--', place],
  });
  if (run.kind === 'done') return parseBlame(run.stdout.toString(), repository.shallow);
  return all(await whyNotBlamed(repository, path.split(sep).join('/'), run.detail));
}

/** The most ranges: beyond, the whole file is blamed, since the length of a command line is limited. */
const MOST_RANGES = 500;

function unknown(detail: string): BlamedLine {
  return { kind: 'unknown', detail };
}

/** `path`: from the top of the checkout. */
async function whyNotBlamed(repository: Repository, path: string, detail: string): Promise<BlamedLine> {
  if ((await resolveName(repository, 'HEAD')) === undefined) return { kind: 'uncommitted' };
  const names = path.split('/');
  const prefixes = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const run = await runGit(repository.caller, { args: ['ls-tree', '-z', '--full-tree', 'HEAD', '--', ...prefixes] });
  if (run.kind !== 'done') return unknown(run.detail);
  const entries = run.stdout.toString().split('\0');
  if (entries.some((entry) => entry.startsWith(SUBMODULE))) return unknown('the file is in a submodule');
  return entries.some((entry) => entry.endsWith(`\t${path}`)) ? unknown(detail) : { kind: 'uncommitted' };
}

/** The mode of a submodule's folder. */
const SUBMODULE = '160000 ';

/** Parses git's porcelain format: each line begins with its commit, and the facts of a commit follow its first occurrence. */
function parseBlame(text: string, shallow: boolean): ReadonlyMap<number, BlamedLine> {
  const commits = new Map<string, CommitFacts>();
  const lines: (readonly [number, CommitFacts])[] = [];
  let current: CommitFacts = { ...UNKNOWN };
  for (const line of text.split('\n')) {
    const [, commit, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    const [, name, value = ''] = /^([a-z-]+)(?: (.*))?$/.exec(line) ?? [];
    if (commit !== undefined) {
      current = commits.get(commit) ?? { ...UNKNOWN, commit };
      commits.set(commit, current);
      lines.push([Number(number), current]);
    } else if (name !== undefined) {
      setMember(current, name, value);
    }
  }
  return new Map(lines.map(([number, facts]) => [number, toLine(facts, shallow)]));
}

/** The facts of a commit, under git's names. */
type CommitFacts = Record<string, string> & typeof UNKNOWN;

const UNKNOWN = { commit: '', author: '', 'author-mail': '', 'author-time': '', summary: '' };

function toLine(facts: CommitFacts, shallow: boolean): BlamedLine {
  const { commit, author, summary } = facts;
  if (/^0+$/.test(commit)) return { kind: 'uncommitted' };
  // A shallow history attributes all older lines to its first commit.
  if (shallow && 'boundary' in facts) {
    return unknown('the shallow clone lacks the commit that changed the line');
  }
  return {
    kind: 'commit',
    commit,
    author: [author, facts['author-mail']].filter((part) => part !== '').join(' '),
    // git accepts any number of seconds.
    at: new Date(Math.min(Number(facts['author-time']), LATEST_SECONDS) * 1000).toISOString(),
    summary,
  };
}

/** The latest time that a `Date` can hold. */
const LATEST_SECONDS = 8.64e12;
