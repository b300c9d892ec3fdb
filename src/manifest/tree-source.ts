/** Manifests in a tree of files, found by glob. Everything that cannot be read is reported, never skipped. */

import { isAbsolute, join, relative, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { systemCode } from '../base/system-code.ts';
import type { FileTree } from '../base/file-tree.ts';
import { decodeUtf8, notUtf8 } from '../base/yaml/decode.ts';
import { DISK } from './disk-tree.ts';
import { globAdapter } from './glob-adapter.ts';
import type { FileDiagnostic, FoundFiles, ManifestSource, ReadText } from './source.ts';

/** The largest size of a manifest in bytes. */
export const MAX_FILE_BYTES = 10_000_000;

/** `root`: absolute folder that the patterns and the names of files are relative to. */
export function treeSource(root: string, tree: FileTree): ManifestSource {
  return { find: (patterns) => findFiles(patterns, root, tree), read: (file) => readText(file, root, tree) };
}

/** The files below a folder on disk. */
export function diskSource(root: string): ManifestSource {
  return treeSource(root, DISK);
}

async function findFiles(patterns: readonly string[], root: string, tree: FileTree): Promise<FoundFiles> {
  const diagnostics: FileDiagnostic[] = [];
  const inside: string[] = [];
  for (const written of patterns) {
    const pattern = fromRoot(root, written);
    if (leavesRoot(pattern)) diagnostics.push({ code: 'file-outside', severity: 'error', args: { pattern: written } });
    else inside.push(pattern);
  }
  // tinyglobby treats a folder that it may not list as empty. A missing manifest could plan deletes.
  const fs = globAdapter(tree, (folder, error) => {
    diagnostics.push(unreadableFile(relative(root, folder).split(sep).join('/') || '.', systemCode(error)));
  });
  const files = inside.length === 0 ? [] : (await glob(inside, { cwd: root, expandDirectories: false, fs })).toSorted();
  for (const pattern of inside.filter((name) => !isDynamicPattern(name) && !files.includes(name))) {
    diagnostics.push(unreadableFile(pattern, 'ENOENT'));
  }
  if (files.length === 0 && diagnostics.length === 0) {
    diagnostics.push({ code: 'manifests-none', severity: 'error', args: { patterns } });
  }
  return { files, diagnostics };
}

async function readText(file: string, root: string, tree: FileTree): Promise<ReadText> {
  const place = { file, line: 1, column: 1 };
  try {
    const path = await tree.realpath(join(root, file));
    if (leavesRoot(relative(await tree.realpath(root), path))) {
      return { problem: { code: 'file-outside', severity: 'error', place, args: { pattern: file } } };
    }
    const { kind, size } = await tree.stat(path);
    if (kind !== 'file') return { problem: unreadableFile(file, 'not a file') };
    if (size > MAX_FILE_BYTES) {
      const args = { bytes: size, limit: MAX_FILE_BYTES };
      const start = asText(await tree.readStart?.(path, START_BYTES));
      return { problem: { code: 'file-too-large', severity: 'error', place, args }, start };
    }
    const bytes = await tree.readFile(path);
    const decoded = decodeUtf8(bytes);
    if ('text' in decoded) return { text: decoded.text, bytes };
    const problem = { code: 'file-not-utf8', severity: 'error', place, args: notUtf8(decoded) } as const;
    return { problem, start: asText(bytes.subarray(0, START_BYTES)) };
  } catch (error) {
    return { problem: unreadableFile(file, systemCode(error)) };
  }
}

/** Enough to recognise what a file is for. */
const START_BYTES = 65_536;

function asText(bytes: Uint8Array = new Uint8Array()): string {
  // Without the byte order mark and the other half of UTF-16.
  return new TextDecoder('latin1').decode(bytes).replaceAll(/[\0ÿþ]/g, '');
}

/** A pattern relative to the root, with `/` between folders. */
export function fromRoot(root: string, pattern: string): string {
  const path = isAbsolute(pattern) ? relative(root, pattern) : pattern;
  return path.split(sep).join('/').replace(/^\.\//, '');
}

function leavesRoot(path: string): boolean {
  return isAbsolute(path) || path.split(/[\\/]/).includes('..');
}

function unreadableFile(file: string, reason: string): FileDiagnostic {
  return { code: 'file-unreadable', severity: 'error', place: { file, line: 1, column: 1 }, args: { reason } };
}
