/** Searches the code of the repository around the configuration: the files on disk, those of a commit, or a folder without git. */

import path from 'node:path';
import picomatch from 'picomatch';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { matchFiles } from '../../config/match-files.ts';
import type { Config } from '../../config/config.ts';
import { DEFAULT_TESTS } from '../../expectations/read.ts';
import type { ListedFile } from '../../git/code-files.ts';
import { resolveName } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { isLockFile, readCode } from '../../references/code-text.ts';
import { createCollector, type Collector, type FurtherNames } from '../../references/collect.ts';
import { nameKeys } from '../../references/names.ts';
import { parsePattern } from '../../references/patterns.ts';
import type { CodeReferences, SkippedFiles } from '../../references/reference.ts';
import type { SearchedRepository } from '../../references/use.ts';
import { quoteShort } from '../../report/escape.ts';
import type { Checkout } from '../applied/checkout.ts';
import type { Session } from '../session/session.ts';
import { codeOfCommit, codeOfFolder, codeOnDisk, type CodeFiles } from './code-files.ts';

export interface CodeSearch {
  /** Of all flags. Those with other characters than letters, digits, `_` and `-` cannot be searched for. */
  readonly keys: readonly string[];
  /** The keys of the flags for which accessors are generated. */
  readonly accessors: readonly string[];
  /** The name of a commit in place of the files on disk. */
  readonly commit?: string;
  /** Look for the keys in minified and generated files too: a change may make one of them of code. */
  readonly generated?: boolean;
  /** Files that name the keys for the search, relative to the working directory. */
  readonly passOver?: readonly string[];
}

