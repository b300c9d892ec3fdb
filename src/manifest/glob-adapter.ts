/** Lets the glob library search any tree of files. */

import { join } from 'node:path';
import type { GlobOptions } from 'tinyglobby';
import type { FileTree, TreeEntry } from '../base/file-tree.ts';

type Adapter = NonNullable<GlobOptions['fs']>;
type Callback = (error: Error | null, result?: unknown) => void;

/** `onUnreadable`: called for each folder that cannot be listed, unless it does not exist. */
export function globAdapter(tree: FileTree, onUnreadable: (folder: string, error: Error) => void): Adapter {
  const list = async (folder: string): Promise<unknown> => {
    try {
      return await Promise.all((await tree.list(folder)).map((entry) => toDirent(tree, folder, entry)));
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      if (failure.code !== 'ENOENT') onUnreadable(folder, failure);
      throw failure;
    }
  };
  // The library calls these three in no other way.
  return {
    readdir: (folder: string, _options: object, callback: Callback) => answer(list(folder), callback),
    realpath: (path: string, callback: Callback) => answer(tree.realpath(path), callback),
    stat: (path: string, callback: Callback) => answer(tree.stat(path).then(toStats), callback),
  } as unknown as Adapter;
}

function answer(result: Promise<unknown>, callback: Callback): void {
  void result.then(
    (value) => callback(null, value),
    (error: Error) => callback(error),
  );
}

/** The library skips dangling links and pipes. As files they are listed, so that reading them reports why it is not possible. */
async function toDirent(tree: FileTree, folder: string, { name, kind }: TreeEntry): Promise<object> {
  const shown =
    kind === 'other' || (kind === 'link' && !(await leadsSomewhere(tree, join(folder, name)))) ? 'file' : kind;
  return {
    name,
    isFile: () => shown === 'file',
    isDirectory: () => shown === 'folder',
    isSymbolicLink: () => shown === 'link',
  };
}

async function leadsSomewhere(tree: FileTree, path: string): Promise<boolean> {
  return tree.stat(path).then(
    ({ kind }) => kind !== 'other',
    () => false,
  );
}

function toStats({ kind }: { readonly kind: string }): object {
  return { isFile: () => kind === 'file', isDirectory: () => kind === 'folder' };
}
