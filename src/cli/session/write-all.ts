/** Writes several files, all or none, also if the process is killed in between. */

import type { Stats } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readFile, realpath, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { flushFolder } from '../../journal/disk.ts';
import type { LockOptions } from '../../journal/lock.ts';
import {
  DOCUMENT_MODE,
  fileError,
  findTarget,
  writeDurably,
  type FileContext,
  isBelow,
  refuseLinkOut,
  resolveReal,
} from './files.ts';
import { settleIntent, takeBack, takeBackUnfinished, takenBackText } from './take-back.ts';
import { thisProcess } from './this-process.ts';
import { backupOf, digestOf, draftOf, recordIntent, type Intent } from './write-intent.ts';

export interface FileWrite {
  /** The name that the user knows. */
  readonly file: string;
  readonly text: string;
  /** The text that the file had when it was read; `null` for a file that must not exist; absent for one that may be overwritten. */
  readonly before?: string | null;
}

export interface WriteContext extends FileContext {
  readonly context: FileContext['context'] & { readonly userId?: number };
  /** Tells what an earlier command left. */
  readonly note?: (text: string) => Promise<void>;
  /** Absent: that of this process. */
  readonly life?: LockOptions;
}

/**
 * A failure, also in the middle, leaves every file as it was, and so does the next command if the process is killed. Each file is drafted
 * in its own folder and renamed last, so that a reader never sees a partial one.
 * @throws {FlagwrightError} `file`; `refused` while another process writes.
 */
export async function writeAll(at: WriteContext, writes: readonly FileWrite[]): Promise<void> {
  const life = at.life ?? thisProcess();
  await takeBackFirst(at, writes, life);
  const drafts: Draft[] = [];
  for (const write of writes) drafts.push(await prepare(at, write));
  const sets = await toSets(at, distinct(drafts));
  const recorded: Intent[] = [];
  try {
    for (const { intent } of sets) {
      await naming(intent.folder, recordIntent(intent, life.holder));
      recorded.push(intent);
    }
    for (const set of sets) await writeDrafts(set);
    for (const set of sets) await putInPlace(set);
  } catch (cause) {
    for (const intent of recorded) await takeBack(intent).catch((failure: unknown) => fail(cause, intent, failure));
    throw cause;
  }
  // Every file is in its place: what cannot be removed now, the next command removes.
  for (const intent of recorded) await settleIntent(intent).catch(() => undefined);
}

/** Reverts the unfinished writes of an earlier command in the same folders. */
async function takeBackFirst(at: WriteContext, writes: readonly FileWrite[], life: LockOptions): Promise<void> {
  const targets = writes.map(({ file }) => path.resolve(at.context.cwd, file));
  const root = await realpath(at.places.root);
  const folders = new Set(await Promise.all(targets.map((target) => setFolder(root, target))));
  for (const folder of folders) {
    const taken = await takeBackUnfinished(folder, { life, ...defined({ userId: at.context.userId }) });
    for (const one of taken) await at.note?.(`${takenBackText(one)}\n`);
  }
}

interface Draft {
  readonly write: FileWrite;
  readonly target: string;
  readonly text: string;
  /** The file that is replaced, and its text. */
  readonly former?: { readonly stamp: string; readonly mode: number; readonly digest: string };
}

