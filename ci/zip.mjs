// The one file of a zip archive, as GitHub answers artifacts. Archives of any other sort are none.

import { inflateRawSync } from 'node:zlib';

const END = 0x06_05_4b_50;
const END_SIZE = 22;
/** A comment may follow the end. */
const LONGEST_COMMENT = 0xff_ff;
const ENTRY = 0x02_01_4b_50;
const LOCAL_SIZE = 30;
const STORED = 0;
const DEFLATED = 8;

/** The bytes of the file, if it is the only one, has this name and at most so many bytes; else undefined. */
export function readOnlyFile(archive, { name, most }) {
  try {
    return readEntry(archive, { name, most });
  } catch {
    // Cut off, or its numbers lead elsewhere.
    return undefined;
  }
}

function readEntry(archive, { name, most }) {
  const end = findEnd(archive);
  if (end === undefined || archive.readUInt16LE(end + 10) !== 1) return undefined;
  const at = archive.readUInt32LE(end + 16);
  const [packed, size, length] = [
    archive.readUInt32LE(at + 20),
    archive.readUInt32LE(at + 24),
    archive.readUInt16LE(at + 28),
  ];
  const isWanted = archive.readUInt32LE(at) === ENTRY && archive.toString('utf8', at + 46, at + 46 + length) === name;
  if (!isWanted || size > most) return undefined;
  const local = archive.readUInt32LE(at + 42);
  const start = local + LOCAL_SIZE + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = unpack(archive.subarray(start, start + packed), archive.readUInt16LE(at + 10), most);
  return bytes?.length === size ? bytes : undefined;
}

function findEnd(archive) {
  const first = Math.max(0, archive.length - END_SIZE - LONGEST_COMMENT);
  for (let at = archive.length - END_SIZE; at >= first; at -= 1) if (archive.readUInt32LE(at) === END) return at;
  return undefined;
}

function unpack(bytes, method, most) {
  if (method === STORED) return bytes;
  return method === DEFLATED ? inflateRawSync(bytes, { maxOutputLength: most + 1 }) : undefined;
}
