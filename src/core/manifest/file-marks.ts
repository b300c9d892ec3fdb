/** Tells whether files changed, without reading them. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { stringifyJson } from '../../base/json-text.ts';
import { diskSource } from './tree-source.ts';

/** Finds the marks of files that match patterns, and of the files that these name. */
export type MarkFiles = (root: string, patterns: readonly string[]) => Promise<string>;

/** `findNamed`: the names of such files, relative to `root`; called whenever a file that matches changes. */
export function createMarks(
  findNamed: (root: string, patterns: readonly string[]) => Promise<readonly string[]>,
): MarkFiles {
  let last: { readonly id: string; readonly named: readonly string[] } | undefined;
  return async (root, patterns) => {
    const marks = await readMarks(root, patterns);
    const id = stringifyJson([root, patterns, marks]);
    if (last?.id !== id) last = { id, named: await findNamed(root, patterns) };
    return `${marks}\n${await marksOf(root, last.named)}`;
  };
}

/** A string that changes whenever a file that matches is added, removed or written. `root`: absolute folder of the patterns. */
export async function readMarks(root: string, patterns: readonly string[]): Promise<string> {
  const { files } = await diskSource(root).find(patterns);
  return marksOf(root, files);
}

async function marksOf(root: string, files: readonly string[]): Promise<string> {
  const marks = files.map(async (file) => {
    const facts = await stat(path.join(root, file)).catch(() => undefined);
    return `${file}:${facts?.ino ?? 0}:${facts?.mtimeMs ?? 0}:${facts?.size ?? 0}`;
  });
  return (await Promise.all(marks)).join('\n');
}
