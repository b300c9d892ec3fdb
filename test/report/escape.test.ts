import { describe, expect, test } from 'vitest';
import { cutEscaped, escapeLine, quoteShort } from '../../src/report/escape.ts';
import { blockLines } from '../../src/report/words/values.ts';

describe('escapes', () => {
  test.each([
    ['plain text · é 日本 🎉', 'plain text · é 日本 🎉'],
    ['\u001b]8;;http://x\u0007', '\\u001b]8;;http://x\\u0007'],
    ['a\tb\r\nc', 'a\\tb\\r\\nc'],
    ['\u200bzero\ufeff', '\\u200bzero\\ufeff'],
    ['\ud800', '\\ud800'],
    // A joiner is kept only where it joins two emoji.
    ['👩🏽\u200d💻 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥', '👩🏽\u200d💻 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥'],
    ['a\u200db 👩\u200d \u200d💻 👩\u200d\u200d💻', 'a\\u200db 👩\\u200d \\u200d💻 👩\\u200d\\u200d💻'],
  ])('%j becomes %j', (text, escaped) => {
    expect(escapeLine(text)).toBe(escaped);
  });

  test('no line of a string is a command to a build log', () => {
    expect(blockLines('a\n::add-mask::b\n  ::error::c\n##[error]d')).toEqual([
      'a',
      ':\\u003aadd-mask::b',
      '  :\\u003aerror::c',
      '#\\u0023[error]d',
    ]);
  });

  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a🎉b', 3, 'a…'],
    ['👩\u200d💻', 4, '👩…'],
    ['👩\u200d💻', 5, '👩\u200d💻'],
    ...Array.from({ length: 6 }, (_, index) => [String.raw`a\u202eb`, index + 2, 'a…'] as const),
    [String.raw`a\u202ebcd`, 8, String.raw`a\u202e…`],
    ...Array.from({ length: 8 }, (_, index) => [String.raw`a\u{e0041}bc`, index + 3, 'a…'] as const),
    [String.raw`a\u{e0041}bc`, 11, String.raw`a\u{e0041}…`],
    [String.raw`a\nbc`, 3, 'a…'],
    [String.raw`a\nbc`, 4, String.raw`a\n…`],
  ] as const)('%j cut to %i characters is %j', (text, limit, cut) => {
    expect(cutEscaped(text, limit)).toBe(cut);
  });

  test('a quotation is cut by characters, not in the middle of one', () => {
    expect(quoteShort('🎉'.repeat(100), 3)).toBe('🎉🎉…');
  });
});
