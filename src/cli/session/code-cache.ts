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
  /** Absent on systems without users: there, nothing tells whether a folder is private. */
  readonly userId: number | undefined;
  /** Absent if it was deleted. */
  readonly cwd: string | undefined;
  /** What compiles: the version of Node and the architecture. */
  readonly engine: string;
  readonly processId: number;
}

export interface CachedProgram {
  readonly folder: string;
  /** Differs for each content of the files: V8 compares lengths only. */
  readonly digest: string;
  /** What the run will execute of it; each part has an entry of its own. */
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
  const cache = cacheFolder(surroundings);
  const version = `${surroundings.engine}-${cachedDataVersionTag().toString(16)}`;
  const entry = cache === undefined ? undefined : path.join(cache, `${digest}-${version}-${part}`);
  const known = entry === undefined ? NO_CODE : readEntry(entry, surroundings);
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
      if (entry === undefined || isKnown) return;
      const compiled = (): Code => new Map([...scripts].map(([file, script]) => [file, script.createCachedData()]));
      writeEntry(entry, () => new Map([...known, ...compiled()]), surroundings);
    },
  };
}

/** What V8 made of each file. */
type Code = ReadonlyMap<string, Buffer>;

const NO_CODE: Code = new Map();

/** Not in a home that is a work tree or the working directory: it would show up among the files of a project. */
function cacheFolder({ env, userId, cwd }: CacheSurroundings): string | undefined {
  if (userId === undefined || cwd === undefined || env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE'])
    return undefined;
  const { XDG_CACHE_HOME: shared = '', HOME: home = '' } = env;
  if (path.isAbsolute(shared)) return path.join(shared, 'flagwright');
  if (!path.isAbsolute(home) || path.relative(home, cwd) === '' || existsSync(path.join(home, '.git')))
    return undefined;
  return path.join(home, '.cache', 'flagwright');
}

/** What is executed must come from this user: V8 does not check compiled code. */
function readEntry(entry: string, { userId }: CacheSurroundings): Code {
  let file: number | undefined;
  try {
    if (!isPrivate(path.dirname(entry), userId)) return NO_CODE;
    file = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW);
    const found = fstatSync(file);
    const isOwn = found.isFile() && found.uid === userId && (found.mode & 0o022) === 0 && found.nlink === 1;
    return isOwn ? decode(readFileSync(file)) : NO_CODE;
  } catch {
    return NO_CODE;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A line of JSON with the name and the length of each code, then the codes. */
function encode(code: Code): Buffer {
  const parts = [...code].map(([name, { length }]) => [name, length]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(parts)}\n`), ...code.values()]);
}

function decode(content: Buffer): Code {
  const end = content.indexOf('\n');
  let at = end + 1;
  const parts = JSON.parse(content.toString('latin1', 0, end)) as [string, number][];
  return new Map(parts.map(([name, length]) => [name, content.subarray(at, (at += length))]));
}

/** Whether nobody else but root can put a file into the folder, or another folder in its place. */
function isPrivate(folder: string, userId: number | undefined): boolean {
  const real = realpathSync(folder);
  const own = lstatSync(real);
  return (
    own.isDirectory() &&
    own.uid === userId &&
    (own.mode & 0o077) === 0 &&
    parentsOf(real).every((parent) => {
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
function writeEntry(entry: string, compiled: () => Code, { userId, processId }: CacheSurroundings): void {
  const folder = path.dirname(entry);
  const draft = `${entry}.${processId}`;
  try {
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    if (!isPrivate(folder, userId)) return;
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, encode(compiled()));
      fsyncSync(file);
      removeOld(folder, fstatSync(file).mtimeMs);
    } finally {
      closeSync(file);
    }
    renameSync(draft, entry);
  } catch {
    rmSync(draft, { force: true });
  }
}

/** Without its parents: a home that does not exist stays so. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
}

/** Entries of other versions are used no more; those still in use are written again. */
function removeOld(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (now - lstatSync(file).mtimeMs > OLDEST_ENTRY_MS) rmSync(file, { force: true });
  }
}
