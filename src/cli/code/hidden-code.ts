/**
 * Finds what a change hides from the search: a flag that the base reads must not count as found nowhere because the change makes its code
 * something that is not searched, or moves it there. What the change really deletes is no longer code.
 */

import { lstatSync } from 'node:fs';

import path from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { findFilters } from '../../git/attributes.ts';
import type { ListedFile } from '../../git/code-files.ts';
import { GitError } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { withoutZeros } from '../../references/code-text.ts';
import type { Collector } from '../../references/collect.ts';
import { isSealedDocument } from '../../references/document.ts';
import type { CodeReferences, Reference, SkippedFiles } from '../../references/reference.ts';
import type { HiddenCode } from '../../references/use.ts';
import { codeOfCommit, type CodeFiles, type CodeContent } from './code-files.ts';
import type { Session } from '../session/session.ts';
import type { CodePlace, FoundCodeFiles } from './find-files.ts';
import { eachFile, type ReadCodeFile } from './read-files.ts';

export interface CodeChange {
  /**
   * Searches what the change brings or edits and what is no code for the search, as text: it may be code that was moved.
   *
   * `left`: skipped files of code. @returns What could not be searched and may be code.
   */
  readonly readLeft: (
    left: readonly ListedFile[],
    add: Collector['addGenerated'],
  ) => Promise<Pick<SkippedFiles, 'large' | 'unreadable' | 'submodules'>>;
  /** What the base reads in files that are still there and were not searched. `search`: searches files of the base. */
  readonly findHidden: (
    read: readonly ReadCodeFile[],
    search: (former: CodeFiles) => Promise<{ readonly code: CodeReferences; readonly read: readonly ReadCodeFile[] }>,
  ) => Promise<HiddenCode | undefined>;
}

interface ChangeToOpen {
  /** The id of the commit before the change. */
  readonly base: string;
  readonly isCode: (name: string) => boolean;
  /** A file of flagwright, which is no code of the change. */
  readonly isNamed: (name: string) => boolean;
}

export async function openChange(
  { session, checkout }: CodePlace,
  { top, files, repository }: FoundCodeFiles,
  { base, isCode, isNamed }: ChangeToOpen,
): Promise<CodeChange | undefined> {
  if (repository === undefined) return undefined;
  const former = await codeOfCommit(repository, base, checkout.objectsOf(repository));
  const converted = await findConverted(repository, files);
  const isSearched = ({ file }: ListedFile): boolean => isCode(file) && !converted.has(file);
  const changed = { session, files, former, isCode, isSearched, isThere: presence(top, files.submodules) };
  return {
    readLeft: async (left, add) => {
      const others = files.files.filter((listed) => !isSearched(listed) && !isNamed(listed.file));
      return readLeft(changed, [...left, ...others], add);
    },
    findHidden: async (read, search) => findHidden(changed, read, search),
  };
}

interface ChangedFiles {
  readonly session: Session;
  /** The files on disk. */
  readonly files: CodeFiles;
  /** The files at the base. */
  readonly former: CodeFiles;
  readonly isCode: (name: string) => boolean;
  /** It is code, and on disk as git has it. */
  readonly isSearched: (listed: ListedFile) => boolean;
  readonly isThere: (name: string) => boolean;
}

async function readLeft(
  { session, files, former, isCode, isSearched }: ChangedFiles,
  left: readonly ListedFile[],
  add: Collector['addGenerated'],
): ReturnType<CodeChange['readLeft']> {
  const before = new Map(former.files.map(({ file, blob }) => [file, blob]));
  const changed = left.filter(({ file, blob }) => blob === undefined || before.get(file) !== blob);
  const [large, unreadable]: [string[], string[]] = [[], []];
  const addText = ({ file }: ListedFile, content: CodeContent): void => {
    if (content.kind === 'large') large.push(file);
    if (content.kind === 'unreadable') unreadable.push(file);
    if (content.kind !== 'bytes' || isSealedDocument(content.bytes)) return;
    add({ file, bytes: withoutZeros(content.bytes) });
  };
  await eachFile(session, { files: changed, read: files.read }, addText);
  const stored = changed.filter((listed) => listed.blob !== undefined && isCode(listed.file) && !isSearched(listed));
  await eachFile(session, { files: stored, read: former.read }, addText);
  const submodules = files.submodules.filter((name) => !isCode(name) && !former.submodules.includes(name));
  return { large, unreadable, submodules };
}

async function findHidden(
  { former, isCode, isSearched, isThere }: ChangedFiles,
  read: readonly ReadCodeFile[],
  search: Parameters<CodeChange['findHidden']>[1],
): Promise<HiddenCode | undefined> {
  const searched = new Map(read.filter(isSearched).map((listed) => [listed.file, listed]));
  const lost = former.files.filter(({ file }) => {
    const now = searched.get(file);
    return isCode(file) && (now === undefined ? isThere(file) : now.isUtf16);
  });
  if (lost.length === 0) return undefined;
  const { code, read: readBefore } = await search({ ...former, submodules: [], files: lost });
  // A mark of UTF-16 makes other text of what follows it.
  const always16 = new Set(
    readBefore.filter(({ file, isUtf16 }) => isUtf16 && searched.has(file)).map(({ file }) => file),
  );
  const isHidden = ({ place }: Pick<Reference, 'place'>): boolean => !always16.has(place.file);
  return {
    references: code.references.filter(isHidden),
    indirectReads: code.indirectReads.filter(isHidden),
    unread: [...code.skipped.large, ...code.skipped.unreadable],
  };
}

/** Files that git writes to disk in another way than it stores them. */
async function findConverted(repository: Repository, { files }: CodeFiles): Promise<ReadonlySet<string>> {
  if (!files.some(({ file }) => /(?:^|\/)\.gitattributes$/.test(file))) return new Set();
  const { top } = repository;
  const found = await findFilters(
    repository,
    files.map(({ file }) => path.join(top, file)),
  );
  if (found.kind === 'failed') throw new GitError(found.detail);
  return new Set([...found.filters.keys()].map((file) => path.relative(top, file).split(path.sep).join('/')));
}

/** Whether anything is where a file was, also behind a link or in a submodule. Files that are now below it have names of their own. */
function presence(top: string, submodules: readonly string[]): (file: string) => boolean {
  return (file) => {
    const parts = file.split('/');
    const folders = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return (
      folders.some((folder) => submodules.includes(folder)) ||
      folders.some((folder) => kindOf(path.join(top, folder)) === 'other') ||
      kindOf(path.join(top, file)) === 'file'
    );
  };
}

function kindOf(name: string): 'file' | 'folder' | 'none' | 'other' {
  try {
    const facts = lstatSync(name);
    return facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    return isMissing(error) ? 'none' : 'other';
  }
}
