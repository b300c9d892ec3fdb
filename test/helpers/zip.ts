/** Zip archives, as the artifacts of GitHub are: the sizes of a file come after its bytes. */

import { deflateRawSync } from 'node:zlib';

export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const local = header(30, [
      [0, 0x04034b50, 4],
      [6, 8, 2],
      [8, 8, 2],
      [26, name.length, 2],
    ]);
    const sizes = header(16, [
      [0, 0x08074b50, 4],
      [8, packed.length, 4],
      [12, bytes.length, 4],
    ]);
    locals.push(local, Buffer.from(name), packed, sizes);
    entries.push(
      header(46, [
        [0, 0x02014b50, 4],
        [10, 8, 2],
        [20, packed.length, 4],
        [24, bytes.length, 4],
        [28, name.length, 2],
        [42, offset, 4],
      ]),
      Buffer.from(name),
    );
    offset += local.length + name.length + packed.length + sizes.length;
  }
  const count = Object.keys(files).length;
  const directory = Buffer.concat(entries);
  const end = header(22, [
    [0, 0x06054b50, 4],
    [8, count, 2],
    [10, count, 2],
    [12, directory.length, 4],
    [16, offset, 4],
  ]);
  return Buffer.concat([...locals, directory, end]);
}

/** `[place, number, bytes]` each; all else is 0. */
function header(size: number, numbers: readonly (readonly [number, number, number])[]): Buffer {
  const bytes = Buffer.alloc(size);
  for (const [at, value, length] of numbers) bytes.writeUIntLE(value, at, length);
  return bytes;
}
