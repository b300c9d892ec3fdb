import { describe, expect, test } from 'vitest';
import { escapeLine, quoteShort } from '../../src/report/escape.ts';
import { blockLines } from '../../src/report/words/value.ts';

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

  test('a quotation is cut by characters, not in the middle of one', () => {
    expect(quoteShort('🎉'.repeat(100), 3)).toBe('🎉🎉…');
  });
});
