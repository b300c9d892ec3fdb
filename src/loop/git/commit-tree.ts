/** The files of a commit, as they would be on disk if the commit were checked out. */

import { resolve, isAbsolute, relative, sep } from 'node:path';
import type { FileTree } from '../../base/file-tree.ts';
import { type StoredObject, GitError, type Objects } from './objects.ts';
import type { Repository } from './repository.ts';
import { memberOf } from '../../base/json.ts';

export interface CommitTree extends FileTree {
  /** The id of the content of a file; `undefined` if there is no such file. */
  blobOf(path: string): Promise<string | undefined>;
}

/** `commit`: its id, of a commit that the repository has. */
export function commitTree(objects: Objects, repository: Repository, commit: string): CommitTree {
  // Each object is read once.
  const read = onceFor(async (id) => {
    const object = await objects.read(id);
    if (object === undefined) throw new GitError(`the object ${id} is missing`);
    return object;
  });
  const list = onceFor(async (id) => parseTree(bytesOf(await read(id)), repository.hash));
  const stored: StoredFiles = { root: `${commit}^{tree}`, read, list };
  const find = async (path: string): Promise<LocatedEntry> => {
    const located = await locate(path, repository, stored);
    // The target of a link outside the repository is unknown.
    if (located.kind === 'outside') throw failure('ENOENT');
    return located.entry;
  };
  return {
    realpath: async (path) => {
      const located = await locate(path, repository, stored);
      return located.kind === 'outside' ? located.path : resolve(repository.top, ...located.parts);
    },
    stat: async (path) => {
      const { kind, id } = await find(path);
      return kind === 'file' ? { kind, size: (await read(id)).size } : { kind: 'folder', size: 0 };
    },
    list: async (path) => {
      const { kind, id } = await find(path);
      if (kind !== 'folder') throw failure(kind === 'file' ? 'ENOTDIR' : IN_SUBMODULE);
      // A submodule is a folder on disk.
      return [...(await list(id))].map(([name, entry]) => ({
        name,
        kind: entry.kind === 'module' ? 'folder' : entry.kind,
      }));
    },
    readFile: async (path) => {
      const { kind, id } = await find(path);
      if (kind !== 'file') throw failure('EISDIR');
      return bytesOf(await read(id));
    },
    blobOf: async (path) => {
      const entry = await find(path).catch(() => undefined);
      return entry?.kind === 'file' ? entry.id : undefined;
    },
  };
}

function onceFor<Value>(make: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const made = new Map<string, Promise<Value>>();
  return (id) => {
    const value = made.get(id) ?? make(id);
    made.set(id, value);
    return value;
  };
}

export interface StoredFiles {
  /** The top folder. */
  readonly root: string;
  list(id: string): Promise<ReadonlyMap<string, StoredEntry>>;
  read(id: string): Promise<StoredObject>;
}

type LocatedPath =
  /** `parts`: the path from the top, without links. */
  | { readonly kind: 'inside'; readonly parts: readonly string[]; readonly entry: LocatedEntry }
  /** A link leaves the repository. */
  | { readonly kind: 'outside'; readonly path: string };

interface LocatedEntry extends StoredEntry {
  readonly kind: Exclude<StoredEntry['kind'], 'link'>;
}

/** The same limit as that of Linux. */
const MOST_LINKS = 40;

export interface StoredEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'module';
  readonly id: string;
}

const KINDS: Readonly<Record<string, StoredEntry['kind']>> = {
  '40000': 'folder',
  '120000': 'link',
  '160000': 'module',
};

const ID_BYTES = { sha1: 20, sha256: 32 } as const;

/** @throws an error with the code of the system, such as `ENOENT`. */
export async function locate(path: string, repository: Repository, stored: StoredFiles): Promise<LocatedPath> {
  const { top } = repository;
  const pending = partsFromTop(path, repository);
  if (pending === undefined) return { kind: 'outside', path };
  const trail: { readonly name: string; readonly entry: LocatedEntry }[] = [];
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (trail.pop() === undefined) return { kind: 'outside', path: resolve(top, '..', ...pending) };
      continue;
    }
    const entry = await find(name, trail.at(-1)?.entry, stored);
    if (entry.kind !== 'link') {
      trail.push({ name, entry: { ...entry, kind: entry.kind } });
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw failure('ELOOP');
    const target = bytesOf(await stored.read(entry.id)).toString();
    if (isAbsolute(target)) {
      if (leaves(relative(top, target))) return { kind: 'outside', path: resolve(target, ...pending) };
      trail.length = 0;
    }
    pending.unshift(...(isAbsolute(target) ? relative(top, target) : target).split(/[/\\]/));
  }
  const entry = trail.at(-1)?.entry ?? { kind: 'folder', id: stored.root };
  return { kind: 'inside', parts: trail.map((step) => step.name), entry };
}

/** The folder may have been reached by a symbolic link, so a path may be below it or below the top. */
function partsFromTop(path: string, { folder, top, prefix }: Repository): string[] | undefined {
  const below = relative(folder, path);
  if (!leaves(below)) return [...prefix.split('/'), ...below.split(sep)];
  const fromTop = relative(top, path);
  return leaves(fromTop) ? undefined : fromTop.split(sep);
}

/** Whether a relative path leads out of where it begins. */
export function leaves(path: string): boolean {
  return isAbsolute(path) || path.split(sep)[0] === '..';
}

async function find(name: string, folder: LocatedEntry | undefined, stored: StoredFiles): Promise<StoredEntry> {
  if (folder?.kind === 'file') throw failure('ENOTDIR');
  if (folder?.kind === 'module') throw failure(IN_SUBMODULE);
  const entry = (await stored.list(folder?.id ?? stored.root)).get(name);
  if (entry === undefined) throw failure('ENOENT');
  return entry;
}

/** A code in addition to the system's: the folder is its own repository, whose files are not in this one. */
export const IN_SUBMODULE = 'ESUBMODULE';

export function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** An object that is too large to read must not count as empty. */
function bytesOf({ bytes }: StoredObject): Buffer {
  if (bytes === undefined) throw failure('EFBIG');
  return bytes;
}

/**
 * Parses entries, by name. Each is `MODE NAME`, a zero byte and the id as bytes. Names that no checkout can have are left out.
 * @throws {GitError} if the bytes are not such a list.
 */
export function parseTree(bytes: Buffer, hash: keyof typeof ID_BYTES): ReadonlyMap<string, StoredEntry> {
  const entries = new Map<string, StoredEntry>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const zero = bytes.indexOf(0, space);
    const end = zero + 1 + ID_BYTES[hash];
    if (space === -1 || zero === -1 || end > bytes.length) throw new GitError('the entries of a folder are damaged');
    const name = bytes.toString('utf8', space + 1, zero);
    const kind = memberOf(KINDS, bytes.toString('latin1', at, space)) ?? 'file';
    if (isPossible(name)) entries.set(name, { kind, id: bytes.toString('hex', zero + 1, end) });
    at = end;
  }
  return entries;
}

function isPossible(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/');
}
