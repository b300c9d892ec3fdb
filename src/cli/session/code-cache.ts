/** Keeps the code that V8 compiles of the program, in a folder that only this user can write to, so that later runs need not compile it. */

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  constants,
} from 'node:fs';
import path from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/** What decides whether there is a cache, and where. */
export interface CacheSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent on systems without users, where nothing shows whether a folder is private. */
  readonly userId: number | undefined;
  /** Absent if it was deleted. */
  readonly cwd: string | undefined;
  /** What compiles: the version of Node and the architecture. */
  readonly engine: string;
  /** Differs for every process, so that two never write one draft. */
  readonly process: string;
}

export interface CachedProgram {
  readonly folder: string;
  /** Differs for each content of the files: V8 compares lengths only. */
  readonly digest: string;
  /** The part of the program that this run executes; each part has an entry of its own. */
  readonly part: string;
  readonly requireBuiltin: (name: string) => unknown;
}

export interface CodeCache {
  /** Runs a module of CommonJS in the folder, and those that it requires. Their text is ASCII. */
  load(file: string): unknown;
  /** Writes what has been compiled so far, unless the cache has it. Never throws. */
  keep(): void;
}

const OLDEST_ENTRY_MS = 30 * 24 * 3600 * 1000;

export function openCodeCache(
  { folder, digest, part, requireBuiltin }: CachedProgram,
  surroundings: CacheSurroundings,
): CodeCache {
  const name = `${digest}-${surroundings.engine}-${cachedDataVersionTag().toString(16)}-${part}`;
  const cache = findFolder(surroundings, { isMade: false });
  // Node.js 21 and 22.1 lack it.
  const { crc32: sumOf = slowSum } = requireBuiltin('node:zlib') as { readonly crc32?: Sum };
  const known = cache === undefined ? NO_CODE : readEntry(path.join(cache, name), surroundings, sumOf);
  const scripts = new Map<string, Script>();
  const modules = new Map<string, { readonly exports: unknown }>();
  const load = (file: string): unknown => {
    const loaded = modules.get(file);
    if (loaded !== undefined) return loaded.exports;
    const filename = path.join(folder, file);
    const source = `(function(exports,require,module,__filename){${readFileSync(filename, 'latin1')}\n})`;
    const cachedData = known.get(file);
    const script = new Script(source, cachedData === undefined ? { filename } : { filename, cachedData });
    scripts.set(file, script);
    const module = { exports: {} };
    modules.set(file, module);
    const define = script.runInThisContext() as (...given: unknown[]) => void;
    define(
      module.exports,
      (name: string) => (name.startsWith('./') ? load(name) : requireBuiltin(name)),
      module,
      filename,
    );
    return module.exports;
  };
  return {
    load,
    keep: () => {
      const isKnown = [...scripts].every(
        ([file, { cachedDataRejected }]) => known.has(file) && cachedDataRejected !== true,
      );
      if (isKnown) return;
      try {
        const folder = findFolder(surroundings, { isMade: true });
        if (folder === undefined) return;
        const compiled = [...scripts].map(([file, script]) => [file, script.createCachedData()] as const);
        const content = encode(new Map([...known, ...compiled]), sumOf);
        writeEntry(path.join(folder, name), content, surroundings);
      } catch {
        // The run has done its work: what the cache cannot keep is compiled again.
      }
    },
  };
}

/** What V8 made of each file. */
type CompiledCode = ReadonlyMap<string, Buffer>;

const NO_CODE: CompiledCode = new Map();

/** Finds damage, and protects from nobody. */
type Sum = (code: Buffer) => number;

/**
 * A folder that only this user can change, by its real path; `undefined` without one. A new one is made if `isMade`. Not on a runner of CI, whose
 * home and caches are often below the checkout and never last, and not among the files of a project.
 */
