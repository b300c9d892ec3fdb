/** The texts that a regular expression asks for, with `·` for an open character and `…` for any number of them. */

import { expect, test } from 'vitest';
import { OPEN, OPEN_RUN, textsOf } from '../../../../src/review/policy/basis/personal-data.ts';

const shown = (text: string): string => text.replaceAll(OPEN, '·').replaceAll(OPEN_RUN, '…');

test.each<[string, readonly string[]]>([
  ['', ['']],
  ['^ada$', ['ada']],
  ['a|b|', ['a', 'b', '']],
  ['x(a|b)y(c|d)', ['xayc', 'xayd', 'xbyc', 'xbyd']],
  ['a)b', ['a)b']],
  ['(a', ['a']],
  // Groups that capture, are named, or have flags; those that look around and comments stand for nothing.
  ['(?:a)(?<n>b)(?P<m>c)(?i:d)(?i)e', ['abcde']],
  ['a(?=b)c(?!d)e(?<=f)g(?<!h)i(?#j)k', ['acegik']],
  // Repetitions.
  ['a*b+c?d{2}e{1,}f{2,3}g+?h*+', ['abcdefgh']],
  ['a{}b{,}c{d', ['a{}b{,}c{d']],
  ['.', ['·']],
  ['.*', ['…']],
  ['.+', ['…']],
  ['.{2,}', ['…']],
  ['.?x', ['x']],
  ['.{0,4}x', ['x']],
  ['.{,4}x', ['x']],
  ['.{2}', ['··']],
  ['.{7}', ['···']],
  ['(a.)+', ['a·']],
  ['(a.)?', ['a·']],
  ['(a.){2}', ['a·a·']],
  // Escapes.
  [String.raw`\n\t\r\f`, ['\n\t\r\f']],
  [String.raw`\x40\x{40}\u0040\u{40}\U00000040\100\0100`, ['@@@@@@@']],
  [String.raw`\u{110000}`, ['·']],
  [String.raw`\d\D\w\W\s\S\h\H\v\N\R\X`, ['·'.repeat(12)]],
  [String.raw`\ba\Bb\Ac\zd\Ze\Gf`, ['abcdef']],
  [String.raw`\pL\p{Lu}\PLx`, ['···x']],
  [String.raw`\.\@\+\\`, ['.@+\\']],
  // Classes.
  ['[a]', ['a']],
  ['[aA]', ['a']],
  ['[ab]', ['·']],
  ['[^a]', ['·']],
  ['[@x]', ['@']],
  ['[.x]', ['.']],
  ['[+x]', ['+']],
  ['[@.+]', ['@']],
  [String.raw`[\x40]`, ['@']],
  [String.raw`[\d@]`, ['·']],
  ['[a-z@]', ['·']],
  ['[-@]', ['@']],
  ['[@-]', ['@']],
  ['[]@]', ['@']],
  ['[@1234567]', ['@']],
  ['[@12345678]', ['·']],
  ['[@', ['@']],
  ['💥[💥]', ['💥💥']],
])('%j', (source, texts) => {
  const found = textsOf(source);
  expect([found.texts.map(shown), found.isCut]).toEqual([texts, false]);
});

test.each<[string, string, number, boolean]>([
  ['a thousand combinations', '(a|b|c|d|e|f|g|h|i|j)'.repeat(3), 1000, false],
  ['more of them', '(a|b|c|d|e|f|g|h|i|j)'.repeat(4), 1000, true],
  ['ten thousand characters', 'a'.repeat(10_000), 1, false],
  ['more of them', 'a'.repeat(10_001), 1, true],
  ['fifty groups in each other', `${'('.repeat(50)}a${')'.repeat(50)}`, 1, false],
  ['more of them', `${'('.repeat(51)}a${')'.repeat(51)}`, 1, true],
])('%s are read as far as the limits go', (_, source, amount, isCut) => {
  const found = textsOf(source);
  expect([found.texts.length, found.isCut]).toEqual([amount, isCut]);
  expect(found.texts.every((text) => text.length <= 10_000)).toBe(true);
});
