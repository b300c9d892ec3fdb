/**
 * Writes files for the user, completely or not at all, with a clear message on failure. A write stays inside the folder of its path: a
 * symbolic link in a repository could point anywhere.
 */

import { createReadStream, existsSync, type Stats } from 'node:fs';
import { link, mkdir, open, realpath, rename, rm, stat, writeFile, lstat, chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { sizeText } from '../../base/wording.ts';
import { flushFolder, exists } from '../../loop/disk.ts';
import type { Context } from './context.ts';

export const DOCUMENT_MODE = 0o644;
/** The process's mask takes permissions from it. */
const NEW_FILE_MODE = 0o666;
/** A saved plan contains what flags contain, payloads included. */
export const PRIVATE_MODE = 0o600;

/** The folder next to flagwright.yaml with journals and the data of the embedded service. git ignores all of it. */
export const DATA_FOLDER = '.flagwright';

/** Replaces the file atomically, so that a reader never sees a partial document. */
export async function writeDocument(at: FileContext, file: string, content: FileContent): Promise<void> {
  const { path: target, special } = await findTarget(at, file);
  const draft = draftBeside(at, target);
  try {
    if (special) return await writeFile(target, content.text);
    await writeDurably(draft, content.text, content.mode ?? DOCUMENT_MODE);
    await rename(draft, target);
    await flushFolder(path.dirname(target));
  } catch (cause) {
    await removeDraft(draft);
    throw fileError('write', file, cause);
  }
}

/** Uses the same folder, since a rename cannot reach another disk. */
export function draftBeside({ context }: FileContext, target: string): string {
  return path.join(path.dirname(target), `.${path.basename(target)}.${context.randomUuid()}.tmp`);
}

/** Flushes the draft before it gets the name of the file: a crash leaves the former text or the new one. */
async function writeDurably(draft: string, text: string, mode: number): Promise<void> {
  const handle = await open(draft, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export interface FileContext {
  readonly context: Pick<Context, 'cwd' | 'randomUuid'>;
  /** `root`: the folder that no link may lead out of. */
  readonly places: { readonly root: string };
}

interface FileContent {
  readonly text: string;
  readonly mode?: number;
}

/**
 * Finds the path to write for a file that the user named. A symbolic link is followed, but never out of the project. A
 * file that is not regular (`/dev/null`, a pipe) is written to and never replaced.
 */
export async function findTarget(
  { context, places }: FileContext,
  file: string,
): Promise<{ readonly path: string; readonly special: boolean }> {
  const target = path.resolve(context.cwd, file);
  await refuseLinkOut(places.root, target);
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return { path: target, special: false };
  // The pipe behind /dev/stdout or /dev/fd/63 has no path of its own.
  if (!found.isFile()) return { path: target, special: true };
  const real = await realpath(target).catch((cause: unknown) => {
    throw fileError('write', file, cause);
  });
  return { path: real, special: false };
}

/** Writes a new file and its folders; returns `false` if the file exists. A reader never sees a partial one. */
export async function writeNewFile(at: FileContext, target: string, text: string): Promise<boolean> {
  const draft = draftBeside(at, target);
  try {
    await mkdir(path.dirname(target), { recursive: true });
    if (await exists(target)) return false;
    await writeDurably(draft, text, NEW_FILE_MODE);
    await giveName(draft, target);
    await flushFolder(path.dirname(target));
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false;
    throw fileError('write', target, cause);
  } finally {
    await removeDraft(draft);
  }
}

/** Ignores a failure: the file itself is written by then, or its own failure is reported. */
async function removeDraft(draft: string): Promise<void> {
  await rm(draft, { force: true }).catch(() => undefined);
}

/** Links the draft, since that fails if another process has made the file by now; renames it on a disk without hard links. */
async function giveName(draft: string, target: string): Promise<void> {
  await link(draft, target).catch(async (cause: unknown) => {
    if (systemCode(cause) === 'EEXIST' || (await exists(target))) throw cause;
    await rename(draft, target);
  });
}

/** Larger than any snapshot or plan, and smaller than the limit of a string. */
const LARGEST_USER_FILE = 200_000_000;

/** A file that the user named, relative to the working directory. */
export async function readUserFile({ context }: Pick<FileContext, 'context'>, file: string): Promise<string> {
  const target = path.resolve(context.cwd, file);
  try {
    const { size } = await stat(target);
    if (size > LARGEST_USER_FILE) throw tooLarge(file, size);
    return await readAll(target, file);
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('read', file, cause);
  }
}

/** A pipe or a device says no size beforehand, and may never end. */
async function readAll(target: string, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(target) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_USER_FILE) throw tooLarge(file, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(file: string, size: number): FlagwrightError {
  const limit = sizeText(LARGEST_USER_FILE);
  return new FlagwrightError('file', `Cannot read ${file}: it has ${sizeText(size)}, and the limit is ${limit}.`, {
    remedy: 'Check that it is a file that flagwright wrote.',
  });
}

export function fileError(verb: 'read' | 'write', file: string, cause: unknown): FlagwrightError {
  const reason = systemCode(cause);
  const message = `Cannot ${verb} ${file}: ${memberOf(FILE_REASONS, reason) ?? reason}.`;
  return new FlagwrightError('file', message, {
    cause,
    ...(verb === 'read' && reason === 'ENOENT'
      ? { remedy: 'Correct the path. A relative path begins in the working directory.' }
      : {}),
  });
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'the link leads to itself',
  ENOTDIR: 'a part of the path is not a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};

/**
 * A path below `root` must resolve to a place below `root`. Any other path was chosen by the user.
 * @throws {FlagwrightError} `file` where a symbolic link leads out.
 */
export async function refuseLinkOut(root: string, target: string): Promise<void> {
  if (!isBelow(root, target)) return;
  const real = await resolveReal(target);
  if (real !== undefined && isBelow(await realpath(root), real)) return;
  throw new FlagwrightError(
    'file',
    `Cannot write ${path.relative(root, target)}: a symbolic link points outside its folder.`,
    { remedy: `Check where it points, and remove it. flagwright follows no link out of ${root}.` },
  );
}

/** Resolves a path that may not exist yet; `undefined` for a dangling link. */
export async function resolveReal(target: string): Promise<string | undefined> {
  const found = await realpath(target).catch(() => undefined);
  if (found !== undefined) return found;
  const made = await lstat(target).catch(() => undefined);
  // Anything else was made meanwhile, such as the common folder by another project of the run.
  if (made?.isSymbolicLink() === true) return undefined;
  const parent = path.dirname(target);
  const folder = parent === target ? undefined : await resolveReal(parent);
  return folder === undefined ? undefined : path.join(folder, path.basename(target));
}

export function isBelow(root: string, target: string): boolean {
  const way = path.relative(root, target);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** The nearest folder, upward, that has `.git`, which is a file in a worktree; found without git, which a CI image may lack. */
export function checkoutAround(folder: string): string | undefined {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : checkoutAround(parent);
}

export interface FileWrite {
  /** The name that the user knows. */
  readonly file: string;
  readonly text: string;
  /** The text that the file had when it was read; `null` for a new file, which may have its text already; absent for one that may be overwritten. */
  readonly before?: string | null;
}

/**
 * Drafts every file in its own folder before it renames the first one: a full disk changes no file. What a failure or a kill leaves out, the
 * same command writes when it runs again.
 * @throws {FlagwrightError} `file`
 */
export async function writeAll(at: FileContext, writes: readonly FileWrite[]): Promise<void> {
  const drafts = new Map<string, Draft>();
  const written: Draft[] = [];
  let current = '';
  try {
    for (const write of writes) {
      current = write.file;
      const draft = await prepare(at, write);
      const other = drafts.get(draft.target);
      if (other !== undefined && other.text !== draft.text) {
        throw unwritable(
          `${other.file} and ${current}`,
          'they are the same file',
          'Name it once in the manifests of the configuration.',
        );
      }
      drafts.set(draft.target, draft);
    }
    for (const { file, draft, target, text, former } of drafts.values()) {
      current = file;
      await mkdir(path.dirname(target), { recursive: true });
      await writeDurably(draft, text, former?.mode ?? DOCUMENT_MODE);
      // The process's mask takes permissions from a new file.
      if (former !== undefined) await chmod(draft, former.mode);
    }
    for (const draft of drafts.values()) {
      current = draft.file;
      const found = await statOf(draft.target);
      if ((found && stampOf(found)) !== draft.former?.stamp) throw changedMeanwhile(current);
      await rename(draft.draft, draft.target);
      written.push(draft);
    }
  } catch (cause) {
    const missing = [...drafts.values()].slice(written.length);
    for (const { draft } of missing) await removeDraft(draft);
    const error = cause instanceof FlagwrightError ? cause : fileError('write', current, cause);
    throw withOutcome(error, written, missing);
  } finally {
    for (const folder of new Set(written.map(({ target }) => path.dirname(target)))) await flushFolder(folder);
  }
}

interface Draft {
  readonly file: string;
  /** Where the file really is, and where its new text is first. */
  readonly target: string;
  readonly draft: string;
  readonly text: string;
  readonly former?: { readonly stamp: string; readonly mode: number };
}

/** Touches nothing. */
async function prepare(at: FileContext, { file, text, before }: FileWrite): Promise<Draft> {
  await refuseLinkOut(at.places.root, path.resolve(at.context.cwd, path.dirname(file)));
  const { path: named } = await findTarget(at, file);
  const target = (await resolveReal(named)) ?? named;
  const found = await statOf(target);
  if (found === undefined) {
    if (typeof before === 'string') throw changedMeanwhile(file);
    return { file, target, draft: draftBeside(at, target), text };
  }
  if (!found.isFile() && !found.isDirectory()) throw unwritable(file, 'it is not a regular file', 'Name another file.');
  const held = await readFile(target);
  // A rename would replace it all the same.
  if ((found.mode & 0o200) === 0)
    throw unwritable(file, 'it is read-only', 'Make it writable, and run the command again.');
  if (before !== undefined && held.toString('utf8') !== (before ?? text)) throw changedMeanwhile(file);
  return {
    file,
    target,
    draft: draftBeside(at, target),
    text: before === undefined ? withLineEndsOf(held, text) : text,
    former: { stamp: stampOf(found), mode: found.mode & 0o777 },
  };
}

async function statOf(target: string): Promise<Stats | undefined> {
  return stat(target).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  });
}

/** Differs once a file was written, or replaced by another one. */
function stampOf({ ino, size, mtimeMs, mode }: Stats): string {
  return [ino, size, mtimeMs, mode].join(' ');
}

/** A file with Windows line ends keeps them when it is overwritten, so that a diff shows what changed. */
function withLineEndsOf(former: Buffer, text: string): string {
  const end = former.indexOf('\n');
  return end > 0 && former.toString('latin1', end - 1, end) === '\r' ? text.replace(/\r?\n/g, '\r\n') : text;
}

function withOutcome(
  { code, message, remedy, cause }: FlagwrightError,
  written: readonly Draft[],
  missing: readonly Draft[],
): FlagwrightError {
  if (written.length === 0) {
    return new FlagwrightError(code, `${message} No file was changed.`, { ...defined({ remedy }), cause });
  }
  const [before, not] = [written, missing].map((drafts) => drafts.map(({ file }) => file).join(', '));
  return new FlagwrightError(code, `${message} Written before: ${before}. Not written: ${not}.`, {
    remedy: 'Run the command again: it writes the rest.',
    cause,
  });
}

function changedMeanwhile(file: string): FlagwrightError {
  return new FlagwrightError('file', `${file} changed while the command ran.`, { remedy: 'Run the command again.' });
}

function unwritable(file: string, reason: string, remedy: string): FlagwrightError {
  return new FlagwrightError('file', `Cannot write ${file}: ${reason}.`, { remedy });
}
