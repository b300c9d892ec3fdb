/** Tells whether files changed, without reading them. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { diskSource } from './tree-source.ts';

/** A string that changes whenever a file that matches is added, removed or written. `root`: absolute folder of the patterns. */
export async function readMarks(root: string, patterns: readonly string[]): Promise<string> {
  const { files } = await diskSource(root).find(patterns);
  const marks = files.map(async (file) => {
    const facts = await stat(path.join(root, file)).catch(() => undefined);
    return `${file}:${facts?.ino ?? 0}:${facts?.mtimeMs ?? 0}:${facts?.size ?? 0}`;
  });
  return (await Promise.all(marks)).join('\n');
}