export interface CodePlace {
  readonly session: Session;
  readonly config: Config;
  readonly checkout: Checkout;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function searchCode(place: CodePlace, search: CodeSearch): Promise<SearchedCode> {
  const { top, files, commit } = await findFiles(place, search.commit);
  const code = await searchFiles(
    place,
    search,
    chooseFiles(files, ownFiles(place, search), { config: place.config, top }),
  );
  return { top, repository: { code, ...defined({ commit }) } };
}

interface SearchedCode {
  /** Absolute folder that the names of files are relative to. */
  readonly top: string;
  readonly repository: SearchedRepository;
}

interface FoundFiles {
  /** Absolute folder that names of files are relative to. */
  readonly top: string;
  readonly files: CodeFiles;
  readonly commit?: string;
}

async function findFiles({ config, checkout }: CodePlace, name: string | undefined): Promise<FoundFiles> {
  const opened = await checkout.opened;
  if (opened.kind === 'open') {
    const { repository } = opened;
    const objects = () => checkout.objectsOf(repository);
    if (name === undefined) return { top: repository.top, files: await codeOnDisk(repository, objects) };
    const commit = await findCommit(repository, name);
    return { top: repository.top, files: await codeOfCommit(repository, commit, objects()), commit };
  }
  if (opened.kind === 'none' && name === undefined) return { top: config.root, files: codeOfFolder(config.root) };
  const why =
    opened.kind === 'refused'
      ? opened.detail
      : opened.kind === 'none'
        ? 'this is no repository of git'
        : 'git is not installed';
  throw new FlagwrightError('file', `The code cannot be read with git: ${why}.`, {
    remedy:
      opened.kind === 'none' ? 'Omit --commit to search the files on disk.' : 'Make `git status` work in this folder.',
  });
}

async function findCommit(repository: Repository, name: string): Promise<string> {
  const id = await resolveName(repository, `${name}^{commit}`);
  if (id !== undefined) return id;
  throw new FlagwrightError('usage', `--commit ${quoteShort(name)} names no commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only a part of the history. `git fetch --unshallow` gets the rest.'
      : 'Name a commit, a branch or a tag.',
  });
}

/** Files of flagwright that are named, absolute: they declare flags, and read none. */
function ownFiles({ session, config }: CodePlace, { passOver = [] }: CodeSearch): ReadonlySet<string> {
  const { root, file, refs, policies } = config;
  const ofRoot = [
    ...(file === undefined ? [] : [path.basename(file)]),
    ...refs.sources.map((source) => source.file),
    ...(policies?.waivers === undefined ? [] : [policies.waivers]),
  ];
  return new Set([
    ...ofRoot.map((name) => path.resolve(root, name)),
    ...passOver.map((name) => path.resolve(session.context.cwd, name)),
  ]);
}

/** Leaves out what the configuration ignores, and the files of flagwright. */
function chooseFiles(
  found: CodeFiles,
  named: ReadonlySet<string>,
  { config, top }: { readonly config: Config; readonly top: string },
): CodeFiles {
  const { root, manifests, tests = DEFAULT_TESTS, refs } = config;
  const own = [matchFiles(manifests), matchFiles(tests)];
  const isChosen = refs.paths === undefined ? () => true : picomatch([...refs.paths], { dot: true });
  const isIgnored = picomatch([...refs.ignore], { dot: true });
  const below = path.relative(top, root).split(path.sep).join('/');
  const isCode = (name: string): boolean => {
    if (!isChosen(name) || isIgnored(name) || named.has(path.join(top, name))) return false;
    if (below !== '' && !name.startsWith(`${below}/`)) return true;
    const inRoot = below === '' ? name : name.slice(below.length + 1);
    return !own.some((matches) => matches(inRoot));
  };
  return {
    ...found,
    files: found.files.filter((listed) => isCode(listed.file)),
    submodules: found.submodules.filter(isCode),
    unreadable: found.unreadable.filter(isCode),
  };
}

async function searchFiles(
  { session, config }: CodePlace,
  { keys, accessors, generated = false }: CodeSearch,
  found: CodeFiles,
): Promise<CodeReferences> {
  const searched = keys.filter((key) => /^[\w-]+$/.test(key));
  const patterns = config.refs.patterns.flatMap((pattern) => parsePattern(pattern) ?? []);
  const names = nameKeys(searched, { accessors: accessors.filter((key) => searched.includes(key)), patterns });
  const collector = createCollector(names, picomatch([...config.refs.wrappers], { dot: true }));
  const reading = await readFiles(session, found, {
    add: (file) => collector.add(file),
    addGenerated: (file) => {
      if (generated) collector.addGenerated(file);
    },
  });
  const further = collector.further();
  if (further !== undefined) await readFiles(session, { ...found, files: reading.code }, further);
  const { lines, skipped, code } = reading;
  return {
    keys: searched,
    ...collector.finish(),
    files: code.length,
    lines,
    skipped: { ...skipped, unreadable: [...found.unreadable, ...skipped.unreadable], submodules: found.submodules },
  };
}

interface Reading {
  /** The files that were searched. */
  readonly code: readonly ListedFile[];
  readonly lines: number;
  readonly skipped: SkippedFiles;
}

/** Some at a time: git answers in order, and a signal ends the search in between. */
async function readFiles(
  session: Session,
  { files, read }: CodeFiles,
  into: FurtherNames & Partial<Pick<Collector, 'addGenerated'>>,
): Promise<Reading> {
  const skipped = { binary: [], generated: [], large: [], unreadable: [], submodules: [] } as Record<
    keyof SkippedFiles,
    string[]
  >;
  const code: ListedFile[] = [];
  let lines = 0;
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await session.interrupts.breathe();
    const some = files.slice(from, from + AT_ONCE);
    const locks = some.filter(({ file }) => isLockFile(file));
    skipped.generated.push(...locks.map(({ file }) => file));
    const others = some.filter(({ file }) => !isLockFile(file));
    const contents = await Promise.all(others.map(read));
    for (const [index, content] of contents.entries()) {
      const listed = others[index] as ListedFile;
      const text = content.kind === 'bytes' ? readCode(content.bytes, listed.file) : content;
      if (text.kind === 'none') continue;
      if (text.kind !== 'code') {
        skipped[text.kind].push(listed.file);
        addGenerated(listed.file, text, into);
        continue;
      }
      code.push(listed);
      lines += text.lines;
      into.add({ file: listed.file, bytes: text.bytes });
    }
  }
  return { code, lines, skipped };
}

function addGenerated(
  file: string,
  text: { readonly kind: keyof SkippedFiles; readonly bytes?: Uint8Array },
  into: Partial<Pick<Collector, 'addGenerated'>>,
): void {
  if (text.bytes !== undefined) into.addGenerated?.({ file, bytes: text.bytes });
}

const AT_ONCE = 64;
