/**
 * Lists the files of a repository that people work on: those on disk that git does not ignore, or those of a commit; and how attributes make
 * git change them. Filters are programs, and none is run.
 */

import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';

export type ListedFiles =
  | {
      readonly kind: 'listed';
      readonly files: readonly ListedFile[];
      readonly submodules: readonly string[];
      /** Folders that git cannot open. */
      readonly unreadable: readonly string[];
    }
  | { readonly kind: 'failed'; readonly detail: string };

/** Paths are from the top of the repository. Links are left out: what they lead to has a path of its own. */
export interface ListedFile {
  readonly file: string;
  /** The id of the content; absent for a file that git does not have. */
  readonly blob?: string;
  /** The file need not be on disk: a sparse checkout lacks it. */
  readonly isSparse?: true;
}

export async function listWorkingTree({ caller, top }: Repository): Promise<ListedFiles> {
  const run = await runGit(
    { ...caller, folder: top },
    { args: ['ls-files', '-z', '--stage', '-t', '--cached', '--others', '--exclude-standard'], limits: LIMITS },
  );
  if (run.kind !== 'done') return { kind: 'failed', detail: run.detail };
  const lines = split(run.stdout);
  const listed = parse(lines, /^([A-Z]) (\d{6}) ([0-9a-f]{40,64}) \d\t/);
  const others = lines.flatMap((line) => (line.startsWith(OTHER) ? [line.slice(OTHER.length)] : []));
  // Another repository that is no submodule is listed as a folder.
  const nested = others.filter((file) => file.endsWith('/')).map((file) => file.slice(0, -1));
  return {
    kind: 'listed',
    files: [...listed.files, ...others.filter((file) => !file.endsWith('/')).map((file) => ({ file }))],
    submodules: [...listed.submodules, ...nested],
    unreadable: [...(run.warnings ?? '').matchAll(/could not open directory '(.*?)\/?':/g)].map(
      ([, name = '']) => name,
    ),
  };
}

/** The tag of a file that git does not have. */
const OTHER = '? ';

/** `commit`: its id, of a commit that the repository has. */
export async function listCommit({ caller, top }: Repository, commit: string): Promise<ListedFiles> {
  const run = await runGit(
    { ...caller, folder: top },
    { args: ['ls-tree', '-r', '-z', '--full-tree', commit], limits: LIMITS },
  );
  if (run.kind !== 'done') return { kind: 'failed', detail: run.detail };
  return { kind: 'listed', ...parse(split(run.stdout), /^()(\d{6}) \w+ ([0-9a-f]{40,64})\t/), unreadable: [] };
}

/** A million files with long names. */
const LIMITS = { ms: 120_000, bytes: 300_000_000 };

/** `head`: the tag, the mode and the id of the content; the path follows. */
function parse(
  lines: readonly string[],
  head: RegExp,
): Pick<Extract<ListedFiles, { readonly kind: 'listed' }>, 'files' | 'submodules'> {
  const files = new Map<string, ListedFile>();
  const submodules: string[] = [];
  for (const line of lines) {
    const [found = '', tag = '', mode = '', blob = ''] = head.exec(line) ?? [];
    const file = line.slice(found.length);
    if (mode === '160000') submodules.push(file);
    if (mode.startsWith('100')) files.set(file, { file, blob, ...(tag === 'S' ? { isSparse: true } : {}) });
  }
  return { files: [...files.values()], submodules };
}

/** Names that are no UTF-8 stay distinct where they matter: on disk, such a file is unreadable by its name, and is reported so. */
function split(stdout: Buffer): readonly string[] {
  return stdout.toString().match(/[^\0]+/g) ?? [];
}

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
