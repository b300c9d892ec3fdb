/** Text in a terminal: lines fit, nothing is lost, and what a reader copies is whole. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth, unbroken, wrapText } from '../../../../src/report/columns.ts';
import { holds } from '../../../helpers/runs.ts';
import { FULL_DRIFT, FULL_PLAN, FULL_RESULT, FULL_UNDO, FULL_VALIDATION } from '../../full-samples.ts';
import { renderWhole } from '../../render-whole.ts';
import { VIEW } from '../../samples.ts';

describe('a line that is too long', () => {
  test.each<[string, text: string, width: number, expected: string]>([
    ['goes on two columns further', '  one two three', 10, '  one two\n    three'],
    ['goes on below its text after a short word', 'warning  one two three', 18, 'warning  one two\n         three'],
    ['goes on below its text after a sign', '  → one two three', 12, '  → one two\n    three'],
    ['breaks at more than one space', 'one two  three', 9, 'one two\n  three'],
    [
      'keeps a word that is longer than a line',
      'see https://example.com/a/b now',
      12,
      'see\n  https://example.com/a/b\n  now',
    ],
    [
      'keeps a command in backticks',
      'first run `flagwright history` here',
      24,
      'first run\n  `flagwright history`\n  here',
    ],
    ['keeps what is marked', `run ${unbroken('git pull --rebase')} here`, 12, 'run\n  git pull --rebase\n  here'],
    ['counts wide characters', '日本 日本 日本', 10, '日本 日本\n  日本'],
    ['counts no colour', '\u001b[2mone two\u001b[22m three', 8, '\u001b[2mone two\u001b[22m\n  three'],
    ['hangs by no more than half of the width', 'warning  one two', 8, 'warning\n    one\n    two'],
  ])('%s', (_, text, width, expected) => {
    expect(wrapText(text, width)).toBe(expected);
  });
});

test('a line that fits stays, and a marked space becomes a space', () => {
  expect(wrapText(`a  b\n${unbroken('c d')}\n`, 20)).toBe('a  b\nc d\n');
});

test('any text keeps its words, and only a word is wider than the terminal', () => {
  holds(
    300,
    [fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })), fc.integer({ min: 20, max: 60 })],
    (words, width) => {
      const text = words.map((word) => word.replace(/[\p{C}\s`]/gu, 'x')).join(' ');
      const wrapped = wrapText(text, width);
      expect(wrapped.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean));
      for (const line of wrapped.split('\n'))
        if (/\S +\S/.test(line)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    },
  );
});

const COMMANDS = ['--allow-protected billing-v2', 'git pull', '--allow-deletes 6', '--approved-by NAME'];

describe.each([40, 60, 80, 100])('reports at %i columns', (width) => {
  test.each([FULL_PLAN, FULL_DRIFT, FULL_UNDO, FULL_RESULT, FULL_VALIDATION])('$kind', async (report) => {
    const plain = await renderWhole(report, 'text');
    const shown = await renderWhole(report, 'text', { ...VIEW, terminal: true, width });
    const isSource = (line: string): boolean => /^ *\d* \|/.test(line);
    const wordsOf = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => !isSource(line))
        .join(' ')
        .split(/\s+/);
    expect(wordsOf(shown)).toEqual(wordsOf(plain));
    const tooLong = shown.split('\n').filter((line) => displayWidth(line) > width);
    // A long word, a command, or an entry to copy.
    expect(tooLong.filter((line) => / /.test(line.trim()) && !/`|--|previous_keys|rule: |:$/.test(line))).toEqual([]);
    for (const command of COMMANDS) if (plain.includes(command)) expect(shown).toContain(command);
  });
});
