/** Writes several files, all or none. */

import type { Stats } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { flushFolder } from '../../journal/flush-folder.ts';
import { DOCUMENT_MODE, fileError, findTarget, type FileContext } from './files.ts';
import { refuseLinkOut } from './links.ts';

export interface FileWrite {
  /** As the user knows it. */
  readonly file: string;
  readonly text: string;
  /** The text that the file had when it was read; absent for a file that is created or overwritten. */
  readonly before?: string;
}

/**
 * A failure, also in the middle, leaves every file as it was. Each file is written beside its place and renamed last, so that a
 * reader never sees a partial one.
 * @throws {FlagwrightError} `file`.
 */
export async function writeAll(at: FileContext, writes: readonly FileWrite[]): Promise<void> {
  const drafts: Draft[] = [];
  const folders: string[] = [];
  try {
    for (const write of writes) drafts.push(await prepare(at, write, folders));
    await putInPlace(distinct(drafts));
  } catch (cause) {
    // The deepest first; one in which somebody else put a file stays.
    await removeDrafts(drafts);
    for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
    throw cause;
  }
  await removeDrafts(drafts);
}

async function removeDrafts(drafts: readonly Draft[]): Promise<void> {
  for (const { draft } of drafts) {
    await rm(draft, { force: true });
  }
}

interface Draft {
  readonly write: FileWrite;
  readonly target: string;
  readonly draft: string;
  /** Another name of the file so far, from which it is restored; `undefined` if it does not exist. */
  readonly former: { readonly backup: string; readonly stamp: string } | undefined;
}

/** `folders`: gets those that are made. */
async function prepare(at: FileContext, write: FileWrite, folders: string[]): Promise<Draft> {
  const { file, text, before } = write;
  try {
    const folder = path.resolve(at.context.cwd, path.dirname(file));
    await refuseLinkOut(at.places.root, folder);
    const { path: target } = await findTarget(at, file);
    await makeFolder(folder, folders);
    const found = await stat(target).catch(ifMissing);
    const held = found === undefined ? undefined : await readFile(target);
    const mode = found === undefined ? undefined : found.mode & 0o777;
    // A rename would replace it all the same.
    if (mode !== undefined && (mode & 0o200) === 0) throw readOnly(file);
    if (before !== undefined && held?.toString('utf8') !== before) throw changedMeanwhile(file);
    const beside = path.join(path.dirname(target), `.${path.basename(target)}.${at.context.randomUuid()}`);
    const former = found && { backup: `${beside}.bak`, stamp: stampOf(found) };
    await writeDraft(`${beside}.tmp`, before === undefined ? withLineEndsOf(held, text) : text, mode);
    return { write, target, draft: `${beside}.tmp`, former };
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('write', file, cause);
  }
}

async function makeFolder(folder: string, folders: string[]): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  const names = path.relative(first, folder).split(path.sep);
  for (const [index] of names.entries()) folders.push(path.join(first, ...names.slice(0, index)));
  if (names[0] !== '') folders.push(folder);
}

/** Differs once a file was written, or replaced by another one. */
function stampOf({ ino, size, mtimeMs, mode }: Stats): string {
  return [ino, size, mtimeMs, mode].join(' ');
}

/** A file with Windows line ends keeps them when it is overwritten, so that a diff shows what changed. */
function withLineEndsOf(former: Buffer | undefined, text: string): string {
  const end = former?.indexOf('\n') ?? -1;
  return end > 0 && former?.toString('latin1', end - 1, end) === '\r' ? text.replace(/\r?\n/g, '\r\n') : text;
}

/** `mode`: of the file that is replaced. */
async function writeDraft(draft: string, text: string, mode: number | undefined): Promise<void> {
  try {
    await writeDurably(draft, text, mode ?? DOCUMENT_MODE);
    // The process's mask takes permissions from a new file.
    if (mode !== undefined) await chmod(draft, mode);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}

/** On the disk before the draft gets the name of the file: a crash leaves the former text or the new one. */
async function writeDurably(draft: string, text: string, mode: number): Promise<void> {
  const handle = await open(draft, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One draft for each file: links may give it several names. */
function distinct(drafts: readonly Draft[]): readonly Draft[] {
  const byTarget = new Map<string, Draft>();
  for (const one of drafts) {
    const other = byTarget.get(one.target)?.write ?? one.write;
    if (other.text !== one.write.text) throw sameFile(other.file, one.write.file);
    byTarget.set(one.target, one);
  }
  return [...byTarget.values()];
}

async function putInPlace(drafts: readonly Draft[]): Promise<void> {
  const done: Draft[] = [];
  try {
    for (const one of drafts) {
      await replaceFile(one);
      done.push(one);
    }
  } catch (cause) {
    for (const one of done.toReversed()) await restore(one, cause);
    throw cause;
  }
  const folders = new Set(done.map(({ target }) => path.dirname(target)));
  await Promise.all([...folders].map((folder) => flushFolder(folder)));
  for (const { former } of done) if (former !== undefined) await rm(former.backup, { force: true });
}

async function restore({ write, target, former }: Draft, reason: unknown): Promise<void> {
  try {
    await (former === undefined ? rm(target) : rename(former.backup, target));
  } catch (cause) {
    const kept = former === undefined ? '' : ` Its former text is in ${former.backup}.`;
    const { message } = reason instanceof Error ? reason : { message: String(reason) };
    throw new FlagwrightError('file', `${message} ${write.file} was written and cannot be restored.${kept}`, { cause });
  }
}

async function replaceFile({ write, target, draft, former }: Draft): Promise<void> {
  try {
    const found = await stat(target).catch(ifMissing);
    if ((found && stampOf(found)) !== former?.stamp) throw changedMeanwhile(write.file);
    // A second name of the same file needs no space; not all disks know one.
    if (former !== undefined) await link(target, former.backup).catch(() => copyFile(target, former.backup));
    await rename(draft, target);
  } catch (cause) {
    if (former !== undefined) await rm(former.backup, { force: true });
    throw cause instanceof FlagwrightError ? cause : fileError('write', write.file, cause);
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

function readOnly(file: string): FlagwrightError {
  return new FlagwrightError('file', `Cannot write ${file}: it is read-only. No file was changed.`, {
    remedy: 'Make it writable, and run the command again.',
  });
}

function changedMeanwhile(file: string): FlagwrightError {
  return new FlagwrightError('file', `${file} changed while the command ran. No file was changed.`, {
    remedy: 'Run the command again.',
  });
}

function sameFile(first: string, second: string): FlagwrightError {
  return new FlagwrightError(
    'file',
    `Cannot write ${first} and ${second}: they are the same file. No file was changed.`,
    {
      remedy: 'Name it once in the manifests of the configuration.',
    },
  );
}
