/** Suggestions from many names: the nearest one, within a limit on the work of a whole run. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSuggest, nearest } from '../../src/base/text.ts';
import { holds } from '../helpers/runs.ts';

/** Keys that count how often one of them is read. */
function countedKeys(count: number): { readonly keys: Iterable<string>; readonly looks: () => number } {
  let looks = 0;
  return {
    looks: () => looks,
    keys: {
      *[Symbol.iterator]() {
        for (let index = 0; index < count; index += 1) {
          looks += 1;
          yield `some-flag-${index}`;
        }
      },
    },
  };
}

it('suggests the most similar name', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  holds(300, [fc.array(text), fc.array(text, { maxLength: 20 })], (written, candidates) => {
    const suggest = createSuggest();
    for (const one of written) expect(suggest(one, candidates)).toBe(nearest(one, candidates));
  });
});

it('searches for the same name once', () => {
  const { keys, looks } = countedKeys(10);
  const suggest = createSuggest();
  for (let time = 0; time < 5; time += 1) expect(suggest('sone-flag-7', keys)).toBe('some-flag-7');
  expect(looks()).toBe(10);
  expect(suggest('sone-flag-7', ['sone-flag-7s'])).toBe('sone-flag-7s');
});

it('compares at most a million candidates in a run, then uses only its cache', () => {
  const { keys, looks } = countedKeys(10_000);
  const suggest = createSuggest();
  expect(suggest('sone-flag-7', keys)).toBe('some-flag-7');
  for (let index = 0; index < 5000; index += 1) suggest(`unknown-${index}`, keys);
  // One more candidate is read to find that the limit is reached.
  expect(looks()).toBeGreaterThanOrEqual(1_000_000);
  expect(looks()).toBeLessThanOrEqual(1_000_001);
  expect(suggest('sone-flag-8', keys)).toBeUndefined();
  expect(suggest('sone-flag-7', keys)).toBe('some-flag-7');
});

it('does not search for long names', () => {
  const { keys, looks } = countedKeys(10);
  expect(createSuggest()('x'.repeat(101), keys)).toBeUndefined();
  expect(looks()).toBe(0);
  const long = 'x'.repeat(100);
  expect(createSuggest()(long, ['y', `${long}x`])).toBe(`${long}x`);
});