/** Touches nothing. */
async function prepare(at: FileContext, write: FileWrite): Promise<Draft> {
  const { file, text, before } = write;
  try {
    await refuseLinkOut(at.places.root, path.resolve(at.context.cwd, path.dirname(file)));
    const { path: named } = await findTarget(at, file);
    const target = (await resolveReal(named)) ?? named;
    const found = await stat(target).catch(ifMissing);
    if (found === undefined) {
      if (typeof before === 'string') throw changedMeanwhile(file);
      return { write, target, text };
    }
    const held = await readFile(target);
    // A rename would replace it all the same.
    if ((found.mode & 0o200) === 0) throw readOnly(file);
    if (before !== undefined && held.toString('utf8') !== before) throw changedMeanwhile(file);
    const former = { stamp: stampOf(found), mode: found.mode & 0o777, digest: digestOf(held) };
    return { write, target, text: before === undefined ? withLineEndsOf(held, text) : text, former };
  } catch (cause) {
    throw toFileError(file, cause);
  }
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

/** Drafts whose record is in one folder. */
interface DraftSet {
  readonly intent: Intent;
  readonly drafts: readonly Draft[];
}

/** The files of the project, where every command looks for a record, and apart from them those elsewhere. */
async function toSets(at: FileContext, drafts: readonly Draft[]): Promise<readonly DraftSet[]> {
  const root = await realpath(at.places.root);
  const byFolder = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const folder = await setFolder(root, draft.target);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), draft]);
  }
  return Promise.all(
    [...byFolder].map(async ([folder, some]) => {
      const files = some.map(({ target, text, former }) => ({
        target,
        after: digestOf(text),
        ...defined({ before: former?.digest }),
      }));
      const folders = await missingFolders(some.map(({ target }) => path.dirname(target)));
      return { drafts: some, intent: { folder, id: at.context.randomUuid(), files, folders } };
    }),
  );
}

/** The folder that has the record of a file. `root`: where the folder of the project really is. */
async function setFolder(root: string, target: string): Promise<string> {
  const real = (await resolveReal(target)) ?? target;
  return isBelow(root, real) ? root : existingFolder(path.dirname(real));
}

async function existingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(ifMissing);
  const parent = path.dirname(folder);
  return found !== undefined || parent === folder ? folder : existingFolder(parent);
}

/** The outermost first. */
async function missingFolders(wanted: readonly string[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const folder of wanted) {
    const existing = await existingFolder(folder);
    for (let one = folder; one !== existing; one = path.dirname(one)) missing.add(one);
  }
  return [...missing].toSorted((a, b) => a.length - b.length);
}

async function writeDrafts({ intent: { id, folders }, drafts }: DraftSet): Promise<void> {
  for (const { write, target, text, former } of drafts) {
    const draft = draftOf(target, id);
    await naming(write.file, makeFolders(folders, path.dirname(target)));
    await naming(write.file, writeDurably(draft, text, former?.mode ?? DOCUMENT_MODE));
    // The process's mask takes permissions from a new file.
    if (former !== undefined) await naming(write.file, chmod(draft, former.mode));
  }
}

/** Makes the missing folders, so that only they are removed again. */
async function makeFolders(folders: readonly string[], folder: string): Promise<void> {
  if (folders.includes(folder)) await mkdir(folder, { recursive: true });
}

async function putInPlace({ intent: { id }, drafts }: DraftSet): Promise<void> {
  for (const { write, target, former } of drafts) {
    if (former !== undefined) await naming(write.file, keepFormer(target, backupOf(target, id)));
  }
  const folders = new Set(drafts.map(({ target }) => path.dirname(target)));
  for (const folder of folders) await flushFolder(folder);
  for (const { write, target, former } of drafts) {
    const found = await naming(write.file, stat(target).catch(ifMissing));
    if ((found && stampOf(found)) !== former?.stamp) throw changedMeanwhile(write.file);
    await naming(write.file, rename(draftOf(target, id), target));
  }
  for (const folder of folders) await flushFolder(folder);
}

/** A second name of the same file needs no space; not all disks know one. */
async function keepFormer(target: string, backup: string): Promise<void> {
  await link(target, backup).catch(async () => {
    await copyFile(target, backup);
    const handle = await open(backup, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

async function naming<Result>(file: string, work: Promise<Result>): Promise<Result> {
  return work.catch((cause: unknown) => {
    throw toFileError(file, cause);
  });
}

function toFileError(file: string, cause: unknown): FlagwrightError {
  return cause instanceof FlagwrightError ? cause : fileError('write', file, cause);
}

/** @throws {FlagwrightError} saying what happens to files that were written and could not be restored. */
function fail(reason: unknown, { folder }: Intent, cause: unknown): never {
  const { message } = reason instanceof Error ? reason : { message: String(reason) };
  const { message: why } = fileError('write', folder, cause);
  throw new FlagwrightError('file', `${message} Files that were written before could not be restored. ${why}`, {
    remedy: 'The next command in this folder restores them, once it can write there.',
    cause,
  });
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
