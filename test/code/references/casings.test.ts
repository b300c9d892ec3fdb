/** The names that a key may have in code. */

import { expect, test } from 'vitest';
import {
  anyCasings,
  inCasing,
  isPlainWord,
  otherCasings,
  parsePattern,
  splitPattern,
  wordsOf,
} from '../../../src/code/references/casings.ts';

test.each<[string, readonly string[]]>([
  ['new-checkout', ['new', 'checkout']],
  ['new_checkout_v2', ['new', 'checkout', 'v2']],
  ['newCheckoutV2', ['new', 'checkout', 'v2']],
  ['HTTPServer', ['http', 'server']],
  ['useHTTP', ['use', 'http']],
  ['a1B', ['a1', 'b']],
  ['beta', ['beta']],
  ['beta2', ['beta2']],
  ['--', []],
  ['-new--checkout-', ['new', 'checkout']],
])('the words of %s are %j', (key, words) => {
  expect(wordsOf(key)).toEqual(words);
  expect(isPlainWord(key)).toBe(words.length < 2);
});

test('a key of two words has a name in each casing of a language, and in those that programs make of it', () => {
  const casings = ['camelCase', 'PascalCase', 'snake_case', 'UPPER_CASE', 'kebab-case'] as const;
  const names = ['newCheckout', 'NewCheckout', 'new_checkout', 'NEW_CHECKOUT', 'new-checkout'];
  expect(casings.map((casing) => inCasing('new_Checkout', casing))).toEqual(names);
  const made = ['NEW-CHECKOUT', 'New-Checkout', 'New_Checkout', 'newcheckout', 'NEWCHECKOUT'];
  expect([...otherCasings('new-checkout')].toSorted()).toEqual([...names.slice(0, 4), ...made].toSorted());
  expect(otherCasings('newCheckout')).toContain('new-checkout');
  expect(otherCasings('newCheckout')).not.toContain('newCheckout');
});

test('in lower case, the words are joined by nothing or by one of both separators', () => {
  expect([...anyCasings('New-Checkout_v2')].toSorted()).toEqual(
    ['new-checkout_v2', 'newcheckoutv2', 'new-checkout-v2', 'new_checkout_v2'].toSorted(),
  );
});

test.each([
  ['flags.{camelCase}', { before: 'flags.', casing: 'camelCase', after: '' }],
  ['FLAG_{UPPER_CASE}_ON', { before: 'FLAG_', casing: 'UPPER_CASE', after: '_ON' }],
  ['{key}', { before: '', casing: 'key', after: '' }],
  ['flags.x', undefined],
  ['{key}{key}', undefined],
  ['{camelcase}', undefined],
  ['', undefined],
])('a pattern has exactly one place for the key: %s', (text, pattern) => {
  expect(parsePattern(text)).toEqual(pattern);
});

test('the word of a pattern is the longest name that the key is a part of', () => {
  const split = (text: string): unknown => {
    const pattern = parsePattern(text);
    return pattern && splitPattern(pattern, 'new-checkout');
  };
  expect(split('env.FLAG_{UPPER_CASE}_ON!')).toEqual({ word: 'FLAG_NEW_CHECKOUT_ON', before: 'env.', after: '!' });
  expect(split('[{key}]')).toEqual({ word: 'new-checkout', before: '[', after: ']' });
});
