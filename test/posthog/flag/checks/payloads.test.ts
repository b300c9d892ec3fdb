/** Checks of payloads: each has its variant, and a string is JSON text. */

import { expect, it } from 'vitest';
import { problemsOfFilters } from '../../../core/manifest/check.ts';

const variants = 'multivariate: { variants: [{ key: on, rollout_percentage: 100 }] }';
const unknown = 'error payload-key-unknown /payloads/';

it.each([
  ['{ groups: [{}], payloads: { true: { a: [1, null] } } }', []],
  ['{ groups: [{}], payloads: { "true": "{\\"a\\": 1}" } }', []],
  ['{ groups: [{}], payloads: { true: null } }', []],
  ['{ groups: [{}], payloads: {} }', []],
  ['{ groups: [{}], payloads: null }', []],
  [`{ groups: [{}], ${variants}, payloads: { on: 1 } }`, []],
  [`{ groups: [{}], ${variants}, payloads: { true: 1 } }`, [`${unknown}true`]],
  [`{ groups: [{}], ${variants}, payloads: { off: 1 } }`, [`${unknown}off`]],
  ['{ groups: [{}], payloads: { on: 1 } }', [`${unknown}on`]],
  ['{ groups: [{}], payloads: { true: hello } }', ['error payload-not-json /payloads/true']],
  ['{ groups: [{}], payloads: { true: "" } }', ['error payload-not-json /payloads/true']],
  ['{ groups: [{}], payloads: { true: \'"\\u0000"\' } }', ['error character-forbidden /payloads/true']],
  [
    '{ groups: [{}], payloads: { true: \'{"a": [1, {"\\ud800": 2}]}\' } }',
    ['error character-forbidden /payloads/true'],
  ],
  ['{ groups: [{}], payloads: { true: \'["\\ud83d\\ude00 \\\\u0000"]\' } }', []],
  ['{ groups: [{}], payloads: { true: { a: ["\\0"] } } }', ['error character-forbidden /payloads/true/a/0']],
  ['{ groups: [{}], payloads: { __proto__: 1 } }', [`${unknown}__proto__`]],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});

it('reads JSON text that is nested very deeply', () => {
  const depth = 200_000;
  const text = `{ groups: [{}], payloads: { true: '${'['.repeat(depth)}"\\udfff"${']'.repeat(depth)}' } }`;
  expect(problemsOfFilters(text)).toEqual(['error character-forbidden /payloads/true']);
});

it('a payload counts in the form in which the service stores it: as escaped text, unless it is text already', () => {
  const long = 'ü'.repeat(75_000);
  const withPayload = (payload: string): string => `{ groups: [{}], payloads: { true: ${payload} } }`;
  expect(problemsOfFilters(withPayload(`[${long}]`))).toEqual(['error filters-too-large ']);
  expect(problemsOfFilters(withPayload(`'["${long}"]'`))).toEqual([]);
  expect(problemsOfFilters(withPayload(`[${long.slice(0, 74_000)}]`))).toEqual([]);
});
