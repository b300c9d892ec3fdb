/** The files on disk. */

import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import type { FileTree, TreeFacts } from '../base/file-tree.ts';

export const DISK: FileTree = {
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
