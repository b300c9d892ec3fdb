/** The files of a repository as a search reads them: those on disk, those of a commit, or those of a folder without git. */

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

import path from 'node:path';
import { systemCode, FlagwrightError } from '../../base/errors.ts';
import { listCommit, listWorkingTree, type ListedFile, type ListedFiles } from '../../git/code-files.ts';
import type { Objects } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { HEAD_BYTES, isBinary, MOST_BYTES } from '../../references/code-text.ts';
import type { SkippedFiles } from '../../references/reference.ts';

/** Names are from `top`, with slashes. */
export interface CodeFiles {
  readonly files: readonly ListedFile[];
  readonly submodules: readonly string[];
  /** Folders that cannot be listed. */
  readonly unreadable: readonly string[];
  readonly read: (file: ListedFile) => Promise<CodeContent>;
}

export type CodeContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: Extract<keyof SkippedFiles, 'binary' | 'large' | 'unreadable'> }
  /** Deleted on disk, and not yet in git; or no ordinary file. */
  | { readonly kind: 'none' };

/** @throws {FlagwrightError} `file` if git cannot list them. */
export async function codeOnDisk(repository: Repository, objects: () => Objects): Promise<CodeFiles> {
  const { files, submodules, unreadable } = listedOr(await listWorkingTree(repository), 'the files on disk');
  return {
    files,
    submodules,
    unreadable,
    read: async (listed) => {
      const content = readOnDisk(repository.top, listed.file);
      return content.kind === 'none' && listed.isSparse === true ? readBlob(objects(), listed) : content;
    },
  };
}

/** @throws {FlagwrightError} `file` if git cannot list them. */
export async function codeOfCommit(repository: Repository, commit: string, objects: Objects): Promise<CodeFiles> {
  const { files, submodules } = listedOr(await listCommit(repository, commit), 'the files of the commit');
  return { files, submodules, unreadable: [], read: async (listed) => readBlob(objects, listed) };
}

/** All files of the folder: nothing says which are ignored where git is missing. Links are not followed. */
export function codeOfFolder(top: string): CodeFiles {
  const files: ListedFile[] = [];
  const unreadable: string[] = [];
  const walk = (folder: string): void => {
    const entries = listFolder(path.join(top, folder));
    if (entries === undefined) unreadable.push(folder);
    for (const entry of entries ?? []) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) walk(file);
      if (entry.isFile()) files.push({ file });
    }
  };
  walk('');
  return { files, submodules: [], unreadable, read: async ({ file }) => readOnDisk(top, file) };
}

const PASSED_OVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv']);

function listFolder(folder: string): ReturnType<typeof readEntries> | undefined {
  try {
    return readEntries(folder);
  } catch {
    return undefined;
  }
}

function readEntries(folder: string): readonly { readonly name: string; isDirectory(): boolean; isFile(): boolean }[] {
  return readdirSync(folder, { withFileTypes: true });
}

function listedOr(listed: ListedFiles, what: string): Extract<ListedFiles, { readonly kind: 'listed' }> {
  if (listed.kind === 'listed') return listed;
  throw new FlagwrightError('file', `git cannot list ${what}: ${listed.detail}.`, {
    remedy: 'Run `git status` in this folder, and fix what it reports.',
  });
}

/** Synchronous: for thousands of small files, waiting for each costs more than reading it. */
function readOnDisk(top: string, file: string): CodeContent {
  let opened: number | undefined;
  try {
    opened = openSync(path.join(top, file), ONLY_FILES);
    const facts = fstatSync(opened);
    if (!facts.isFile()) return { kind: 'none' };
    if (facts.size <= MOST_BYTES) return { kind: 'bytes', bytes: readFileSync(opened) };
    const head = new Uint8Array(HEAD_BYTES);
    return { kind: isBinary(head.subarray(0, readSync(opened, head)), file) ? 'binary' : 'large' };
  } catch (error) {
    return { kind: GONE.has(systemCode(error)) ? 'none' : 'unreadable' };
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** A pipe would wait for its writer, and a link may lead out of the repository. */
const ONLY_FILES = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

async function readBlob(objects: Objects, { file, blob = '' }: ListedFile): Promise<CodeContent> {
  const object = await objects.read(blob);
  if (object === undefined) return { kind: 'unreadable' };
  const { bytes, start = bytes, size } = object;
  if (bytes !== undefined && size <= MOST_BYTES) return { kind: 'bytes', bytes };
  return { kind: start !== undefined && isBinary(start, file) ? 'binary' : 'large' };
}
