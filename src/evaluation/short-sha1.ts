/**
 * The first 60 bits of the SHA-1 of a short string. Counting people hashes each of them for each flag, and Node's own hash takes
 * three times as long for a string of one block.
 */

/** Longer strings take a second block. */
const LONGEST = 55;

/** Used anew by every call. */
const words = new Int32Array(80);

/** As the nearest double; `undefined` for a string that is too long or not ASCII. */
export function shortSha1(text: string): number | undefined {
  return fillBlock(text) ? digestBlock() : undefined;
}

/** The string, a bit that ends it, and its length in bits. */
function fillBlock(text: string): boolean {
  const { length } = text;
  if (length > LONGEST) return false;
  words.fill(0, 0, 16);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return false;
    putByte(index, code);
  }
  putByte(length, 0x80);
  words[15] = length * 8;
  return true;
}

function putByte(index: number, byte: number): void {
  words[index >> 2] = word(index >> 2) | (byte << (24 - 8 * (index & 3)));
}

function word(index: number): number {
  return words[index] ?? 0;
}

/** FIPS 180-4, section 6.1.2, with a loop for each of its four functions: one loop that chooses takes twice as long. */
function digestBlock(): number {
  for (let index = 16; index < 80; index += 1) {
    words[index] = rotate(word(index - 3) ^ word(index - 8) ^ word(index - 14) ^ word(index - 16), 1);
  }
  let [a, b, c, d, e, next] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0, 0];
  for (let index = 0; index < 20; index += 1) {
    next = (rotate(a, 5) + ((b & c) | (~b & d)) + 0x5a827999 + e + word(index)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let index = 20; index < 40; index += 1) {
    next = (rotate(a, 5) + (b ^ c ^ d) + 0x6ed9eba1 + e + word(index)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let index = 40; index < 60; index += 1) {
    next = (rotate(a, 5) + ((b & c) | (b & d) | (c & d)) + (0x8f1bbcdc | 0) + e + word(index)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let index = 60; index < 80; index += 1) {
    next = (rotate(a, 5) + (b ^ c ^ d) + (0xca62c1d6 | 0) + e + word(index)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  return joinBits((a + 0x67452301) >>> 0, (b + (0xefcdab89 | 0)) >>> 0);
}

/** The first 60 of the 64 bits of two words. Two exact halves: the sum is rounded once. */
export function joinBits(first: number, second: number): number {
  return first * 2 ** 28 + (second >>> 4);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
