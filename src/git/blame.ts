/** Who changed lines of files last, by the history of the checkout. */

import { setMember } from '../base/json.ts';
import { findFilters } from './filters.ts';
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
  /** git does not say; `detail`: why. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** By line number. `file` is relative to the folder that git is called in. One process. */
export async function blameLines(
  repository: Repository,
  file: string,
  lines: readonly number[],
): Promise<ReadonlyMap<number, BlamedLine>> {
  const all = (line: BlamedLine): ReadonlyMap<number, BlamedLine> => new Map(lines.map((number) => [number, line]));
  // git would start the program of a filter to compare the file on disk.
  const found = await findFilters(repository, [file]);
  if (found.kind === 'failed') return all({ kind: 'unknown', detail: found.detail });
  const filter = found.filters.get(file);
  if (filter !== undefined) return all({ kind: 'unknown', detail: `the filter ${filter} of git changes the file` });
  const run = await runGit(repository.caller, {
    args: ['blame', '--no-textconv', '--porcelain', ...lines.flatMap((line) => ['-L', `${line},${line}`]), '--', file],
  });
  if (run.kind === 'done') return parseBlame(run.stdout.toString(), repository.shallow);
  const isNew = !(await isCommitted(repository, file));
  return all(isNew ? { kind: 'uncommitted' } : { kind: 'unknown', detail: run.detail });
}

async function isCommitted({ caller }: Repository, file: string): Promise<boolean> {
  const run = await runGit(caller, { args: ['rev-parse', '--quiet', '--verify', `HEAD:./${file}`] });
  return run.kind === 'done';
}

/** Each line begins with its commit; what is known of the commit follows where the commit is named first. */
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

/** By the names that git gives them. */
type CommitFacts = Record<string, string> & typeof UNKNOWN;

const UNKNOWN = { commit: '', author: '', 'author-mail': '', 'author-time': '', summary: '' };

function toLine(facts: CommitFacts, shallow: boolean): BlamedLine {
  const { commit, author, summary } = facts;
  if (/^0+$/.test(commit)) return { kind: 'uncommitted' };
  // Where a history is cut off, all older lines seem to come from its first commit.
  if (shallow && 'boundary' in facts) {
    return { kind: 'unknown', detail: 'the shallow clone lacks the commit that changed the line' };
  }
  return {
    kind: 'commit',
    commit,
    author: [author, facts['author-mail']].filter((part) => part !== '').join(' '),
    // git stores any number of seconds.
    at: new Date(Math.min(Number(facts['author-time']), LATEST_SECONDS) * 1000).toISOString(),
    summary,
  };
}

/** The last moment that a date can be. */
const LATEST_SECONDS = 8.64e12;
