/** The files of a commit, as they would be on disk if the commit were checked out. */

import { resolve } from 'node:path';
import type { FileTree, TreeEntry } from '../base/file-tree.ts';
import type { StoredObject } from './batch-reader.ts';
import {
  IN_SUBMODULE,
  bytesOf,
  failure,
  locate,
  parseTree,
  type LocatedEntry,
  type LocatedPath,
  type StoredEntry,
  type StoredFiles,
} from './locate.ts';
import { GitError, type Objects } from './objects.ts';
import type { Repository } from './repository.ts';

export interface CommitTree extends FileTree {
  /** The id of the content of a file; `undefined` if there is no such file. */
  blobOf(path: string): Promise<string | undefined>;
}

/** `commit`: its id, of a commit that the repository has. */
export function commitTree(objects: Objects, repository: Repository, commit: string): CommitTree {
  const stored = storedFiles(objects, repository, commit);
  const find = async (path: string): Promise<LocatedEntry> => toEntry(await locate(path, repository, stored));
  return {
    realpath: async (path) => {
      const located = await locate(path, repository, stored);
      return located.kind === 'outside' ? located.path : resolve(repository.top, ...located.parts);
    },
    stat: async (path) => {
      const { kind, id } = await find(path);
      return kind === 'file' ? { kind, size: (await stored.read(id)).size } : { kind: 'folder', size: 0 };
    },
    list: async (path) => {
      const { kind, id } = await find(path);
      if (kind !== 'folder') throw failure(kind === 'file' ? 'ENOTDIR' : IN_SUBMODULE);
      return [...(await stored.list(id))].map(([name, entry]) => ({ name, kind: KINDS[entry.kind] }));
    },
    readFile: async (path) => {
      const { kind, id } = await find(path);
      if (kind !== 'file') throw failure('EISDIR');
      return bytesOf(await stored.read(id));
    },
    blobOf: async (path) => {
      const located = await locate(path, repository, stored).catch(() => undefined);
      return located?.kind === 'inside' && located.entry.kind === 'file' ? located.entry.id : undefined;
    },
  };
}

/** The target of a link outside the repository is unknown. */
function toEntry(located: LocatedPath): LocatedEntry {
  if (located.kind === 'outside') throw failure('ENOENT');
  return located.entry;
}

/** A submodule is a folder on disk. */
const KINDS: Readonly<Record<StoredEntry['kind'], TreeEntry['kind']>> = {
  file: 'file',
  folder: 'folder',
  link: 'link',
  module: 'folder',
};

/** Each object is read once. */
function storedFiles(objects: Objects, { hash }: Repository, commit: string): StoredFiles {
  const read = once((id) => readObject(objects, id));
  const list = once(async (id) => parseTree(bytesOf(await read(id)), hash));
  return { root: `${commit}^{tree}`, read, list };
}

function once<Value>(make: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const made = new Map<string, Promise<Value>>();
  return (id) => {
    const value = made.get(id) ?? make(id);
    made.set(id, value);
    return value;
  };
}

async function readObject(objects: Objects, id: string): Promise<StoredObject> {
  const object = await objects.read(id);
  if (object === undefined) throw new GitError(`the object ${id} is missing`);
  return object;
}
