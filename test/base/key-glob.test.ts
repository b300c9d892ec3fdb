import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { keyGlob } from '../../src/base/key-glob.ts';

test.each([
  ['*', 'anything', true],
  ['help-*', 'help-chat', true],
  ['help-*', 'help', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*-old', 'x-old-old', true],
  ['a*b*c', 'abbc', true],
  ['a*b*c', 'acb', false],
  ['{a,b}-?', 'b-1', true],
  ['[ab]*', 'beta', true],
  ['a.b', 'a.b', true],
  ['exact', 'exactly', false],
])('%s and %s: %s', (glob, key, matches) => {
  expect(keyGlob(glob, { dot: true })?.(key)).toBe(matches);
});

test('wildcards match as the library would', () => {
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?'), minLength: 1, maxLength: 8 });
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '/'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(glob, key, (pattern, text) => {
      expect(keyGlob(pattern, { dot: true })?.(text)).toBe(picomatch(pattern, { dot: true })(text));
    }),
    { numRuns: 2000 },
  );
});

describe('time', () => {
  const KEY = 'a'.repeat(400);

  test.each([
    '*a'.repeat(200) + 'b',
    '?*'.repeat(100) + 'b',
    '+(a|aa)+(a|a)b',
    '(a|a)*(a|a)*b',
    '{a,aa}'.repeat(30) + 'b',
    '[a]*'.repeat(40) + 'b',
    '{*a*,*a*}{*a*,*a*}b',
    '!(*a*a*a*a*a)b',
    'a'.repeat(100_000),
    '\\'.repeat(70_000),
    '{'.repeat(1000),
    '{1..1000000000}',
  ])('is bounded: %#', (glob) => {
    const begun = performance.now();
    expect(keyGlob(glob, { dot: true })?.(KEY) ?? false).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
