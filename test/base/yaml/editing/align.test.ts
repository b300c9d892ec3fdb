import { expect, test } from 'vitest';
import type { JsonValue } from '../../../../src/base/json.ts';
import { alignElements } from '../../../../src/base/yaml/editing/align.ts';

const _ = undefined;

test.each<[what: string, before: JsonValue[], after: JsonValue[], former: (number | undefined)[]]>([
  ['equal ones, wherever they are', [1, { a: 1, b: 2 }, [3]], [[3], 1, { b: 2, a: 1 }], [2, 0, 1]],
  ['equal ones once each, in their order', ['x', 'y', 'x'], ['x', 'x', 'x'], [0, 2, _]],
  ['none in a list without elements', [], [1], [_]],
  [
    'those with the same key, however much they changed',
    [
      { key: 'a', v: [1, 2, 3] },
      { key: 'b', w: 'x' },
    ],
    [{ key: 'b', w: [4, 5] }, { key: 'a' }],
    [1, 0],
  ],
  [
    'equal ones before those with the same key',
    [
      { key: 'a', v: 1 },
      { key: 'a', v: 2 },
    ],
    [
      { key: 'a', v: 2 },
      { key: 'a', v: 3 },
    ],
    [1, 0],
  ],
  ['not by a key that is no string', [{ key: 1, a: 1, b: 2 }], [{ key: 1, c: 3, d: 4, e: 5 }], [_]],
  ['not by an inherited key', [JSON.parse('{"__proto__":{"key":"a"}}') as JsonValue], [{ key: 'a' }], [_]],
  [
    'those that are similar',
    [
      { a: 1, b: 2, c: 3 },
      { x: 1, y: 2, z: 3 },
    ],
    [
      { x: 1, y: 2, z: 4 },
      { a: 0, b: 2, c: 3 },
    ],
    [1, 0],
  ],
  ['similar ones at any depth', [{ a: { b: [1, 2] } }, { c: 1 }], [{ c: 2, d: 1, e: 1 }, { a: { b: [1, 3] } }], [_, 0]],
  [
    'the more similar one',
    [
      { a: 1, b: 2, c: 0 },
      { a: 1, b: 2, c: 3 },
    ],
    [{ a: 1, b: 2, c: 3, d: 4 }],
    [1],
  ],
  [
    'the nearer one of two that are as similar',
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    [5, { a: 1, b: 3 }],
    [_, 1],
  ],
  [
    'each of two that are as similar once',
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    [
      { a: 1, b: 3 },
      { a: 1, b: 4 },
    ],
    [0, 1],
  ],
  ['one that shares two of five paths', [{ a: 1, b: 1, c: 1 }], [{ a: 1, b: 1, d: 1, e: 1 }], [0]],
  ['not one that shares names only, and few', [{ a: 1, b: 1, c: 1 }], [{ a: 2, d: 1, e: 1 }], [_]],
  ['not a mapping and a single value', [{ a: 1 }], ['a'], [_]],
  ['not one without anything in it', [{}], [{ a: 1 }], [_]],
  ['single values in place of others, between the same neighbours', [1, 'x', 2, 3], [1, 'y', 2, 'z'], [0, 1, 2, 3]],
  ['several in place of as many', ['a', 'b', { k: 1 }], ['c', 'd', { k: 1 }], [0, 1, 2]],
  ['not if their number differs', [1, 'a', 2], [1, 'b', 'c', 2], [0, _, _, 2]],
  ['not if a neighbour moved', ['a', 1, 2], [1, 'b', 2], [1, _, 2]],
  ['not across a neighbour that came from there', [1, 'a', 2, 3], [2, 'b', 3, 1], [2, _, 3, 0]],
  ['not a single value in place of a mapping', [1, { a: 1 }, 2], [1, 'x', 2], [0, _, 2]],
  ['not a mapping in place of a single value', [1, 'x', 2], [1, { a: 1 }, 2], [0, _, 2]],
])('the elements of a list are found again: %s', (_what, before, after, former) => {
  expect(alignElements(before, after)).toEqual(former);
});

test('in long lists that changed in every element, similarity is not searched', () => {
  const list = (value: number, length: number): JsonValue[] =>
    Array.from({ length }, (_each, index) => ({ index, a: value, b: value }));
  expect(alignElements(list(1, 50), list(2, 50))).toEqual([...Array.from({ length: 50 }).keys()]);
  expect(alignElements(list(1, 51), list(2, 51)).filter((one) => one !== undefined)).toEqual([]);
});
