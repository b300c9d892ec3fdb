/** Finds how attributes make git change files between the repository and the disk. Filters are programs, and none is run. */

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Repository } from './repository.ts';
import { type GitRun, runGit } from './run-git.ts';

type FoundFilters =
  /** The names of filters by file. */
  | { readonly kind: 'found'; readonly filters: ReadonlyMap<string, string> }
  | { readonly kind: 'failed'; readonly detail: string };

/** Finds the files that a filter changes. `files`: absolute and without links, since attributes belong to where a file is. */
export async function findFilters(repository: Repository, files: readonly string[]): Promise<FoundFilters> {
  if (files.length === 0) return { kind: 'found', filters: new Map() };
  const run = await readAttributes(repository, files, ['filter', 'working-tree-encoding']);
  if (run.kind !== 'done') return { kind: 'failed', detail: run.detail };
  const set = parseAttributes(run.stdout.toString()).filter(
    ({ value }) => value !== 'unspecified' && value !== 'unset',
  );
  const named = set.map(({ file, attribute, value }): [string, string] => [
    file,
    attribute === 'filter' ? value : `${attribute}=${value}`,
  ]);
  return { kind: 'found', filters: new Map(named) };
}

/** `file`: absolute, on disk. */
async function isSet(repository: Repository, file: string, attribute: string): Promise<boolean> {
  const place = await realpath(file).catch(() => undefined);
  if (place === undefined) return false;
  const run = await readAttributes(repository, [place], [attribute]);
  return run.kind === 'done' && parseAttributes(run.stdout.toString())[0]?.value === 'set';
}

function readAttributes(
  { caller }: Repository,
  files: readonly string[],
  attributes: readonly string[],
): Promise<GitRun> {
  return runGit(caller, {
    args: ['check-attr', '--stdin', '-z', ...attributes],
    input: files.map((file) => `${file}\0`).join(''),
  });
}

interface Attribute {
  readonly file: string;
  readonly attribute: string;
  readonly value: string;
}

/** The answer repeats file, attribute and value, each ended by a zero byte. */
function parseAttributes(text: string): readonly Attribute[] {
  const parts = text.split('\0');
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, index) => {
    const [file = '', attribute = '', value = ''] = parts.slice(3 * index, 3 * index + 3);
    return { file, attribute, value };
  });
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
  const hasKeywords = KEYWORD.test(plain) && (await isSet(repository, file, 'ident'));
  const stored = hasKeywords ? plain.replaceAll(KEYWORDS, '$Id$') : plain;
  return stored === text ? names : [...names, blobName(Buffer.from(stored, 'latin1'), repository)];
}

const KEYWORD = /\$Id:[^$\n]*\$/;
const KEYWORDS = new RegExp(KEYWORD, 'g');
