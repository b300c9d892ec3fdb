import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptInOrder } from '../../src/base/longest-increasing-subsequence.ts';
import { holds } from '../helpers/runs.ts';

test('one element that moves leaves the others where they are', () => {
  expect(keptInOrder([3, 0, 1, 2])).toEqual(new Set([0, 1, 2]));
  expect(keptInOrder([1, undefined, 2, 0])).toEqual(new Set([1, 2]));
  expect(keptInOrder([])).toEqual(new Set());
});

test('what stays is in order, and as much as possible stays', () => {
  holds(200, [fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 0 })], (former) => {
    const kept = keptInOrder(former);
    const order = former.filter((index) => kept.has(index));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(kept.size).toBe(longest(former, -1));
  });
});

/** The length of a longest increasing part, by trying all. */
function longest([first, ...rest]: readonly number[], above: number): number {
  if (first === undefined) return 0;
  const without = longest(rest, above);
  return first > above ? Math.max(without, 1 + longest(rest, first)) : without;
}
