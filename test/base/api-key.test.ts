import { expect, test } from 'vitest';
import { looksLikeKey, maskKeys, replaceKeys, replaceSpellings, spellingsOf } from '../../src/base/api-key.ts';

const KEY = 'phx_0123456789';

test.each([
  ['a personal key', KEY, true],
  ['the beginning of a project key', 'phc_a', true],
  ['a key inside a sentence', `the key ${KEY}.`, true],
  ['a word with the same letters', 'graph_a', false],
  ['a prefix alone', 'phx_', false],
])('%s: looks like a key: %s', (_, text, expected) => {
  expect(looksLikeKey(text)).toBe(expected);
});

test('a masked string keeps its length', () => {
  expect(maskKeys(`a ${KEY} b`)).toBe(`a ${'*'.repeat(KEY.length)} b`);
});

test('every key is replaced, a string too short to be one is not', () => {
  expect(replaceKeys(`${KEY} ${KEY} phx_a`)).toBe('[key] [key] phx_a');
});

test('a known key is replaced in each of its spellings', () => {
  const key = 'a"b/c';
  const text = [key, JSON.stringify(key), encodeURIComponent(key)].join(' ');
  expect(replaceSpellings(text, spellingsOf(key), '-')).toBe('- "-" -');
});
