import { expect, test } from 'vitest';
import { isAtLeast } from '../../../src/cli/doctor/check-program.ts';

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['18.99.0', false],
  ['21.0.0', true],
  ['100.0.0', true],
])('Node.js %s is supported: %s', (node, expected) => {
  expect(isAtLeast(node, '>=20.19')).toBe(expected);
});
