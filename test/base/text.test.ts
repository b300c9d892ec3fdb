import { expect, it } from 'vitest';
import { nearest, nearestFirst } from '../../src/base/text.ts';

it.each([
  ['rolout_percentage', ['rollout_percentage'], 'rollout_percentage'],
  ['typ', ['type', 'key'], 'type'],
  ['tpye', ['type', 'key'], 'type'],
  ['Staging', ['staging'], 'staging'],
  ['prodcution', ['production', 'staging'], 'production'],
  ['zz', ['p', 'zy'], undefined],
  ['nope', ['ops'], undefined],
  ['eu', ['us'], undefined],
  ['', ['a', 'ab'], undefined],
  ['prod', ['production', 'staging'], 'production'],
  ['Prod', ['pRODUCTION'], 'pRODUCTION'],
  ['pro', ['production'], 'production'],
  ['pr', ['production'], undefined],
  ['prod', ['production', 'products'], undefined],
  ['tion', ['production'], undefined],
])('%s among %j: %s', (written, candidates, expected) => {
  expect(nearest(written, candidates)).toBe(expected);
});

it.each([
  ['tpye', ['key', 'tag', 'type'], ['type', 'key', 'tag']],
  ['KEY', ['type', 'key'], ['key', 'type']],
  ['x'.repeat(101), ['b', 'a'], ['b', 'a']],
])('%s: %j, nearest first', (written, candidates, expected) => {
  expect(nearestFirst(written, candidates)).toEqual(expected);
});
