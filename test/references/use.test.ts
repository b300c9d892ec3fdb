import { describe, expect, test } from 'vitest';
import { useFinder } from '../../src/references/use.ts';
import { search } from './support.ts';

/** The verdict on `checkout` in a repository with one file. */
function verdictOf(file: string, text: string): string {
  const code = search({ [file]: text }, { keys: ['checkout', 'search-v2'] });
  return useFinder({ repositories: [{ code }], gaps: [] })('checkout').verdict;
}

describe('a flag that nothing reads is', () => {
  test.each([
    ['unused, where the code reads others', 'a.ts', "posthog.isFeatureEnabled('search-v2')", 'unused'],
    ['unused, where the code reads one that nobody declares', 'a.ts', "posthog.isFeatureEnabled('other')", 'unused'],
    [
      'unknown, where the code reads no flag at all: it seems to be elsewhere',
      'a.ts',
      'export const x = 1;',
      'unknown',
    ],
    ['unknown, where there is only a page', 'README.md', '# Our flags', 'unknown'],
  ])('%s', (_, file, text, expected) => {
    expect(verdictOf(file, text)).toBe(expected);
  });
});

test.each([
  ['`${a}-fast-${b}`', 'try-fast-mode', 'indirect'],
  ['`${a}-fast-${b}`', 'fast-mode', 'unused'],
  ['`${a}-fast-${b}`', 'go-fast', 'unused'],
  ["['go', 'fast'].join('-')", 'go-fast', 'indirect'],
  ["['go', 'slow'].join('-')", 'go-fast', 'unused'],
])('of code with %s, %s is %s', (code, key, verdict) => {
  const found = search(
    { 'a.ts': `${code}; isFeatureEnabled('other')` },
    { keys: ['try-fast-mode', 'fast-mode', 'go-fast'] },
  );
  expect(useFinder({ repositories: [{ code: found }], gaps: [] })(key).verdict).toBe(verdict);
});
