/** The width of text in a terminal, as a reader sees it. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, displayWidth, pad } from '../../src/report/columns.ts';
import { holds } from '../helpers/runs.ts';

const FAMILY = '👨\u200d👩\u200d👧';
const DEVELOPER = '👩🏽\u200d💻';

describe('the width', () => {
  it.each<[string, number]>([
    ['', 0],
    ['plain', 5],
    ['日本', 4],
    ['🎉', 2],
    [FAMILY, 2],
    [DEVELOPER, 2],
    ['❤\ufe0f', 2],
    ['❤', 1],
    ['1\ufe0f\u20e3', 2],
    ['🇩🇪', 2],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['e\u0301', 1],
    ['\u0301', 0],
    ['é ü', 3],
    ['…→', 2],
    ['नमस्ते', 4],
  ])('of %j is %d', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

it('is the same with the segments of a text and without', () => {
  const ranges = [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x24f],
    [0x2010, 0x2027],
    [0x2190, 0x21ff],
  ] as const;
  const narrow = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
  );
  for (const one of narrow) {
    for (const beside of ['', 'a', one, '→']) {
      const text = `${one}${beside}`;
      // The last character is looked at with the others.
      expect([text, displayWidth(`${text}日`)]).toEqual([text, displayWidth(text) + 2]);
    }
  }
});

it('makes no object of Intl when the program is loaded, since that takes as long as a third of a bare Node', () => {
  const root = path.join(import.meta.dirname, '../../src');
  const making = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.includes('generated') &&
      /^(?:export )?(?:const|let) .*new Intl\./m.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(making).toEqual([]);
});

describe('text that is cut', () => {
  it.each<[string, number, string]>([
    ['abcdef', 4, 'abc…'],
    ['a→é…ef', 4, 'a→é…'],
    ['ab', 1, '…'],
    ['ab', 0, '…'],
    ['日本', 0, '…'],
    [`a${FAMILY}b`, 3, 'a…'],
    [`a${FAMILY}b`, 4, `a${FAMILY}b`],
    [`${FAMILY}${DEVELOPER}`, 3, `${FAMILY}…`],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%j to %d columns is %j', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it('takes the width, and what is filled up has it exactly', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '日', '🎉', FAMILY, DEVELOPER, '🇩🇪', '❤\ufe0f', ' '), {
      maxLength: 12,
    });
    holds(300, [text, fc.integer({ min: 1, max: 30 })], (parts, width) => {
      const short = cut(parts.join(''), width);
      expect(displayWidth(short)).toBeLessThanOrEqual(width);
      expect(displayWidth(pad(short, width))).toBe(width);
      // No character is cut in two.
      expect(parts.join('').startsWith(short.replace(/…$/, ''))).toBe(true);
      for (const part of [FAMILY, DEVELOPER])
        expect(part.startsWith(short.at(-1) ?? '') && short.endsWith('\u200d')).toBe(false);
    });
  });
});