function findFolder(surroundings: CacheSurroundings, { isMade }: { readonly isMade: boolean }): string | undefined {
  const { env, userId, cwd } = surroundings;
  const isOff = [env['NODE_DISABLE_COMPILE_CACHE'], env['NODE_V8_COVERAGE'], env['CI']].some(Boolean);
  const { XDG_CACHE_HOME: shared = '', HOME: home = '' } = env;
  const isShared = path.isAbsolute(shared);
  if (isOff || userId === undefined || cwd === undefined || !(isShared || path.isAbsolute(home))) return undefined;
  try {
    const parent = isShared ? shared : path.join(home, '.cache');
    const folder = path.resolve(parent, 'flagwright');
    if (!path.relative(realpathSync(cwd), folder).startsWith('..') || parentsOf(folder).some(isProject))
      return undefined;
    if (isMade) for (const one of [path.dirname(folder), folder]) makeFolder(one, userId);
    return realpathSync(folder) === folder && isPrivate(folder, userId) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** What a clone or an archive brings is in such a folder. */
function isProject(folder: string): boolean {
  return ['.git', '.hg', '.jj', '.svn', 'flagwright.yaml'].some((name) => existsSync(path.join(folder, name)));
}

/** What is executed must come from this user: V8 does not check compiled code. */
function readEntry(entry: string, { userId }: CacheSurroundings, sumOf: Sum): CompiledCode {
  let file: number | undefined;
  try {
    // Opening a pipe would wait for somebody who writes to it.
    file = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    const isOwn = found.isFile() && found.uid === userId && (found.mode & 0o022) === 0 && found.nlink === 1;
    return isOwn ? decode(readFileSync(file), sumOf) : NO_CODE;
  } catch {
    return NO_CODE;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A line of JSON with the name, the length and the sum of each code, then the codes. */
function encode(code: CompiledCode, sumOf: Sum): Buffer {
  const parts = [...code].map(([name, one]) => [name, one.length, sumOf(one)]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(parts)}\n`), ...code.values()]);
}

function decode(content: Buffer, sumOf: Sum): CompiledCode {
  const end = content.indexOf('\n');
  let at = end + 1;
  const parts = JSON.parse(content.toString('latin1', 0, end)) as [string, number, number][];
  const code = parts.map(([name, length, sum]) => ({ name, sum, part: content.subarray(at, (at += length)) }));
  // V8 does not notice damage, and would crash in every run.
  return at === content.length && code.every(({ part, sum }) => sumOf(part) === sum)
    ? new Map(code.map(({ name, part }) => [name, part]))
    : NO_CODE;
}

/** FNV-1a. */
function slowSum(code: Buffer): number {
  return code.reduce((sum, byte) => Math.imul(sum ^ byte, 16_777_619), code.length);
}

/** Whether nobody else but root can put a file into the folder, or another folder in its place. */
function isPrivate(folder: string, userId: number): boolean {
  const own = lstatSync(folder);
  return (
    own.isDirectory() &&
    own.uid === userId &&
    (own.mode & 0o077) === 0 &&
    parentsOf(folder).every((parent) => {
      const { uid, mode } = lstatSync(parent);
      const isSticky = (mode & 0o1000) !== 0;
      return (uid === 0 || uid === userId) && ((mode & 0o022) === 0 || isSticky);
    })
  );
}

function parentsOf(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/** Complete on disk before it has its name: a torn entry could not be told from a whole one. */
function writeEntry(entry: string, content: Buffer, { process }: CacheSurroundings): void {
  const draft = `${entry}.${process}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
    renameSync(draft, entry);
    removeOld(path.dirname(entry), fstatSync(file).mtimeMs);
  } catch {
    rmSync(draft, { force: true });
  } finally {
    closeSync(file);
  }
}

/** Makes no parents, so that a missing home stays missing, and nothing outside the user's own folders. */
function makeFolder(folder: string, userId: number): void {
  if (existsSync(folder) || lstatSync(realpathSync(path.dirname(folder))).uid !== userId) return;
  mkdirSync(folder, { mode: 0o700 });
}

/** The names of entries and of their drafts; the folder may have other files. */
const ENTRY = /^[\da-f]+-[\w.]+-\w+-[\da-f]+-[a-z-]+(?:\.\d+-\d+)?$/;

/** Nothing uses the entries of other versions; an old one that is still in use is written again. */
function removeOld(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((one) => ENTRY.test(one))) {
    const file = path.join(folder, name);
    const { mtimeMs } = lstatSync(file);
    if (lstatSync(file).isFile() && now - mtimeMs > OLDEST_ENTRY_MS) rmSync(file, { force: true });
  }
}
