/** Lets the glob library search any tree of files. */

import { join } from 'node:path';
import { callbackify } from 'node:util';
import type { GlobOptions } from 'tinyglobby';
import type { FileTree, TreeEntry } from '../base/file-tree.ts';

type Adapter = NonNullable<GlobOptions['fs']>;

/** `onUnreadable`: called for each folder that cannot be listed, unless it does not exist. */
export function globAdapter(tree: FileTree, onUnreadable: (folder: string, error: Error) => void): Adapter {
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
