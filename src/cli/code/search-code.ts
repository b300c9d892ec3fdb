/** Searches the code of the repository around the configuration for the keys of flags. */

import path from 'node:path';
import picomatch from 'picomatch';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { matchFiles } from '../../config/match-files.ts';
import { DEFAULT_TESTS } from '../../expectations/read.ts';
import { parsePattern } from '../../references/casings.ts';
import { createCollector, type Collector } from '../../references/collect.ts';
import { namingKeys } from '../../references/names.ts';
import type { CodeReferences } from '../../references/reference.ts';
import type { SearchedRepository } from '../../references/use.ts';
import type { Session } from '../session/session.ts';
import type { CodeFiles } from './code-files.ts';
import { findFiles, type CodePlace } from './find-files.ts';
import { openChange, type CodeChange } from './hidden-code.ts';
import { readFiles, type ReadCodeFile } from './read-files.ts';

export interface CodeSearch {
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
export async function searchCode(place: CodePlace, search: CodeSearch): Promise<SearchedCode> {
  const { session, config } = place;
  const found = await findFiles(place, search.commit);
  const { top, files, commit } = found;
  const passedOver = (search.passOver ?? []).map((name) => path.resolve(session.context.cwd, name));
  const named = new Set([...namedFiles(config), ...passedOver]);
  const isCode = codeFilter(config, top, named);
  const base = search.change?.base;
  const change =
    base === undefined
      ? undefined
      : await openChange(place, found, { base, isCode, isNamed: (name) => named.has(path.join(top, name)) });
  const { code, read } = await searchFiles(place, search, { files: codeOf(files, isCode), ...defined({ change }) });
  const hidden = await change?.findHidden(read, (former) => searchFiles(place, search, { files: former }));
  return { top, repository: { code, ...defined({ commit, hidden }) } };
}

interface SearchedCode {
  /** Absolute folder that the names of files are relative to. */
  readonly top: string;
  readonly repository: SearchedRepository;
}

function codeOf(found: CodeFiles, isCode: (name: string) => boolean): CodeFiles {
  return {
    ...found,
    files: found.files.filter(({ file }) => isCode(file)),
    submodules: found.submodules.filter(isCode),
    unreadable: found.unreadable.filter(isCode),
  };
}

async function searchFiles(
  { session, config }: CodePlace,
  search: CodeSearch,
  { files: found, change }: { readonly files: CodeFiles; readonly change?: CodeChange },
): Promise<{ readonly code: CodeReferences; readonly read: readonly ReadCodeFile[] }> {
  const keys = search.keys.filter((key) => /^[\w-]+$/.test(key));
  const collector = await collectorOf(session, config, { ...search, keys });
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

async function collectorOf(session: Session, { refs }: Config, { keys, accessors }: CodeSearch): Promise<Collector> {
  const searched = new Set(keys);
  const patterns = refs.patterns.flatMap((pattern) => parsePattern(pattern) ?? []);
  const steps = namingKeys(keys, { accessors: accessors.filter((key) => searched.has(key)), patterns });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await session.interrupts.breathe();
  return createCollector(step.value, picomatch([...refs.wrappers], { dot: true }));
}

/** Whether a file, named from the top of the repository, is code as the configuration says. `named`: absolute files that declare flags, and read none. */
function codeFilter(config: Config, top: string, named: ReadonlySet<string>): (name: string) => boolean {
  const { root, manifests, tests = DEFAULT_TESTS, refs } = config;
  const own = [matchFiles(manifests), matchFiles(tests)];
  const isChosen = refs.paths === undefined ? () => true : picomatch([...refs.paths], { dot: true });
  const isIgnored = picomatch([...refs.ignore], { dot: true });
  const below = path.relative(top, root).split(path.sep).join('/');
  return (name) => {
    if (!isChosen(name) || isIgnored(name) || named.has(path.join(top, name))) return false;
    if (below !== '' && !name.startsWith(`${below}/`)) return true;
    const inRoot = below === '' ? name : name.slice(below.length + 1);
    return !own.some((matches) => matches(inRoot));
  };
}

/** The files of flagwright that the configuration names, absolute. */
function namedFiles({ root, file, refs, policies }: Config): readonly string[] {
  const named = [
    ...(file === undefined ? [] : [path.basename(file)]),
    ...refs.sources.map((source) => source.file),
    ...(policies?.waivers === undefined ? [] : [policies.waivers]),
  ];
  return named.map((name) => path.resolve(root, name));
}
