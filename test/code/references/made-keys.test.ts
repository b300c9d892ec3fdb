/** Which of many places may make a key at run time. */

import { expect, test } from 'vitest';
import { isOfSomeKeys, readFinder } from '../../../src/code/references/reference.ts';
import type { IndirectRead } from '../../../src/code/references/reference.ts';

const place = (line: number) => ({ file: 'a.ts', line, column: 1 });
const READS: readonly IndirectRead[] = [
  { place: place(1), prefix: 'new-' },
  { place: place(2), prefix: 'new-', suffix: '-v2' },
  { place: place(3), suffix: '-v2' },
  { place: place(4), part: '-check' },
  { place: place(5), prefix: 'n', part: 'a', suffix: 't' },
  { place: place(6), prefix: 'new-checkout' },
  { place: place(7), suffix: 'checkout' },
];
const linesOf = (reads: readonly IndirectRead[], key: string): number[] =>
  readFinder(reads)(key).map((read) => read.place.line);

test.each<[string, number[]]>([
  ['new-checkout-v2', [1, 2, 3, 4, 6]],
  ['new-checkout', [1, 4, 6, 7]],
  ['new-v2', [1, 3]],
  ['new-', [1]],
  ['checkout', [7]],
  ['nat', [5]],
  ['nt', []],
  ['natt', [5]],
  ['x-check', []],
  ['x-checks', [4]],
  ['other', []],
])('%s is made on the lines %j', (key, lines) => {
  expect(linesOf(READS, key).toSorted((a, b) => a - b)).toEqual(lines);
});

test('a place that may make any key comes first, for each key', () => {
  const any = { place: place(9) };
  expect(linesOf([...READS, any], 'new-x')).toEqual([9, 1]);
  expect(linesOf([...READS, any], 'zzz')).toEqual([9]);
  expect(READS.map((read) => isOfSomeKeys(read))).toEqual(READS.map(() => true));
  expect(isOfSomeKeys(any)).toBe(false);
});
