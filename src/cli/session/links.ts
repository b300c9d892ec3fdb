/** Keeps a write inside the folder of its path: a symbolic link in a repository could point anywhere. */

import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';

/**
 * A path below `root` must resolve to a place below `root`. Any other path was chosen by the user.
 * @throws {FlagwrightError} `file` where a symbolic link leads out.
 */
export async function refuseLinkOut(root: string, target: string): Promise<void> {
  if (!isBelow(root, target)) return;
  const real = await resolveReal(target);
  if (real !== undefined && isBelow(await realpath(root), real)) return;
  throw new FlagwrightError(
    'file',
    `Cannot write ${path.relative(root, target)}: a symbolic link points outside its folder.`,
    { remedy: `Check where it points, and remove it. flagwright follows no link out of ${root}.` },
  );
}

/** Resolves a path that may not exist yet; `undefined` for a dangling link. */
export async function resolveReal(target: string): Promise<string | undefined> {
  const found = await realpath(target).catch(() => undefined);
  if (found !== undefined) return found;
  if ((await lstat(target).catch(() => undefined)) !== undefined) return undefined;
  const parent = path.dirname(target);
  const folder = parent === target ? undefined : await resolveReal(parent);
  return folder === undefined ? undefined : path.join(folder, path.basename(target));
}

export function isBelow(root: string, target: string): boolean {
  const way = path.relative(root, target);
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
