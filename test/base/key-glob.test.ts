import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyGlob, keyGlobProblem } from '../../src/base/key-glob.ts';
import { holds } from '../helpers/runs.ts';

test.each([
  ['*', 'anything', true],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['help-*', 'help-chat', true],
  ['help-*', 'help', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*-old', 'x-old-old', true],
  ['a*b*c', 'abbc', true],
  ['a*b*c', 'acb', false],
  ['exact', 'exactly', false],
  ['a.b', 'axb', false],
  // A key is not a path.
  ['billing*', 'billing/main', true],
  ['billing*', 'billing/a/.b', true],
  ['b?lling', 'b/lling', true],
  ['*', '.hidden', true],
  ['*', '..', true],
  ['*', 'a\nb', true],
  ['a', './a', false],
  ['./a', 'a', false],
  ['a/**/b', 'a/b', false],
  ['a/**/b', 'a//b', true],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['a\\', 'a\\', true],
  // Braces.
  ['{a,b}-?', 'b-1', true],
  ['{a,b}-?', 'c-1', false],
  ['{a,b/*}', 'b/c', true],
  ['{a,{b,c}d}', 'cd', true],
  ['{a,}b', 'b', true],
  ['{a}', '{a}', true],
  ['{a}', 'a', false],
  ['{a*}', '{abc}', true],
  ['{a,b', '{a,b', true],
  ['{a,b', 'a', false],
  ['a}', 'a}', true],
  ['a,b', 'a,b', true],
  ['\\{a,b}', '{a,b}', true],
  ['{a\\,b,c}', 'a,b', true],
  ['{[,],b}', ',', true],
  ['{1..12}', '10', true],
  ['{1..12}', '13', false],
  ['{08..10}', '09', true],
  ['{08..10}', '9', false],
  ['{3..1}', '2', true],
  ['{a..c}', 'b', true],
  ['{a..c}', 'd', false],
  ['{a..1}', '{a..1}', true],
  ['x{a,b*', 'x{a,bc', true],
  ['x{a,b*', 'xac', false],
  ['a}b*', 'a}bc', true],
  ['{1..3,x}', '1..3', true],
  ['{1..3,x}', '2', false],
  ['{x1..3}*', '{x1..3}y', true],
  ['{1..3x}*', '{1..3x}y', true],
  ['{ab..c}*', '{ab..c}y', true],
  ['{a..bc}*', '{a..bc}y', true],
  ['{9..11}', '9', true],
  ['{9..11}', '09', false],
  ['{8..010}', '008', true],
  ['{010..8}', '009', true],
  ['{5..105}', '5', true],
  ['{0..2}', '0', true],
  // Brackets.
  ['x[ab*', 'x[abc', true],
  ['x[ab*', 'xa', false],
  ['[ab]]*', 'a]c', true],
  ['[ab]*', 'beta', true],
  ['[ab]', 'c', false],
  ['[!ab]', 'a', false],
  ['[^ab]', 'b', false],
  ['[!ab]', '/', true],
  ['[a-c]', 'b', true],
  ['[a-c]', '-', false],
  ['[a\\-c]', '-', true],
  ['[a\\-c]', 'b', false],
  ['[a-]', '-', true],
  ['[-a]', '-', true],
  ['[]a]', ']', true],
  ['[!]a]', ']', false],
  ['[\\]a]', 'a', true],
  ['[ab', '[ab', true],
  ['[]', '[]', true],
  ['[/]', '/', true],
  // A whole code point is one character.
  ['?', '😀', true],
  ['[😀-😂]', '😁', true],
  ['[!a]', '😀', true],
  ['??', '😀', false],
  // A key matches itself, whatever it means as a glob.
  ['[ab]', '[ab]', true],
  ['!a', '!a', true],
  ['!a', 'b', false],
  ['+(a|b)', '+(a|b)', true],
  ['+(a|b)', 'a', false],
  ['a(b)c', 'a(b)c', true],
  ['a(b)c', 'abc', false],
])('%s and %s: %s', (glob, key, matches) => {
  expect(keyGlob(glob)(key)).toBe(matches);
});

test.each([
  ['!a', 'negation'],
  ['\\!a', undefined],
  ['a!', undefined],
  ['+(a|b)', 'extended'],
  ['x@(a)', 'extended'],
  ['a!(b)', 'extended'],
  ['?(a)', 'extended'],
  ['*(a)', 'extended'],
  ['\\+(a)', undefined],
  ['a(b)', undefined],
  ['[+](a)', undefined],
  ['{a,b}'.repeat(9), undefined],
  ['{a,b}'.repeat(10), 'too-large'],
  [`{${'a,'.repeat(999)}b}`, undefined],
  [`{${'a,'.repeat(1000)}b}`, 'too-large'],
  [`{a,b}{a,b}{a,b}${'x'.repeat(1300)}`, undefined],
  ['{a,b}'.repeat(9) + 'x'.repeat(180), undefined],
  ['{a,b}'.repeat(9) + 'x'.repeat(190), 'too-large'],
  ['{1..1000}', undefined],
  ['{1..1001}', 'too-large'],
  ['{1..999999999}', 'too-large'],
  ['{a,'.repeat(20) + '}'.repeat(20), undefined],
  ['{a,'.repeat(21) + '}'.repeat(21), 'too-large'],
  [`{a,b}{a,b}{a,b}${'?'.repeat(1247)}`, undefined],
  [`{a,b}{a,b}{a,b}${'?'.repeat(1248)}`, 'too-large'],
  ['a'.repeat(5000), undefined],
  ['a'.repeat(5001), 'too-large'],
])('%s: %s', (glob, problem) => {
  expect(keyGlobProblem(glob)).toBe(problem);
});

describe('any glob', () => {
  /** The meaning of a glob, independent of its spelling. */
  type Part =
    | { readonly literal: string }
    | { readonly wildcard: '*' | '?' }
    | { readonly set: readonly string[]; readonly negated: boolean }
    | { readonly choices: readonly (readonly Part[])[] };

  const CHARACTERS = ['a', 'b', '/', '.', '\\', '!', ' ', '-', '*', '{', ']', ',', '(', '😀', '\n'];
  const character = fc.constantFrom(...CHARACTERS);
  const simple: fc.Arbitrary<Part> = fc.oneof(
    character.map((literal) => ({ literal })),
    fc.constantFrom<Part>({ wildcard: '*' }, { wildcard: '?' }),
    fc.record({ set: fc.array(character, { minLength: 1, maxLength: 3 }), negated: fc.boolean() }),
  );
  const parts = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: simple },
      {
        weight: 1,
        arbitrary: fc.record({
          choices: fc.array(fc.array(simple, { maxLength: 3 }), { minLength: 2, maxLength: 3 }),
        }),
      },
    ),
    { maxLength: 6 },
  );

  const written = (part: Part): string => {
    if ('literal' in part) return /[\\!*?[\]{},()]/.test(part.literal) ? `\\${part.literal}` : part.literal;
    if ('wildcard' in part) return part.wildcard;
    if ('set' in part) return `[${part.negated ? '!' : ''}${part.set.map((one) => `\\${one}`).join('')}]`;
    return `{${part.choices.map((choice) => choice.map(written).join('')).join(',')}}`;
  };

  /** A naive matcher: the rest of the key after each way to match a part of it. */
  const rests = (key: readonly string[], part: Part): (readonly string[])[] => {
    if ('literal' in part) return key[0] === part.literal ? [key.slice(1)] : [];
    if ('choices' in part) return part.choices.flatMap((choice) => choice.reduce<(readonly string[])[]>(step, [key]));
    if ('set' in part) return key[0] !== undefined && part.set.includes(key[0]) !== part.negated ? [key.slice(1)] : [];
    if (part.wildcard === '?') return key.length > 0 ? [key.slice(1)] : [];
    return [...key, ''].map((_, index) => key.slice(index));
  };
  const step = (keys: readonly (readonly string[])[], part: Part): (readonly string[])[] => {
    const distinct = new Map(keys.map((key) => [key.length, key]));
    return [...distinct.values()].flatMap((key) => rests(key, part));
  };

  test('matches what a naive matcher does, over keys of any characters', () => {
    const key = fc.array(character, { maxLength: 7 });
    holds(5000, [parts, key], (pattern, characters) => {
      const glob = pattern.map(written).join('');
      const expected = pattern.reduce(step, [characters]).some((rest) => rest.length === 0);
      expect(keyGlobProblem(glob)).toBeUndefined();
      expect([glob, keyGlob(glob)(characters.join(''))]).toEqual([glob, expected || glob === characters.join('')]);
    });
  });

  test('without special characters matches only itself', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', '/', '.', ' ', '-', ']', '}', ',', ')', '(', '|', '^', '$') });
    holds(1000, [plain, plain], (glob, key) => {
      expect(keyGlob(glob)(key)).toBe(glob === key);
      expect(keyGlob(glob)(glob)).toBe(true);
    });
  });
});

describe('time', () => {
  const KEY = 'a'.repeat(400);

  test.each([
    '*a'.repeat(200) + 'b',
    '?*'.repeat(100) + 'b',
    '+(a|aa)+(a|a)b',
    '(a|a)*(a|a)*b',
    '{a,aa}'.repeat(30) + 'b',
    '{*a,*aa}'.repeat(9) + 'b',
    '{a,b}'.repeat(9) + '*a'.repeat(2000) + 'b',
    '{a,b}'.repeat(3) + '*a'.repeat(600) + 'b',
    '[a]*'.repeat(40) + 'b',
    '{*a*,*a*}{*a*,*a*}b',
    '!(*a*a*a*a*a)b',
    'a'.repeat(100_000),
    '\\'.repeat(70_000),
    '{'.repeat(5000),
    '['.repeat(5000),
    '{'.repeat(2500) + '}'.repeat(2500),
    '{1..1000000000}',
  ])('is bounded: %#', (glob) => {
    expect(keyGlob(glob)(KEY)).toBe(false);
  });
});
