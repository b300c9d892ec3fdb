// The files of a zip archive, as GitHub answers artifacts. Archives of any other sort are none.

import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** The texts of the files, if it has exactly those of these names, each with at most so many bytes; else undefined. */
export async function readFiles(archive, { names, most }) {
  try {
    const zip = await fromBufferPromise(archive, { lazyEntries: true });
    if (zip.entryCount !== names.length) return undefined;
    const files = new Map();
    for await (const entry of zip.eachEntry()) {
      if (!names.includes(entry.fileName) || entry.uncompressedSize > most) return undefined;
      // Ends with an error where the file has more bytes than it says.
      files.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
    }
    return files.size === names.length ? files : undefined;
  } catch {
    // Cut off, or its numbers lead elsewhere.
    return undefined;
  }
}
