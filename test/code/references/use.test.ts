import { describe, expect, test } from 'vitest';
import { gapsOf, useFinder } from '../../../src/code/references/use.ts';
import { isStillRead, judgeFlags } from '../../../src/code/references/staleness.ts';
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

describe('a flag that the edited document of another repository named before is', () => {
  const keys = ['new-checkout', 'old-banner', 'search'];
  const code = search({ 'a.ts': "isFeatureEnabled('search')" }, { keys });
  const former = search(
    {
      'a.ts': "isFeatureEnabled('search'); isFeatureEnabled('new-checkout'); isFeatureEnabled('gone')",
      'b.ts': 'on(`old-${name}`)',
    },
    { keys },
  );
  const find = (before: typeof former | undefined) =>
    useFinder({
      repositories: [{ name: 'web', code, former: { file: 'refs/web.json', ...(before && { code: before }) } }],
      gaps: [],
    });
  const edited = [{ code: 'source_edited', repository: 'web', file: 'refs/web.json' }];

  test('unknown, whether it was named, read undeclared or made at run time', () => {
    for (const key of ['new-checkout', 'old-banner']) {
      expect(find(former)(key), key).toMatchObject({ verdict: 'unknown', gaps: edited });
    }
    expect(find(former)('gone').gaps).toContainEqual(edited[0]);
  });

  test('judged as always where the document still names it, or never did', () => {
    expect(find(former)('search')).toMatchObject({ verdict: 'read', gaps: [] });
    expect(find(search({ 'a.ts': "isFeatureEnabled('search')" }, { keys }))('new-checkout')).toMatchObject({
      verdict: 'not_found',
      gaps: [],
    });
  });

  test('unknown where nobody knows what the document said before', () => {
    expect(find(undefined)('new-checkout').gaps).toEqual(edited);
    expect(find(undefined)('search').gaps).toEqual([]);
  });
});

test('files that were not searched are a gap each by reason, but for those that are no code', () => {
  const code = search({ 'a.ts': "isFeatureEnabled('x')" }, { keys: ['x'] });
  const skipped = { binary: ['a'], generated: ['b'], large: ['c'], unreadable: ['d', 'e'], submodules: ['f'] };
  expect(gapsOf({ name: 'web', code: { ...code, skipped } })).toEqual([
    { code: 'files_not_searched', why: 'large', files: ['c'], repository: 'web' },
    { code: 'files_not_searched', why: 'unreadable', files: ['d', 'e'], repository: 'web' },
    { code: 'files_not_searched', why: 'submodules', files: ['f'], repository: 'web' },
  ]);
  expect(gapsOf({ code: { ...code, skipped: { ...skipped, large: [], unreadable: [], submodules: [] } } })).toEqual([]);
});

test('code still reads a flag that answers nothing or always the same, and no other', () => {
  const keys = ['a-on', 'b-off', 'c-all', 'd-gone', 'e-was', 'f-new', 'g-quiet'];
  const code = search(
    {
      'a.ts': keys
        .slice(0, 6)
        .map((key) => `isFeatureEnabled('${key}')`)
        .join(';'),
    },
    { keys },
  );
  const standings = ['active', 'disabled', 'rolled_out', 'deleted', 'renamed', 'undeclared', 'deleted'] as const;
  const flags = judgeFlags(
    keys.map((key, index) => ({ key, standing: standings[index] ?? 'active' })),
    { repositories: [{ code }], gaps: [] },
  );
  expect(flags.map(({ use }) => use.verdict)).toEqual([...Array.from({ length: 6 }, () => 'read'), 'not_found']);
  expect(flags.filter(isStillRead).map(({ key }) => key)).toEqual(['b-off', 'c-all', 'd-gone', 'e-was']);
});
