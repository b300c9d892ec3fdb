/** Laws of the search: what the docs promise to find is found wherever it is, and what is not found is not there. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inCasing, isPlainWord } from '../../../src/code/references/casings.ts';
import { readFinder } from '../../../src/code/references/reference.ts';
import { useFinder } from '../../../src/code/references/use.ts';
import { nameFlags } from '../../../src/code/generate/identifiers.ts';
import { holds } from '../../helpers/runs.ts';
import { search } from './support.ts';

const word = fc.constantFrom('new', 'checkout', 'v2', 'search', 'beta', 'dark', 'mode', 'a1');
const key = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom('-', '_', '--'))
  .map(([words, separator]) => words.join(separator));
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 6 });

/** Pieces of code that names no flag by itself, many of them almost a key. */
const piece = fc.constantFrom(
  ...[
    'const x = 1;',
    'f(`a-${b}`);',
    "'new'",
    '"checkout"',
    'newCheckout',
    'new-checkout',
    'NEW_CHECKOUT',
    'search_',
    '-v2',
  ],
  ...[
    '// ',
    '/* a */',
    '\n',
    '\t',
    ' ',
    '.',
    '-',
    '_',
    '"',
    "'",
    '`',
    '\\',
    '{',
    '}',
    '(',
    ')',
    'é',
    '→',
    '#',
    '$',
    'flags.',
  ],
);
const filler = fc.array(piece, { maxLength: 15 }).map((pieces) => pieces.join(''));

/** Each form that docs/references.md promises: a line of code, and the file that it is in. */
const FORMS: readonly (readonly [name: string, file: string, line: (key: string) => string])[] = [
  ['a call', 'a.ts', (k) => `posthog.isFeatureEnabled('${k}');`],
  ['a call over lines', 'a.kt', (k) => `PostHog.getFeatureFlag(\n    "${k}",\n)`],
  ['a call of Python', 'a.py', (k) => `posthog.feature_enabled("${k}", user)`],
  ['a component', 'a.tsx', (k) => `<PostHogFeature flag="${k}">`],
  ['an accessor', 'a.ts', (k) => `${nameFlags([k], ['flag']).byKey.get(k)!}.isOn(flags);`],
  ['a constant of flags', 'a.ts', (k) => `FLAGS.${inCasing(k, 'UPPER_CASE')};`],
  ['a member of an enumeration', 'a.swift', (k) => `FeatureFlag.${inCasing(k, 'PascalCase')}`],
  ['a value of a constant', 'a.ts', (k) => `const THE_FLAG_NAME = '${k}';`],
  ['a pattern', 'a.html', (k) => `<a data-on={${inCasing(k, 'camelCase')}}>`],
];
const PATTERNS = ['data-on={{camelCase}}'];

