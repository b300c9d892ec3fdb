/** The files of a repository as a search reads them: those on disk, those of a commit, or those of a folder without git. */

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { systemCode, FlagwrightError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { listCommit, listWorkingTree, type ListedFile, type ListedFiles } from '../../loop/git/code-files.ts';
import type { Objects } from '../../loop/git/objects.ts';
import { resolveName } from '../../loop/git/refs.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { HEAD_BYTES, isBinary, MOST_BYTES, readCode } from '../../code/references/code-text.ts';
import type { Collector, FurtherNames } from '../../code/references/collect.ts';
import { kindOfFile } from '../../code/references/file-kinds.ts';
import type { SkippedFiles } from '../../code/references/reference.ts';
import { quoteShort } from '../../report/escape.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import type { Session } from '../session/session.ts';

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
  const listFolder = (folder: string): readonly Dirent[] => {
    try {
      return readdirSync(path.join(top, folder), { withFileTypes: true });
    } catch {
      unreadable.push(folder);
      return [];
    }
  };
  const walk = (folder: string): void => {
    for (const entry of listFolder(folder)) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) walk(file);
      if (entry.isFile()) files.push({ file });
    }
  };
  walk('');
  return { files, submodules: [], unreadable, read: async ({ file }) => readOnDisk(top, file) };
}

const PASSED_OVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv']);

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

export interface CodePlace {
  readonly session: Session;
  readonly config: Config;
  readonly checkout: Checkout;
}

export interface FoundCodeFiles {
  /** Absolute folder that names of files are relative to. */
  readonly top: string;
  readonly files: CodeFiles;
  readonly commit?: string;
  /** Absent for a folder without git. */
  readonly repository?: Repository;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function findFiles(place: CodePlace, name: string | undefined): Promise<FoundCodeFiles> {
  return listFiles(place, name).catch((error: unknown) => {
    // git that was stopped gives no reason.
    place.session.interrupts.checkpoint();
    throw error;
  });
}

async function listFiles({ config, checkout }: CodePlace, name: string | undefined): Promise<FoundCodeFiles> {
  const opened = await checkout.opened;
  if (opened.kind === 'open') {
    const { repository } = opened;
    const objects = () => checkout.objectsOf(repository);
    if (name === undefined) return { top: repository.top, files: await codeOnDisk(repository, objects), repository };
    const commit = await resolveName(repository, `${name}^{commit}`);
    if (commit !== undefined)
      return { top: repository.top, files: await codeOfCommit(repository, commit, objects()), commit, repository };
    throw new FlagwrightError('usage', `--commit ${quoteShort(name)} is not a commit of this repository.`, {
      remedy: repository.shallow
        ? 'This clone has only part of the history. `git fetch --unshallow` gets the rest.'
        : 'Name a commit, a branch or a tag.',
    });
  }
  if (opened.kind === 'none' && name === undefined) return { top: config.root, files: codeOfFolder(config.root) };
  const why = opened.kind === 'refused' ? opened.detail : NO_GIT[opened.kind];
  throw new FlagwrightError('file', `The code cannot be read with git: ${why}.`, {
    remedy:
      opened.kind === 'none' ? 'Omit --commit to search the files on disk.' : 'Make `git status` work in this folder.',
  });
}

const NO_GIT = { none: 'this is not a git repository', git_missing: 'git is not installed' } as const;

interface ReadCode {
  readonly code: readonly ReadCodeFile[];
  readonly lines: number;
  readonly skipped: SkippedFiles;
  /** The skipped ones that were not even searched as text. */
  readonly left: readonly ListedFile[];
}

export type ReadCodeFile = ListedFile & { readonly isUtf16: boolean };

export async function readFiles(
  session: Session,
  { files, read }: Pick<CodeFiles, 'files' | 'read'>,
  into: FurtherNames & Partial<Pick<Collector, 'addGenerated'>>,
): Promise<ReadCode> {
  const none = (): string[] => [];
  const skipped = { binary: none(), generated: none(), large: none(), unreadable: none(), submodules: none() };
  const locks = files.filter(({ file }) => kindOfFile(file) === 'lock');
  skipped.generated.push(...locks.map(({ file }) => file));
  const code: ReadCodeFile[] = [];
  const left: ListedFile[] = [...locks];
  let lines = 0;
  const others = files.filter(({ file }) => kindOfFile(file) !== 'lock');
  await eachFile(session, { files: others, read }, (listed, content) => {
    const { file } = listed;
    const text = content.kind === 'bytes' ? readCode(content.bytes, file) : content;
    if (text.kind === 'none') return;
    if (text.kind === 'code') {
      code.push({ ...listed, isUtf16: text.isUtf16 });
      lines += text.lines;
      into.add({ file, bytes: text.bytes });
      return;
    }
    skipped[text.kind].push(file);
    if (text.kind === 'generated' && text.bytes !== undefined) into.addGenerated?.({ file, bytes: text.bytes });
    else left.push(listed);
  });
  return { code, lines, skipped, left };
}

/** Some at a time: git answers in order, and a signal ends the search in between. */
export async function eachFile(
  session: Session,
  { files, read }: Pick<CodeFiles, 'files' | 'read'>,
  onFile: (file: ListedFile, content: CodeContent) => void,
): Promise<void> {
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await session.interrupts.breathe();
    const some = files.slice(from, from + AT_ONCE);
    const contents = await Promise.all(some.map(read));
    for (const [index, content] of contents.entries()) onFile(some[index] as ListedFile, content);
  }
}

const AT_ONCE = 64;
