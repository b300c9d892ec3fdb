// The one file of a zip archive, as GitHub answers artifacts. Archives of any other sort are none.

import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** The bytes of the file, if it is the only one, has this name and at most so many bytes; else undefined. */
export async function readOnlyFile(archive, { name, most }) {
  try {
    const zip = await fromBufferPromise(archive, { lazyEntries: true });
    if (zip.entryCount !== 1) return undefined;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== name || entry.uncompressedSize > most) return undefined;
      // Ends with an error where the file has more bytes than it says.
      return await buffer(await zip.openReadStreamPromise(entry));
    }
  } catch {
    // Cut off, or its numbers lead elsewhere.
  }
  return undefined;
}
