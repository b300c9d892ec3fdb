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
    ['not found, where the code reads others', 'a.ts', "posthog.isFeatureEnabled('search-v2')", 'not_found'],
    [
      'not found, where the code reads one that nobody declares',
      'a.ts',
      "posthog.isFeatureEnabled('other')",
      'not_found',
    ],
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
  ['`${a}-fast-${b}`', 'fast-mode', 'not_found'],
  ['`${a}-fast-${b}`', 'go-fast', 'not_found'],
  ["['go', 'fast'].join('-')", 'go-fast', 'indirect'],
  ["['go', 'slow'].join('-')", 'go-fast', 'not_found'],
])('of code with %s, %s is %s', (code, key, verdict) => {
  const found = search(
    { 'a.ts': `${code}; isFeatureEnabled('other')` },
    { keys: ['try-fast-mode', 'fast-mode', 'go-fast'] },
  );
  expect(useFinder({ repositories: [{ code: found }], gaps: [] })(key).verdict).toBe(verdict);
});

/** What docs/references.md says is not found: a change here is one there. */
test.each([
  ['a cut inside its last word', `on(cut('new-ch', 'eckout'))`, 'a.ts', 'not_found'],
  ['a cut inside a key of one word', `on('be' + 'ta')`, 'a.ts', 'not_found', 'beta'],
  ['an encoding', `on(atob('bmV3LWNoZWNrb3V0'))`, 'a.ts', 'not_found'],
  ['single words that other files join', 'on(`${KIND}-${PAGE}`)', 'a.ts', 'not_found'],
  ['a word with a separator elsewhere', "on(['new', page].join('-'))", 'a.ts', 'not_found'],
  ['words in another order', "on(['checkout', 'new'].toReversed().join('-'))", 'a.ts', 'not_found'],
  ['words far apart', `let k = 'new';\n${'x();'.repeat(20)}\nk += '-' + 'checkout';`, 'a.ts', 'not_found'],
  ['a longer name', `on('ff-new-checkout'.slice(3)); isNewCheckoutEnabled()`, 'a.ts', 'not_found'],
])('a key that is made by %s', (_, code, file, verdict, key = 'new-checkout') => {
  const found = search({ [file]: code, 'b.ts': `isFeatureEnabled('other')` }, { keys: ['new-checkout', 'beta'] });
  expect(useFinder({ repositories: [{ code: found }], gaps: [] })(key).verdict).toBe(verdict);
});

describe('a flag whose reader a change hides is', () => {
  const keys = ['new-checkout', 'old-banner', 'search'];
  const code = search({ 'a.ts': "isFeatureEnabled('other')" }, { keys });
  const before = search(
    {
      'b.js': "isFeatureEnabled('new-checkout'); isFeatureEnabled('new-checkout')",
      'a.js': "isFeatureEnabled('new-checkout')",
      'c.js': 'isFeatureEnabled(`old-${name}`)',
    },
    { keys },
  );
  const find = (unread: readonly string[]) =>
    useFinder({ repositories: [{ code, hidden: { ...before, unread } }], gaps: [] });
  const hiding = (...files: string[]): object => ({ verdict: 'unknown', gaps: [{ code: 'code_hidden', files }] });

  test('unknown, with each file that may have read it, once and sorted', () => {
    expect(find([])('new-checkout')).toMatchObject(hiding('a.js', 'b.js'));
    expect(find([])('old-banner')).toMatchObject(hiding('c.js'));
    expect(find(['b.dat', 'a.js'])('new-checkout')).toMatchObject(hiding('a.js', 'b.dat', 'b.js'));
  });

  test('not found where no hidden file read it, unless nobody knows what one reads', () => {
    expect(find([])('search')).toMatchObject({ verdict: 'not_found', gaps: [] });
    expect(find(['b.dat'])('search')).toMatchObject(hiding('b.dat'));
  });
});

test.each(['new_checkout', 'newcheckout', 'newCheckout', 'beta'])(
  'the key %s is found once where it is written',
  (key) => {
    const { references } = search({ 'a.ts': `isFeatureEnabled('${key}')` }, { keys: [key, 'new-checkout'] });
    expect(references.filter((one) => one.key === key)).toHaveLength(1);
  },
);
