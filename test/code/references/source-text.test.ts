/** Where a position of a file is, and what stands around it on its line. */

import { expect, test } from 'vitest';
import { sourceText } from '../../../src/code/references/source-text.ts';

const sourceOf = (text: string): ReturnType<typeof sourceText> =>
  sourceText({ file: 'src/a.ts', bytes: Buffer.from(text) });

test('places are found in any order, and columns count characters', () => {
  const { text, placeOf } = sourceOf('one\n  twö three\n\nfour');
  const at = (word: string): object => placeOf(text.indexOf(word));
  expect(['three', 'one', 'four', 'tw'].map(at)).toEqual([
    { file: 'src/a.ts', line: 2, column: 7 },
    { file: 'src/a.ts', line: 1, column: 1 },
    { file: 'src/a.ts', line: 4, column: 1 },
    { file: 'src/a.ts', line: 2, column: 3 },
  ]);
});

test('of a line, what is before a position and from it on', () => {
  const { text, before, from } = sourceOf('one\ntwo three\nfour');
  const at = text.indexOf('three');
  expect([before(at), from(at)]).toEqual(['two ', 'three']);
  expect([before(0), from(text.indexOf('four'))]).toEqual(['', 'four']);
});

test('of a line that a program wrote, only what is near', () => {
  const { text, before, from, placeOf } = sourceOf(`first\n${'ö;'.repeat(5000)}here${';'.repeat(5000)}\nlast`);
  const at = text.indexOf('here');
  expect(before(at)).toHaveLength(2000);
  expect(from(at)).toHaveLength(2000);
  expect(placeOf(at)).toEqual({ file: 'src/a.ts', line: 2, column: 10_001 });
  expect(placeOf(text.indexOf('last'))).toEqual({ file: 'src/a.ts', line: 3, column: 1 });
});
