import { expect, it } from 'vitest';
import { nearest } from '../../src/base/text.ts';

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
