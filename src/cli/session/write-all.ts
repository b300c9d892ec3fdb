/** Writes several files, all or none. */

import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
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
 * A failure, also in the middle, leaves every file as it was.
 * @throws {FlagwrightError} `file`.
 */
export async function writeAll(at: FileContext, writes: readonly FileWrite[]): Promise<void> {
  const drafts: Draft[] = [];
  try {
    for (const write of writes) drafts.push(await prepare(at, write));
    await putInPlace(drafts);
  } finally {
    for (const { draft } of drafts) await rm(draft, { force: true });
  }
}

interface Draft {
  readonly write: FileWrite;
  readonly target: string;
  readonly draft: string;
  /** The bytes of the file so far; `undefined` if it does not exist. */
  readonly former: Buffer | undefined;
}

async function prepare(at: FileContext, write: FileWrite): Promise<Draft> {
  const { file, text, before } = write;
  try {
    const folder = path.resolve(at.context.cwd, path.dirname(file));
    await refuseLinkOut(at.places.root, folder);
    const { path: target } = await findTarget(at, file);
    await mkdir(folder, { recursive: true });
    const former = await readFile(target).catch(ifMissing);
    const mode = former === undefined ? DOCUMENT_MODE : (await stat(target)).mode & 0o777;
    // A rename would replace it all the same.
    if ((mode & 0o200) === 0) throw readOnly(file);
    if (before !== undefined && former?.toString('utf8') !== before) throw changedMeanwhile(file);
    const draft = path.join(path.dirname(target), `.${path.basename(target)}.${at.context.randomUuid()}.tmp`);
    await writeDraft(draft, before === undefined ? withLineEndsOf(former, text) : text, mode);
    return { write, target, draft, former };
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('write', file, cause);
  }
}

/** A file with Windows line ends keeps them when it is overwritten, so that a diff shows what changed. */
function withLineEndsOf(former: Buffer | undefined, text: string): string {
  const end = former?.indexOf('\n') ?? -1;
  return end > 0 && former?.toString('latin1', end - 1, end) === '\r' ? text.replace(/\r?\n/g, '\r\n') : text;
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}

async function putInPlace(drafts: readonly Draft[]): Promise<void> {
  const done: Draft[] = [];
  for (const one of drafts) {
    try {
      await rename(one.draft, one.target);
      done.push(one);
    } catch (cause) {
      for (const { target, former } of done) await (former === undefined ? rm(target) : writeFile(target, former));
      throw fileError('write', one.write.file, cause);
    }
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
