/** Finds the files that a filter of git changes between the repository and the disk. A filter is a program; none is run. */

import { runGit } from './run-git.ts';
import type { Repository } from './repository.ts';

export type FoundFilters =
  /** The names of filters by file. */
  | { readonly kind: 'found'; readonly filters: ReadonlyMap<string, string> }
  | { readonly kind: 'failed'; readonly detail: string };

/** The names of files are relative to the folder that git is called in. */
export async function findFilters({ caller }: Repository, files: readonly string[]): Promise<FoundFilters> {
  if (files.length === 0) return { kind: 'found', filters: new Map() };
  const run = await runGit(caller, {
    args: ['check-attr', '--stdin', '-z', 'filter', 'working-tree-encoding'],
    input: files.map((file) => `${file}\0`).join(''),
  });
  if (run.kind !== 'done') return { kind: 'failed', detail: run.detail };
  return { kind: 'found', filters: parseAttributes(run.stdout.toString()) };
}

/** The answer repeats file, attribute and value, each ended by a zero byte. */
function parseAttributes(text: string): ReadonlyMap<string, string> {
  const parts = text.split('\0');
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [file = '', attribute = '', value = ''] = parts.slice(at, at + 3);
    if (value === 'unspecified' || value === 'unset') continue;
    found.set(file, attribute === 'filter' ? value : `${attribute}=${value}`);
  }
  return found;
}
