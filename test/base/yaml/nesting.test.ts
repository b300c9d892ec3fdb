/** How deeply a text may nest, and what of it counts as nesting. */

import { expect, test } from 'vitest';
import { MAX_NESTING } from '../../../src/base/yaml/build.ts';
import { findDeepNesting } from '../../../src/base/yaml/read.ts';

const open = (count: number): string => '['.repeat(count);
const closed = (count: number): string => `${open(count)}${']'.repeat(count)}`;

test.each<[string, string, number | undefined]>([
  ['as many brackets as may be', closed(MAX_NESTING), undefined],
  ['one more', `a: ${closed(MAX_NESTING + 1)}`, 3 + MAX_NESTING],
  ['more braces', `{a: `.repeat(MAX_NESTING + 1), MAX_NESTING * 4],
  ['brackets that end before others begin', Array(MAX_NESTING).fill('- [[]]').join('\n'), undefined],
  [
    'closing brackets in text, which make no room',
    `a: "${']'.repeat(50)}"\nb: ${open(MAX_NESTING + 1)}`,
    59 + MAX_NESTING,
  ],
  ['brackets in text', `a: "${open(MAX_NESTING + 1)}"`, undefined],
  ['as many indicators in a row as may be', '- '.repeat(MAX_NESTING), undefined],
  ['one indicator more', '- '.repeat(MAX_NESTING + 1), MAX_NESTING * 2],
  ['indicators on lines of their own', '- a\n'.repeat(MAX_NESTING + 1), undefined],
])('%s', (_, text, offset) => {
  expect(findDeepNesting(text)).toBe(offset);
});
