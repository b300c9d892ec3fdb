/** Every way in which hashes may decide, each with its probability. */

import { expect, it } from 'vitest';
import type { HashName } from '../../../src/evaluation/input.ts';
import { followPaths } from './follow-paths.ts';

const hashOf = (flagKey: string): HashName => ({ kind: 'rollout', flagKey, identifier: 'distinct_id' });
const [ONE, OTHER] = [hashOf('one'), hashOf('other')];

it('independent hashes multiply, and decisions of one hash agree with each other', () => {
  const found = followPaths(
    (decide) => [decide(ONE, 0.25), decide(OTHER, 0.5), decide(ONE, 0.75), decide(ONE, 0.1)],
    100,
  );
  const weights = new Map(found?.map(({ outcome, weight }) => [outcome.map(Number).join(''), weight]));
  expect([...weights.keys()].toSorted()).toEqual(['0000', '0010', '0100', '0110', '1010', '1011', '1110', '1111']);
  const halves = [0.125, 0.125, 0.25, 0.25, 0.075, 0.05, 0.075, 0.05];
  const order = ['0000', '0100', '0010', '0110', '1010', '1011', '1110', '1111'];
  for (const [index, name] of order.entries()) expect(weights.get(name), name).toBeCloseTo(halves[index] ?? 0, 12);
  expect([...weights.values()].reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
});

it('what is certain takes no path', () => {
  expect(followPaths((decide) => [decide(ONE, 0), decide(ONE, 1)], 1)).toEqual([{ outcome: [false, true], weight: 1 }]);
});

it('more paths than are asked for have no answer', () => {
  const run = (decide: (hash: HashName, share: number) => boolean): boolean => decide(ONE, 0.5);
  expect(followPaths(run, 2)).toHaveLength(2);
  expect(followPaths(run, 1)).toBeUndefined();
});