describe('what is planted is found', () => {
  it.each(FORMS)('%s', (_, file, line) => {
    holds(300, [key, keys, filler, filler], (planted, others, before, after) => {
      const text = `${before}\n${line(planted)}\n${after}`;
      // A comment or a string that the filler begins may end behind the line.
      fc.pre(!/["'`]|\/\*/.test(before));
      const all = [...new Set([planted, ...others])];
      const { references } = search({ [file]: text }, { keys: all, accessors: [planted], patterns: PATTERNS });
      const from = before.split('\n').length + 1;
      const to = from + line(planted).split('\n').length - 1;
      const found = references.filter(({ place }) => place.line >= from && place.line <= to);
      expect(found.filter(({ certain }) => certain).map((reference) => reference.key)).toContain(planted);
    });
  });

  it('a key that is made at run time is never said to be found nowhere', () => {
    holds(200, [key, fc.nat()], (planted, at) => {
      const cuts = [...planted.matchAll(/[-_]+/g)].map(({ index, 0: found }) => index + found.length);
      fc.pre(cuts.length > 0);
      const cut = cuts[at % cuts.length]!;
      const [head, tail] = [planted.slice(0, cut), planted.slice(cut)];
      const words = planted.split(/[-_]+/);
      const [separator = ''] = /[-_]+/.exec(planted) ?? [];
      for (const code of [
        `on(\`${head}\${rest}\`)`,
        `on('${head}' + rest)`,
        `on('${head}' + '${tail}')`,
        `on('${head}', "${tail}")`,
        `on(${JSON.stringify(words)}.join('${separator}'))`,
        `on(${JSON.stringify(words.map((one) => one.toUpperCase()))}.join('${separator}').toLowerCase())`,
        `on(slug('${words.join(' ')}'))`,
        `on('${planted.toUpperCase()}'.toLowerCase())`,
        `on(kebab('${inCasing(planted, 'PascalCase')}'))`,
      ]) {
        const found = search({ 'a.ts': code, 'b.ts': `isFeatureEnabled('other')` }, { keys: [planted] });
        const { verdict } = useFinder({ repositories: [{ code: found }], gaps: [] })(planted);
        expect({ code, verdict }).toEqual({
          code,
          verdict: expect.stringMatching(/read|possible|indirect/) as string,
        });
      }
    });
  });
});

it('the places that may make a key are those whose beginning, middle and end fit, in any number', () => {
  const text = fc.constantFrom('', 'new', 'new-', '-checkout', 'check', '-', 'v2', 'e');
  const read = fc.record({ prefix: text, part: text, suffix: text });
  holds(1000, [fc.array(read, { maxLength: 12 }), keys], (made, searched) => {
    const reads = made.map((one, line) => ({ ...one, place: { file: 'a.ts', line, column: 1 } }));
    const find = readFinder(reads);
    for (const one of searched) {
      const fits = reads.filter(
        ({ prefix, part, suffix }) =>
          prefix + part + suffix === '' ||
          (one.length >= prefix.length + suffix.length &&
            one.startsWith(prefix) &&
            one.endsWith(suffix) &&
            one.slice(1, -1).includes(part)),
      );
      expect(new Set(find(one))).toEqual(new Set(fits));
      expect(find(one)).toHaveLength(fits.length);
    }
  });
});

it('the places that may make any key are not copied for each of them', () => {
  const find = readFinder([{ place: { file: 'a.ts', line: 1, column: 1 } }]);
  expect(find('new-checkout')).toBe(find('search'));
});

describe('what is not found is not there', () => {
  it('each place that has the key apart from other words is reported or counted', () => {
    holds(
      2000,
      [keys, fc.array(fc.oneof(piece, key), { maxLength: 40 }), fc.constantFrom('a.ts', 'a.py', 'a.yaml', 'a.md')],
      (searched, pieces, file) => {
        const text = pieces.join('');
        const found = search({ [file]: text }, { keys: searched });
        for (const one of searched) {
          const places = found.references.filter((reference) => reference.key === one).length;
          const counted = places + (found.loose.get(one) ?? 0);
          expect({ one, text, enough: counted >= naive(text, one).length }).toEqual({ one, text, enough: true });
        }
      },
    );
  });

  it('a flag is said to be found nowhere only if its key stands nowhere', () => {
    holds(1000, [keys, fc.array(fc.oneof(piece, key), { maxLength: 20 })], (searched, pieces) => {
      const text = pieces.join('');
      const find = useFinder({ repositories: [{ code: search({ 'a.ts': text }, { keys: searched }) }], gaps: [] });
      for (const one of searched) {
        if (find(one).verdict === 'not_found') expect(naive(text, one)).toEqual([]);
      }
    });
  });
});

/** Every place of the key between other characters than those of keys. */
function naive(text: string, sought: string): readonly number[] {
  const pattern = new RegExp(`(?<![A-Za-z0-9_-])${sought}(?![A-Za-z0-9_-])`, 'g');
  return [...text.matchAll(pattern)].map(({ index }) => index);
}

it('a key of one word is plain', () => {
  expect(['new', 'beta2', 'new-checkout', 'newCheckout', 'new_1'].map(isPlainWord)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
