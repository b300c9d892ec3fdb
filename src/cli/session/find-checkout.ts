/** The checkout that a folder is in, found without git: a CI image may lack it. */

import { existsSync } from 'node:fs';
import path from 'node:path';

/** The nearest folder, upward, that has `.git`, which is a file in a worktree. */
export function checkoutAround(folder: string): string | undefined {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : checkoutAround(parent);
}
