/** Escaped text, as a program gets it: what is decoded, and where that stands in the file. */

import { expect, test } from 'vitest';
import { decodeEscapes } from '../../../src/code/references/source-text.ts';

const decode = (text: string) => decodeEscapes(Buffer.from(text, 'latin1'));
const textOf = (text: string): string | undefined => {
  const decoded = decode(text);
  return decoded && Buffer.from(decoded.bytes).toString('latin1');
};

test.each<[string, string | undefined]>([
  [String.raw`a\u002db`, 'a-b'],
  [String.raw`a\u{2d}b`, 'a-b'],
  [String.raw`a\u{002D}b`, 'a-b'],
  [String.raw`a\U0000002db`, 'a-b'],
  [String.raw`a\x2db`, 'a-b'],
  [String.raw`a\x{2d}b`, 'a-b'],
  [String.raw`a\x{002d}b`, 'a-b'],
  [String.raw`a\055b`, 'a-b'],
  [String.raw`a\55b`, 'a-b'],
  [String.raw`a\0137b`, 'a_b'],
  ['a%2Db', 'a-b'],
  ['a%2db%5fc', 'a-b_c'],
  ['a&#45;b', 'a-b'],
  ['a&#0045;b', 'a-b'],
  ['a&#x2d;b', 'a-b'],
  ['a&#X002D;b', 'a-b'],
  ['a&lowbar;b', 'a_b'],
  [String.raw`a\N{HYPHEN-MINUS}b`, 'a-b'],
  ['a\\\nb', 'ab'],
  ['a\\\r\nb', 'ab'],
  [String.raw`\u006e\x65w`, 'new'],
  [String.raw`a\u0020b\u002dc`, String.raw`a\u0020b-c`],
  // Characters that no key has, and what is no escape.
  [String.raw`a\u0020b`, undefined],
  ['a%20b', undefined],
  ['a&#32;b', undefined],
  ['a&lt;b', undefined],
  ['a%8db', undefined],
  [String.raw`a\nb`, undefined],
  [String.raw`a\N{DASH}b`, undefined],
  ['a\\ \nb', undefined],
  ['plain', undefined],
  ['100%', undefined],
  ['a&b\\', undefined],
])('%j is %j', (written, decoded) => {
  expect(textOf(written)).toBe(decoded);
});

test('each character has its place in the file, before, in and behind two escapes and a joined line', () => {
  const written = String.raw`(new\u002dche%63kout)` + '\\\n;';
  const decoded = decode(written);
  if (decoded === undefined) throw new Error('decoded');
  const text = Buffer.from(decoded.bytes).toString('latin1');
  expect(text).toBe('(new-checkout);');
  const plain = ['(', 'n', 'w', 'h', 'k', 't', ')', ';'];
  expect(plain.map((character) => written[decoded.originOf(text.indexOf(character))])).toEqual(plain);
  expect(decoded.originOf(0)).toBe(0);
});

test.each<[start: number, end: number, expected: boolean]>([
  [0, 4, false],
  [0, 5, true],
  [4, 5, true],
  [1, 13, true],
  [5, 8, false],
  [5, 9, true],
  [8, 9, true],
  [9, 12, false],
  [9, 14, false],
  [9, 15, false],
])('between %i and %i of new-che… something was decoded: %s', (start, end, expected) => {
  // new-checkout, of which - and the second c are escaped, at 4 and 8.
  const decoded = decode(String.raw`(new\u002dche%63kout)`);
  expect(decoded?.isDecodedIn(start, end)).toBe(expected);
});

test('a line that goes on is inside a word, and not at its start or end', () => {
  const decoded = decode('ab\\\ncd');
  expect([decoded?.isDecodedIn(0, 4), decoded?.isDecodedIn(0, 2), decoded?.isDecodedIn(2, 4)]).toEqual([
    true,
    false,
    false,
  ]);
});
