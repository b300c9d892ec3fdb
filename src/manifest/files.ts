/** Finds manifest files by glob and reads their text. Everything that cannot be read is reported, never skipped. */

import fs from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { systemCode } from '../base/errors.ts';
import { decodeUtf8, notUtf8 } from '../base/yaml/decode.ts';
import type { FileDiagnostic, FoundFiles, ManifestSource, ReadText } from './source.ts';

/** The largest size of a manifest in bytes. */
export const MAX_FILE_BYTES = 10_000_000;

/** The files below a folder on disk. */
export function diskSource(root: string): ManifestSource {
  return { find: (patterns) => findFiles(root, patterns), read: (file) => readText(root, file) };
}

export async function findFiles(root: string, patterns: readonly string[]): Promise<FoundFiles> {
  const diagnostics: FileDiagnostic[] = [];
  const inside: string[] = [];
  for (const written of patterns) {
    const pattern = fromRoot(root, written);
    if (leavesRoot(pattern)) diagnostics.push({ code: 'file-outside', severity: 'error', args: { pattern: written } });
    else inside.push(pattern);
  }
  const unreadable = (folder: string, reason: string): void => {
    diagnostics.push(unreadableFile(relative(root, folder).split(sep).join('/') || '.', reason));
  };
  const options = { cwd: root, expandDirectories: false, fs: { ...fs, readdir: reportingReaddir(unreadable) } };
  const files = inside.length === 0 ? [] : (await glob(inside, options)).toSorted();
  for (const pattern of inside.filter((name) => !isDynamicPattern(name) && !files.includes(name))) {
    diagnostics.push(unreadableFile(pattern, 'ENOENT'));
  }
  if (files.length === 0 && diagnostics.length === 0) {
    diagnostics.push({ code: 'manifests-none', severity: 'error', args: { patterns } });
  }
  return { files, diagnostics };
}

/** The text of a file below the root, or why it cannot be read. */
async function readText(root: string, file: string): Promise<ReadText> {
  const place = { file, line: 1, column: 1 };
  try {
    const path = await realpath(join(root, file));
    if (leavesRoot(relative(await realpath(root), path))) {
      return { problem: { code: 'file-outside', severity: 'error', place, args: { pattern: file } } };
    }
    const facts = await stat(path);
    if (!facts.isFile()) return { problem: unreadableFile(file, 'not a file') };
    if (facts.size > MAX_FILE_BYTES) {
      const args = { bytes: facts.size, limit: MAX_FILE_BYTES };
      return { problem: { code: 'file-too-large', severity: 'error', place, args } };
    }
    const bytes = await readFile(path);
    const decoded = decodeUtf8(bytes);
    if ('text' in decoded) return { text: decoded.text, bytes };
    return { problem: { code: 'file-not-utf8', severity: 'error', place, args: notUtf8(decoded) } };
  } catch (error) {
    return { problem: unreadableFile(file, systemCode(error)) };
  }
}

/** A pattern relative to the root, with `/` between folders. */
export function fromRoot(root: string, pattern: string): string {
  const path = isAbsolute(pattern) ? relative(root, pattern) : pattern;
  return path.split(sep).join('/').replace(/^\.\//, '');
}

function leavesRoot(path: string): boolean {
  return isAbsolute(path) || path.split(/[\\/]/).includes('..');
}

// tinyglobby treats a folder that it may not list as empty, and skips dangling links and pipes. A missing manifest could
// plan deletes, so such folders are reported here, and the others are listed as files so that reading them reports why.
function reportingReaddir(report: (folder: string, reason: string) => void): typeof fs.readdir {
  const readdir = (path: string, options: object, callback: (...answer: unknown[]) => void): void => {
    fs.readdir(path, options, (error, entries) => {
      if (error !== null && error.code !== 'ENOENT') report(path, systemCode(error));
      callback(
        error,
        (entries as unknown as fs.Dirent[] | undefined)?.map((entry) => asFile(path, entry)),
      );
    });
  };
  return readdir as typeof fs.readdir;
}

function asFile(folder: string, entry: fs.Dirent): fs.Dirent {
  if (entry.isFile() || entry.isDirectory() || leadsSomewhere(join(folder, entry.name))) return entry;
  return Object.assign(Object.create(entry) as fs.Dirent, { isFile: () => true, isSymbolicLink: () => false });
}

function leadsSomewhere(path: string): boolean {
  try {
    const target = fs.statSync(path);
    return target.isFile() || target.isDirectory();
  } catch {
    return false;
  }
}

function unreadableFile(file: string, reason: string): FileDiagnostic {
  return { code: 'file-unreadable', severity: 'error', place: { file, line: 1, column: 1 }, args: { reason } };
}
