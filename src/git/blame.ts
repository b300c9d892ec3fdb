/** Who changed lines of files last, by the history of the checkout. */

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
  const filter = (await findFilters(repository, [file])).get(file);
  if (filter !== undefined) return all({ kind: 'unknown', detail: `the filter ${filter} of git changes the file` });
  const run = await runGit(repository.caller, {
    args: ['blame', '--no-textconv', '--porcelain', ...lines.flatMap((line) => ['-L', `${line},${line}`]), '--', file],
  });
  if (run.kind === 'done') return parseBlame(run.stdout.toString(), lines, repository.shallow);
  if (run.kind === 'missing') return all({ kind: 'unknown', detail: 'git is missing' });
  const isNew = !(await isCommitted(repository, file));
  return all(isNew ? { kind: 'uncommitted' } : { kind: 'unknown', detail: run.detail });
}

async function isCommitted({ caller }: Repository, file: string): Promise<boolean> {
  const run = await runGit(caller, { args: ['rev-parse', '--quiet', '--verify', `HEAD:./${file}`] });
  return run.kind === 'done';
}

/** Each line begins with its commit; what is known of the commit follows where the commit is named first. */
function parseBlame(text: string, lines: readonly number[], shallow: boolean): ReadonlyMap<number, BlamedLine> {
  const facts = new Map<string, Map<string, string>>();
  const commits = new Map<number, string>();
  let current = '';
  for (const line of text.split('\n')) {
    const [, commit, number] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(line) ?? [];
    if (commit !== undefined) {
      current = commit;
      commits.set(Number(number), commit);
      if (!facts.has(commit)) facts.set(commit, new Map());
      continue;
    }
    const [, name, value] = /^([a-z-]+)(?: (.*))?$/.exec(line) ?? [];
    if (name !== undefined) facts.get(current)?.set(name, value ?? '');
  }
  const end = shallow ? 'the shallow clone lacks the commit that changed the line' : undefined;
  return new Map(lines.map((line) => [line, toLine(commits.get(line), facts, end)]));
}

/** `end`: why nothing is known of older lines. Where a history is cut off, they all seem to come from its first commit. */
function toLine(
  commit: string | undefined,
  facts: ReadonlyMap<string, ReadonlyMap<string, string>>,
  end: string | undefined,
): BlamedLine {
  const known = commit === undefined ? undefined : facts.get(commit);
  if (commit === undefined || known === undefined) return { kind: 'unknown', detail: 'git does not know the line' };
  if (/^0+$/.test(commit)) return { kind: 'uncommitted' };
  if (end !== undefined && known.has('boundary')) return { kind: 'unknown', detail: end };
  const seconds = Number(known.get('author-time'));
  return {
    kind: 'commit',
    commit,
    author: [known.get('author'), known.get('author-mail')]
      .filter((part) => part !== undefined && part !== '')
      .join(' '),
    at: new Date(Number.isFinite(seconds) ? seconds * 1000 : 0).toISOString(),
    summary: known.get('summary') ?? '',
  };
}
