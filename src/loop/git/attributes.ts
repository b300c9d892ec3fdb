/** Finds how attributes make git change files between the repository and the disk. Filters are programs, and none is run. */

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

type FoundFilters =
  /** The names of filters by file. */
  | { readonly kind: 'found'; readonly filters: ReadonlyMap<string, string> }
  | { readonly kind: 'failed'; readonly detail: string };

/** Finds the files that a filter changes. `files`: absolute and without links, since attributes belong to where a file is. */
export async function findFilters(repository: Repository, files: readonly string[]): Promise<FoundFilters> {
  if (files.length === 0) return { kind: 'found', filters: new Map() };
  const read = await readAttributes(repository, files, ['filter', 'working-tree-encoding']);
  if (!Array.isArray(read)) return { kind: 'failed', detail: read.detail };
  const set = read.filter(([, , value]) => value !== 'unspecified' && value !== 'unset');
  const named = set.map(([file, name, value]) => [file, name === 'filter' ? value : `${name}=${value}`] as const);
  return { kind: 'found', filters: new Map(named) };
}

type SetAttribute = readonly [file: string, name: string, value: string];

async function readAttributes(
  { caller }: Repository,
  files: readonly string[],
  names: readonly string[],
): Promise<SetAttribute[] | { readonly detail: string }> {
  const input = files.map((file) => `${file}\0`).join('');
  const run = await runGit(caller, { args: ['check-attr', '--stdin', '-z', ...names], input });
  if (run.kind !== 'done') return { detail: run.detail };
  // The answer repeats file, attribute and value, each ended by a zero byte.
  const answers = run.stdout.toString().matchAll(/([^\0]*)\0([^\0]*)\0([^\0]*)\0/g);
  return Array.from(answers, ([, file = '', name = '', value = '']) => [file, name, value] as const);
}

/** The id that git gives to the content of a file. */
export function blobName(bytes: Uint8Array, { hash }: Pick<Repository, 'hash'>): string {
  return createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * The ids that the content of a file on disk may have in git: as it is, or before git changed it on checkout. git may change line ends,
 * which mean nothing in YAML, and keywords if the attribute `ident` is set. `file`: absolute; it may be below links.
 */
export async function blobNames(bytes: Uint8Array, repository: Repository, file: string): Promise<readonly string[]> {
  const names = [blobName(bytes, repository)];
  const text = Buffer.from(bytes).toString('latin1');
  const plain = text.replaceAll('\r\n', '\n');
  const place = KEYWORD.test(plain) ? await realpath(file).catch(() => undefined) : undefined;
  const read = place === undefined ? [] : await readAttributes(repository, [place], ['ident']);
  const hasKeywords = Array.isArray(read) && read[0]?.[2] === 'set';
  const stored = hasKeywords ? plain.replaceAll(KEYWORDS, '$Id$') : plain;
  return stored === text ? names : [...names, blobName(Buffer.from(stored, 'latin1'), repository)];
}

const KEYWORD = /\$Id:[^$\n]*\$/;
const KEYWORDS = new RegExp(KEYWORD, 'g');
