/** All code that may read the flags of a configuration: this repository, and those whose references it gets. */

import { lstatSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { systemCode, isMissing } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { sizeText } from '../../base/wording.ts';
import type { RefsSource, Config } from '../../config/config.ts';
import { matchFiles } from '../../config/select.ts';
import { DEFAULT_TESTS } from '../../review/expectations/expectation.ts';
import { blobName, findFilters, type ListedFile } from '../../loop/git/code-files.ts';
import { GitError } from '../../loop/git/objects.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { parsePattern } from '../../code/references/casings.ts';
import { dependencyFinder, isOwnPage, readCode, withoutZeros } from '../../code/references/code-text.ts';
import { createCollector, type Collector } from '../../code/references/collect.ts';
import { kindOfFile as kindByName } from '../../code/references/file-kinds.ts';
import { type ReadSource, isSealedDocument } from '../../code/references/document.ts';
import { namingKeys } from '../../code/references/names.ts';
import type { CodeReferences, Reference, SkippedFiles } from '../../code/references/reference.ts';
import type { FormerDocument, KnownCode, SearchedRepository, HiddenCode } from '../../code/references/use.ts';
import type { Session } from '../session/session.ts';
import {
  type CodePlace,
  type CodeFiles,
  findFiles,
  readFiles,
  type ReadCodeFile,
  codeOfCommit,
  type CodeContent,
  type FoundCodeFiles,
  eachFile,
} from './code-files.ts';

export interface FoundCode {
  readonly code: KnownCode;
  /** The top of the repository, absolute: places in its code are relative to it. */
  readonly top: string;
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
export async function knowCode(place: CodePlace, search: CodeSearch): Promise<FoundCode> {
  const { top, repository } = await searchCode(place, search);
  const base = search.change?.base;
  const { repositories, gaps } = await knowSources(place, async (source) =>
    base === undefined ? undefined : readFormer(place, source, base),
  );
  return { top, code: { repositories: [repository, ...repositories], gaps } };
}

/** The code of the other repositories. `findFormer`: what a document said before a change that edits it. */
export async function knowSources(
  place: Pick<CodePlace, 'session' | 'config'>,
  findFormer: (source: RefsSource) => Promise<FormerDocument | undefined> = async () => undefined,
): Promise<KnownCode> {
  const sources = await Promise.all(
    place.config.refs.sources.map(async (source) => {
      const read = await readSource(place, source);
      if (read.kind === 'gap') return read;
      return { ...read, repository: { ...read.repository, ...defined({ former: await findFormer(source) }) } };
    }),
  );
  return {
    repositories: sources.flatMap((source) => (source.kind === 'read' ? source.repository : [])),
    gaps: sources.flatMap(({ gap }) => gap ?? []),
  };
}

/** The author of a change can also write a document that names nothing. */
async function readFormer(
  { session, config, checkout }: CodePlace,
  source: RefsSource,
  base: string,
): Promise<FormerDocument | undefined> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return undefined;
  const { file } = source;
  const full = path.resolve(config.root, file);
  const tree = checkout.treeOf(opened.repository, base);
  const blob = await tree.blobOf(full);
  if (blob === undefined || blob === blobName(await readFile(full), opened.repository)) return undefined;
  try {
    const { readReferences } = await import('../../code/references/document.ts');
    const text = Buffer.from(await tree.readFile(full)).toString('utf8');
    const read = readReferences(text, { ...source, maxAgeDays: Infinity }, session.context.now());
    // It proved nothing before either.
    return read.kind === 'gap' ? undefined : { file, code: read.repository.code };
  } catch {
    return { file };
  }
}

async function readSource(
  { session, config }: Pick<CodePlace, 'session' | 'config'>,
  source: RefsSource,
): Promise<ReadSource> {
  const { readReferences } = await import('../../code/references/document.ts');
  const { repository, file } = source;
  const full = path.resolve(config.root, file);
  try {
    const { size } = await stat(full);
    if (size > MOST_BYTES) return unreadable(`it has more than ${sizeText(MOST_BYTES)}`);
    return readReferences(await readFile(full, 'utf8'), source, session.context.now());
  } catch (error) {
    const code = systemCode(error);
    return code === 'ENOENT' ? { kind: 'gap', gap: { code: 'source_missing', repository, file } } : unreadable(code);
  }

  function unreadable(detail: string): ReadSource {
    return { kind: 'gap', gap: { code: 'source_unreadable', repository, file, detail } };
  }
}

/** The limit of a document; those of the largest repositories have a tenth. */
const MOST_BYTES = 100_000_000;

interface CodeSearch {
  /** The keys of all flags. Those with other characters than letters, digits, `_` and `-` cannot be searched for. */
  readonly keys: readonly string[];
  /** The keys of the flags for which accessors are generated. */
  readonly accessors: readonly string[];
  /** The name of a commit to search instead of the files on disk. */
  readonly commit?: string;
  /** The files on disk are those of a change, which must not hide code. */
  readonly change?: {
    /** The id of the commit before the change; absent: it is unknown what the change does. */
    readonly base?: string;
  };
  /** Files that name the keys for the search, relative to the working directory. */
  readonly passOver?: readonly string[];
}

/** @throws {FlagwrightError} `usage` for an unknown commit, `file` if git fails. */
async function searchCode(
  place: CodePlace,
  search: CodeSearch,
): Promise<Pick<FoundCode, 'top'> & { readonly repository: SearchedRepository }> {
  const { session, config } = place;
  const found = await findFiles(place, search.commit);
  const { top, files, commit, repository } = found;
  const passedOver = (search.passOver ?? []).map((name) => path.resolve(session.context.cwd, name));
  // The files of flagwright that the configuration names.
  const { file, refs, exceptions } = config;
  const sources = refs.sources.map((source) => source.file);
  const own = [file && path.basename(file), ...sources, exceptions];
  const named = new Set([...own.flatMap((name) => (name ? path.resolve(config.root, name) : [])), ...passedOver]);
  const base = search.change?.base;
  const former =
    base === undefined || repository === undefined
      ? undefined
      : await codeOfCommit(repository, base, place.checkout.objectsOf(repository));
  // A change does not decide what its dependencies are.
  const kindOfFile = fileJudge(config, { top, named, files: (former ?? files).files });
  const isCode = (name: string): boolean => kindOfFile(name) === 'code';
  const isNamed = (name: string): boolean => named.has(path.join(top, name));
  const change = former && repository && (await openChange(session, { ...found, repository, former, isCode, isNamed }));
  const [documentation, dependencies] = [[] as string[], new Set<string>()];
  for (const { file: name } of files.files) {
    const kind = kindOfFile(name);
    if (kind === 'documentation') documentation.push(name);
    else if (typeof kind === 'object') dependencies.add(kind.dependencies);
  }
  const searched = {
    ...files,
    files: files.files.filter(({ file }) => isCode(file)),
    submodules: files.submodules.filter(isCode),
    unreadable: files.unreadable.filter(isCode),
  };
  const { code: known, read } = await searchFiles(place, search, { files: searched, ...defined({ change }) });
  const hidden = await change?.findHidden(read, (former) => searchFiles(place, search, { files: former }));
  const code = { ...known, skipped: { ...known.skipped, documentation, dependencies: [...dependencies] } };
  return { top, repository: { code, ...defined({ commit, hidden }) } };
}

async function searchFiles(
  { session, config }: CodePlace,
  search: CodeSearch,
  { files: found, change }: { readonly files: CodeFiles; readonly change?: CodeChange },
): Promise<{ readonly code: CodeReferences; readonly read: readonly ReadCodeFile[] }> {
  const keys = search.keys.filter((key) => /^[\w-]+$/.test(key));
  const { refs } = config;
  const patterns = refs.patterns.flatMap((pattern) => parsePattern(pattern) ?? []);
  // A repository of manifests alone has no code to name them.
  const named = change !== undefined || (await mayHaveCode(found)) ? keys : [];
  const searched = new Set(named);
  const steps = namingKeys(named, { accessors: search.accessors.filter((key) => searched.has(key)), patterns });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await session.interrupts.breathe();
  const collector = createCollector(step.value, picomatch([...refs.wrappers], { dot: true }));
  const { add, addGenerated } = collector;
  const reading = await readFiles(session, found, {
    add,
    ...defined({ addGenerated: search.change && addGenerated }),
  });
  const rest = await change?.readLeft(reading.left, addGenerated);
  const further = collector.further();
  if (further !== undefined) await readFiles(session, { ...found, files: reading.code }, further);
  const { lines, skipped, code: read } = reading;
  const code = {
    keys,
    ...collector.finish(),
    files: read.length,
    lines,
    skipped: {
      ...skipped,
      large: [...skipped.large, ...(rest?.large ?? [])],
      unreadable: [...new Set([...found.unreadable, ...skipped.unreadable, ...(rest?.unreadable ?? [])])],
      submodules: [...found.submodules, ...(rest?.submodules ?? [])],
    },
  };
  return { code, read };
}

/** Of a few files, such as a page of flags beside manifests, each is looked at first: to name thousands of keys costs more. */
async function mayHaveCode({ files, read }: CodeFiles): Promise<boolean> {
  if (files.length > FEW_FILES) return true;
  const contents = await Promise.all(files.map(read));
  return contents.some(
    (content, index) =>
      content.kind === 'bytes' && readCode(content.bytes, (files[index] as ListedFile).file).kind === 'code',
  );
}

const FEW_FILES = 4;

/** `none`: a file of flagwright, or one that the configuration leaves out. `dependencies`: the folder. */
type FileKind = 'code' | 'none' | 'documentation' | { readonly dependencies: string };

/** Says what a file is, named from the top of the repository. `named`: absolute files that declare flags, and read none. */
function fileJudge(
  { root, manifests, tests = DEFAULT_TESTS, refs }: Config,
  {
    top,
    named,
    files,
  }: { readonly top: string; readonly named: ReadonlySet<string>; readonly files: readonly ListedFile[] },
): (name: string) => FileKind {
  const own = [matchFiles(manifests), matchFiles(tests)];
  const isChosen = refs.paths === undefined ? () => true : picomatch([...refs.paths], { dot: true });
  const ignored = refs.ignore.filter((glob) => !glob.startsWith('!'));
  const isIgnored = picomatch(ignored, { dot: true });
  const wanted = refs.ignore.flatMap((glob) => (glob.startsWith('!') ? glob.slice(1) : []));
  const isWanted = picomatch(wanted, { dot: true });
  const findDependencies = dependencyFinder(files);
  const below = path.relative(top, root).split(path.sep).join('/');
  const isOwn = (name: string): boolean => {
    if (below !== '' && !name.startsWith(`${below}/`)) return false;
    const inRoot = below === '' ? name : name.slice(below.length + 1);
    return own.some((matches) => matches(inRoot));
  };
  return (name) => {
    const isLeft = !isChosen(name) || (isIgnored(name) && !isWanted(name));
    if (isLeft || named.has(path.join(top, name)) || isOwn(name)) return 'none';
    if (isWanted(name)) return 'code';
    const dependencies = findDependencies(name);
    if (dependencies !== undefined) return { dependencies };
    const kind = kindByName(name);
    return kind === 'own' ? 'none' : kind === 'documentation' ? kind : 'code';
  };
}

interface CodeChange {
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

async function openChange(
  session: Session,
  change: FoundCodeFiles & {
    readonly repository: Repository;
    /** Of the commit before the change. */
    readonly former: CodeFiles;
    readonly isCode: (name: string) => boolean;
    /** A file of flagwright, which is no code of the change. */
    readonly isNamed: (name: string) => boolean;
  },
): Promise<CodeChange> {
  const { top, files, repository, former, isCode, isNamed } = change;
  const converted = await findConverted(repository, files);
  const isSearched = ({ file }: ListedFile): boolean => isCode(file) && !converted.has(file);
  const changed = { session, files, former, isCode, isSearched, isThere: presence(top, files.submodules) };
  return {
    readLeft: async (left, add) => {
      const others = files.files.filter(
        (listed) => !isSearched(listed) && !isNamed(listed.file) && kindByName(listed.file) !== 'documentation',
      );
      return readLeft(changed, [...left, ...others], add);
    },
    findHidden: async (read, search) => findHidden(changed, read, search),
  };
}

interface ChangedFiles {
  readonly session: Session;
  readonly files: CodeFiles;
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
  const addText = ({ file, blob }: ListedFile, content: CodeContent): void => {
    if (content.kind === 'large') large.push(file);
    if (content.kind === 'unreadable') unreadable.push(file);
    if (content.kind !== 'bytes' || isSealedDocument(content.bytes)) return;
    // A page that a run wrote into this checkout, and that git does not have, is no part of the change.
    if (blob === undefined && !before.has(file) && isOwnPage(content.bytes)) return;
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
