/** The one file of an archive, and archives that are none. */

import { describe, expect, test } from 'vitest';
import { readFiles } from '../../ci/zip.mjs';
import { zipOf } from '../helpers/zip.ts';

const NAME = 'plan.json';
const read = async (archive: Buffer, most = 1000): Promise<string | undefined> =>
  (await readFiles(archive, { names: [NAME], most }))?.get(NAME);

/** Written by zipfile of Python: stored, and with a comment at the end. */
const STORED = Buffer.from(
  '504b030414000000000000002100c7a78b3b040000000400000009000000706c616e2e6a736f6e74657874504b0102140314000000000000002100c7a78b3b0400000004000000090000000000000000000000800100000000706c616e2e6a736f6e504b05060000000001000100370000002b00000009006279206120746f6f6c',
  'hex',
);

test.each([
  ['deflated', zipOf({ [NAME]: 'text' }), 'text'],
  ['empty', zipOf({ [NAME]: '' }), ''],
  ['stored, with a comment behind it', STORED, 'text'],
])('a file that is %s is read', async (_, archive, expected) => {
  expect(await read(archive)).toBe(expected);
});

describe('nothing is read', () => {
  const whole = zipOf({ [NAME]: 'text' });
  /** The archive with another number at a place of its end or of its entry. */
  const withNumber = (at: number, value: number): Buffer => {
    const changed = Buffer.from(whole);
    changed.writeUInt32LE(value, at < 0 ? changed.length + at : changed.indexOf('PK\u0001\u0002') + at);
    return changed;
  };

  test.each<[string, Buffer]>([
    ['of an empty answer', Buffer.alloc(0)],
    ['of a text', Buffer.from('<html>'.repeat(100))],
    ['of two files', zipOf({ [NAME]: '1', other: '2' })],
    ['of two files of the name', Buffer.concat([zipOf({ other: '1' }).subarray(0, 10), zipOf({ [NAME]: '1', x: '' })])],
    ['of no file', zipOf({})],
    ['of a file with another name', zipOf({ '/plan.json': '' })],
    ['of a bomb', zipOf({ [NAME]: Buffer.alloc(1001) })],
    ['of a bomb that says it is small', withNumber(24, 1)],
    ['of a file with a size of its own', withNumber(24, 5)],
    ['where the directory is elsewhere', withNumber(-6, 2 ** 31)],
    ['where the file is elsewhere', withNumber(42, 2 ** 31)],
    ['of a method that is another one', withNumber(10, 12)],
  ])('%s', async (_, archive) => {
    expect(await read(archive)).toBeUndefined();
  });

  test('of an archive that is cut off anywhere', async () => {
    for (let length = 0; length < whole.length; length += 1)
      expect(await read(whole.subarray(0, length))).toBeUndefined();
  });
});
