/** Every character of Unicode, for strings: fast-check's own `binary` first makes a table of all of them, which takes a second and 100 MB. */

import fc from 'fast-check';

const [FIRST_SURROGATE, SURROGATES] = [0xd800, 0x800];
const LAST = 0x10ffff;

export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat({ max: LAST - SURROGATES }).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (character) => {
    const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    const isSurrogate = code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES;
    if (code < 0 || isSurrogate || String.fromCodePoint(code) !== character) throw new TypeError('not one character');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
