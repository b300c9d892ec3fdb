/** What makes a start cheap: where Node.js keeps the code that V8 compiles of the program, and the settings of V8 for a short process. */

import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';

export interface CacheSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent on systems without users, where nothing shows whether a folder is private. */
  readonly userId: number | undefined;
  /** Fails where it was deleted. */
  readonly cwd: () => string;
}

/**
 * A folder that only this user can change, by its real path; `undefined` without one. V8 does not check compiled code, so what it gets must come from this
 * user. None on a runner of CI, whose home and caches are often below the checkout and never last, and none among the files of a project.
 */
export function makeCacheFolder({ env, userId, cwd }: CacheSurroundings): string | undefined {
  const isOff = [env['NODE_DISABLE_COMPILE_CACHE'], env['NODE_V8_COVERAGE'], env['CI']].some(Boolean);
  const { XDG_CACHE_HOME: shared = '', HOME: home = '' } = env;
  const isShared = path.isAbsolute(shared);
  if (isOff || userId === undefined || !(isShared || path.isAbsolute(home))) return undefined;
  const folder = path.resolve(isShared ? shared : path.join(home, '.cache'), 'flagwright');
  try {
    const isBelow = !path.relative(realpathSync(cwd()), folder).startsWith('..');
    if (isBelow || parentsOf(folder).some(isProject)) return undefined;
    for (const one of [path.dirname(folder), folder]) makeFolder(one, userId);
    return realpathSync(folder) === folder && isPrivate(folder, userId) ? folder : undefined;
  } catch {
    // The run compiles what it needs.
    return undefined;
  }
}

/** What a clone or an archive brings is in such a folder. */
function isProject(folder: string): boolean {
  return ['.git', '.hg', '.jj', '.svn', 'flagwright.yaml'].some((name) => existsSync(path.join(folder, name)));
}

/** Makes no parents, so that a missing home stays missing, and nothing outside the user's own folders. */
function makeFolder(folder: string, userId: number): void {
  if (existsSync(folder) || lstatSync(realpathSync(path.dirname(folder))).uid !== userId) return;
  mkdirSync(folder, { mode: 0o700 });
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

/** Each with the last major version of Node that has it: Node prints an error for a flag that it does not know. `of`: of this command alone. */
const FLAGS: readonly { readonly flag: string; readonly lastNode: number; readonly of?: string }[] = [
  // A plan of 1,000 flags spends half a second of CPU on optimizing functions that run for little longer.
  { flag: '--interrupt-budget=300000', lastNode: 20 },
  // Long functions are dear to optimize, and those with others in them are long: a tenth of the CPU of a plan of 10,000 flags.
  { flag: '--max-inlined-bytecode-size-cumulative=200', lastNode: 20 },
  // undici parses HTTP headers in WebAssembly; optimizing that costs 80 ms of CPU in every run that sends a request.
  { flag: '--wasm-tiering-budget=1000000000', lastNode: 26 },
  // While its page is made, threads begin to mark a heap that nobody needs any more: a twentieth of the CPU for 2,000 flags, none for 10,000.
  { flag: '--no-concurrent-marking', lastNode: 26, of: 'catalog' },
];

/** Call it before anything runs for long. `nodeVersion` as in `process.versions.node`. */
export function tuneV8(nodeVersion: string, argv: readonly string[]): void {
  const major = Number.parseInt(nodeVersion, 10);
  for (const { flag, lastNode, of } of FLAGS)
    if (major <= lastNode && (of === undefined || argv.includes(of))) setFlagsFromString(flag);
}
