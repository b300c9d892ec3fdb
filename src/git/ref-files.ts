/** Looks for refs in the files of a repository that git does not read, or where there is no git. */

import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findGitFolder } from './read-head.ts';

/**
 * Whether the repository around a folder has refs below a name, such as `refs/flagwright/`, as far as files tell: of a format of
 * refs that is not files, it may.
 */
export async function mayHaveRefs(folder: string, below: string): Promise<boolean> {
  const git = await findGitFolder(path.resolve(folder)).catch(() => undefined);
  if (git === undefined) return false;
  const packed = await readFile(path.join(git.common, 'packed-refs'), 'utf8').catch(() => '');
  if (packed.split('\n').some((line) => line.includes(` ${below}`))) return true;
  const isTable = await stat(path.join(git.common, 'reftable')).then(
    () => true,
    () => false,
  );
  const files = await readdir(path.join(git.common, below), { recursive: true, withFileTypes: true }).catch(() => []);
  return isTable || files.some((entry) => entry.isFile());
}
