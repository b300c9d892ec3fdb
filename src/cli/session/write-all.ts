/** Writes several files, each of them whole. A failure in between says which of them were written. */

import type { Stats } from 'node:fs';
import { chmod, mkdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { flushFolder } from '../../journal/disk.ts';
import {
  DOCUMENT_MODE,
  draftBeside,
  fileError,
  findTarget,
  writeDurably,
  type FileContext,
  refuseLinkOut,
  removeDraft,
  resolveReal,
} from './files.ts';

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
    throw withOutcome(error, { written, missing });
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
  /** The file that is replaced. */
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
  { written, missing }: { readonly written: readonly Draft[]; readonly missing: readonly Draft[] },
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
