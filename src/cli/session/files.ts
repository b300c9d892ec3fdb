/** Files that a run writes for its user: whole or not at all, and with clear words when that fails. */

import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { Context } from './context.ts';
import { refuseLinkOut } from './links.ts';

export const DOCUMENT_MODE = 0o644;
/** A saved plan holds what flags hold, payloads included. */
export const PRIVATE_MODE = 0o600;

/** Replaces the file at once, so that a reader never sees half of a document. */
export async function writeDocument(at: FileContext, file: string, content: FileContent): Promise<void> {
  const { path: target, special } = await findTarget(at, file);
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${at.context.randomUuid()}.tmp`);
  try {
    if (special) return await writeFile(target, content.text);
    await writeFile(draft, content.text, { mode: content.mode ?? DOCUMENT_MODE, flag: 'wx' });
    await rename(draft, target);
  } catch (cause) {
    await rm(draft, { force: true });
    throw fileError('write', file, cause);
  }
}

export interface FileContext {
  readonly context: Pick<Context, 'cwd' | 'randomUuid'>;
  /** `root`: the folder out of which no link may lead. */
  readonly places: { readonly root: string };
}

export interface FileContent {
  readonly text: string;
  readonly mode?: number;
}

/**
 * Where a file that the user named is written. A symbolic link is followed, though never out of the project, and what is no
 * regular file (`/dev/null`, a pipe) is written to and never replaced.
 */
export async function findTarget(
  { context, places }: FileContext,
  file: string,
): Promise<{ readonly path: string; readonly special: boolean }> {
  const target = path.resolve(context.cwd, file);
  await refuseLinkOut(places.root, target);
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return { path: target, special: false };
  return { path: await realpath(target), special: !found.isFile() };
}

/** Writes a file that is not there yet; `false` when it is. Folders are made. */
export async function writeNewFile(target: string, text: string): Promise<boolean> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError('write', target, cause);
  }
}

export function fileError(verb: 'read' | 'write', file: string, cause: unknown): FlagwrightError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new FlagwrightError('file', `Cannot ${verb} ${file}: ${FILE_REASONS[reason] ?? reason}.`, { cause });
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};
