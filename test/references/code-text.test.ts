import { expect, test } from 'vitest';
import { readCode } from '../../src/references/code-text.ts';

test.each<[string, number]>([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['\n\n', 2],
])('the code %j has %d lines', (text, lines) => {
  expect(readCode(new TextEncoder().encode(text), 'a.ts')).toMatchObject({ kind: 'code', lines });
});
