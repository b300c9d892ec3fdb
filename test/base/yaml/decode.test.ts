import { expect, it } from 'vitest';
import { decodeUtf8, notUtf8 } from '../../../src/base/yaml/decode.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

it.each([
  ['text', bytes('añ€😀'), { text: 'añ€😀' }],
  ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes('a')]), { text: 'a' }],
  ['nothing', Buffer.alloc(0), { text: '' }],
  ['Latin-1', Buffer.concat([bytes('abcé'), Buffer.from([0xe9, 0x20])]), { invalidAt: 5 }],
  ['UTF-16', Buffer.from([0xff, 0xfe, 0x61, 0x00]), { invalidAt: 0, encoding: 'UTF-16' }],
  ['UTF-16, big end first', Buffer.from([0xfe, 0xff, 0x00, 0x61]), { invalidAt: 0, encoding: 'UTF-16' }],
  ['UTF-16 without a mark', Buffer.from('a: 1', 'utf16le'), { invalidAt: 0, encoding: 'UTF-16' }],
  ['a lone NUL', bytes('a\0bc'), { text: 'a\0bc' }],
  ['a character cut off', Buffer.from([0x61, 0xe2, 0x82]), { invalidAt: 1 }],
])('%s', (_, input, expected) => {
  expect(decodeUtf8(input)).toEqual(expected);
});

it('the byte, and the encoding where it is known, are what a diagnostic says', () => {
  expect(notUtf8({ invalidAt: 5 })).toEqual({ offset: 5 });
  expect(notUtf8({ invalidAt: 0, encoding: 'UTF-16' })).toEqual({ offset: 0, encoding: 'UTF-16' });
});
