/** Makes the names in a folder durable. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Makes a new or replaced name durable; a system that cannot open folders does this itself. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
