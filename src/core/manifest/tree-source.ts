/** Manifests in a tree of files, found by glob. Everything that cannot be read is reported, never skipped. */

import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { callbackify } from 'node:util';
import { glob, isDynamicPattern, type GlobOptions } from 'tinyglobby';
import type { FileTree, TreeFacts, TreeEntry } from '../../base/file-tree.ts';
import { systemCode } from '../../base/errors.ts';
import { decodeUtf8, notUtf8 } from '../../base/yaml/decode.ts';
import type { FileDiagnostic, FoundFiles, ManifestSource, ReadText } from './source.ts';

/** The largest size of a manifest in bytes. */
export const MAX_FILE_BYTES = 10_000_000;

type Adapter = NonNullable<GlobOptions['fs']>;

/** `root`: absolute folder that the patterns and the names of files are relative to. */
export function treeSource(root: string, tree: FileTree): ManifestSource {
  let real: Promise<string> | undefined;
  const inside = { root, realRoot: async () => (real ??= tree.realpath(root)) };
  return { find: (patterns) => findFiles(patterns, root, tree), read: (file) => readText(file, inside, tree) };
}

/** The files below a folder on disk. */
export function diskSource(root: string): ManifestSource {
  return treeSource(root, DISK);
}

/** The files below a folder on disk as they are when they are first asked for. */
export function steadySource(root: string): ManifestSource {
  const source = diskSource(root);
  const found = new Map<string, Promise<FoundFiles>>();
  const read = new Map<string, Promise<ReadText>>();
  return {
    find: (patterns) => remember(found, patterns.join('\0'), () => source.find(patterns)),
    read: (file) => remember(read, file, () => source.read(file)),
  };
}

function remember<Value>(known: Map<string, Value>, name: string, ask: () => Value): Value {
  const value = known.get(name) ?? ask();
  known.set(name, value);
  return value;
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

interface Inside {
  readonly root: string;
  /** Asked once for all files. */
  readonly realRoot: () => Promise<string>;
}

async function readText(file: string, { root, realRoot }: Inside, tree: FileTree): Promise<ReadText> {
  const place = { file, line: 1, column: 1 };
  try {
    const path = await tree.realpath(join(root, file));
    if (leavesRoot(relative(await realRoot(), path))) {
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

/** This is enough to recognize the purpose of a file. */
const START_BYTES = 65_536;

function asText(bytes: Uint8Array = new Uint8Array()): string {
  // Drops the byte order mark and the other half of UTF-16.
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

/** The files on disk. */
const DISK: FileTree = {
  list: async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: entry.isSymbolicLink() ? 'link' : kindOf(entry) }));
  },
  realpath: (path) => realpath(path),
  stat: async (path) => {
    const facts = await stat(path);
    return { kind: kindOf(facts), size: facts.size };
  },
  readFile: (path) => readFile(path),
  readStart: async (path, bytes) => {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(bytes) });
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },
};

function kindOf(facts: { isFile(): boolean; isDirectory(): boolean }): TreeFacts['kind'] {
  if (facts.isFile()) return 'file';
  return facts.isDirectory() ? 'folder' : 'other';
}

/** `onUnreadable`: called for each folder that cannot be listed, unless it does not exist. */
function globAdapter(tree: FileTree, onUnreadable: (folder: string, error: Error) => void): Adapter {
  const list = async (folder: string, _options: object): Promise<unknown> => {
    try {
      return await Promise.all((await tree.list(folder)).map((entry) => toDirent(tree, folder, entry)));
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      if (failure.code !== 'ENOENT') onUnreadable(folder, failure);
      throw failure;
    }
  };
  // The library calls these three, and only so.
  return {
    readdir: callbackify(list),
    realpath: callbackify((path: string) => tree.realpath(path)),
    stat: callbackify(async (path: string) => toStats(await tree.stat(path))),
  } as unknown as Adapter;
}

/** The library skips dangling links and pipes. As files they are listed, so that reading them reports why it is not possible. */
async function toDirent(tree: FileTree, folder: string, { name, kind }: TreeEntry): Promise<object> {
  const target = kind === 'link' ? await tree.stat(join(folder, name)).catch(() => undefined) : { kind };
  const shown = target === undefined || target.kind === 'other' ? 'file' : kind;
  return { name, ...toStats({ kind: shown }), isSymbolicLink: () => shown === 'link' };
}

function toStats({ kind }: { readonly kind: string }): object {
  return { isFile: () => kind === 'file', isDirectory: () => kind === 'folder' };
}
