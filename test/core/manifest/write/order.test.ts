import { expect, test } from 'vitest';
import { inOrder, orderAt, type Order } from '../../../../src/core/manifest/write/group-files.ts';

const ORDER: Order = {
  members: { flags: { each: { names: ['b', 'a'], members: { list: { each: { names: ['y', 'x'] } } } } } },
};

test.each<[path: (string | number)[], names: readonly string[] | undefined]>([
  [
    ['flags', 'any'],
    ['b', 'a'],
  ],
  [
    ['flags', 'any', 'list', 0],
    ['y', 'x'],
  ],
  [['flags', 'any', 'list'], undefined],
  [['flags', 'any', 'other', 'more'], undefined],
  [['constructor'], undefined],
])('the order at %j', (path, names) => {
  expect(orderAt(path, ORDER)?.names).toEqual(names);
});

test('members are in their usual order, at any depth, and others follow as they are', () => {
  const value = { z: 1, list: [{ q: 1, x: 2, y: 3 }], a: 4, b: 5 };
  expect(JSON.stringify(inOrder(value, orderAt(['flags', 'any'], ORDER)))).toBe(
    '{"b":5,"a":4,"z":1,"list":[{"y":3,"x":2,"q":1}]}',
  );
  expect(
    JSON.stringify(inOrder({ z: 1, list: [{ x: 2, y: 3 }], b: 5 }, { members: { list: { each: { names: ['y'] } } } })),
  ).toBe('{"z":1,"list":[{"y":3,"x":2}],"b":5}');
  expect(inOrder(value, undefined)).toBe(value);
  expect(inOrder('x', ORDER)).toBe('x');
});
