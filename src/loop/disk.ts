/** What a journal, and files that a run writes, ask of the disk. */

import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** Makes a new or replaced name durable; a system that cannot open folders does this itself. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** A link counts, wherever it leads. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
