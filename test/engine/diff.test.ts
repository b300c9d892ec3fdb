import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEquals, type JsonValue } from '../../src/base/json.ts';
import { diff, type Difference } from '../../src/engine/diff.ts';

const CASES: readonly [name: string, before: JsonValue, after: JsonValue, expected: Difference[]][] = [
  ['equal values', { a: [1] }, { a: [1] }, []],
  ['a changed member', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ path: '/b', before: 2, after: 3 }]],
  [
    'an added and a removed member',
    { a: 1 },
    { b: null },
    [
      { path: '/b', after: null },
      { path: '/a', before: 1 },
    ],
  ],
  [
    'a list of plain values, as one',
    { v: ['a'] },
    { v: ['a', 'b'] },
    [{ path: '/v', before: ['a'], after: ['a', 'b'] }],
  ],
  ['an element added in front', [{ a: 1 }], [{ b: 1 }, { a: 1 }], [{ path: '/0', after: { b: 1 } }]],
  ['an element added behind', [{ a: 1 }], [{ a: 1 }, { b: 1 }], [{ path: '/1', after: { b: 1 } }]],
  [
    'an element removed in the middle',
    [{ a: 1 }, { b: 1 }, { c: 1 }],
    [{ a: 1 }, { c: 1 }],
    [{ path: '/1', before: { b: 1 } }],
  ],
  [
    'an element changed in the middle',
    [{ a: 1 }, { b: 1 }, { c: 1 }],
    [{ a: 1 }, { b: 2 }, { c: 1 }],
    [{ path: '/1/b', before: 1, after: 2 }],
  ],
  ['a list that becomes empty', { g: [{ a: 1 }] }, { g: [] }, [{ path: '/g', before: [{ a: 1 }], after: [] }]],
  [
    'a variant added in front',
    [{ key: 'a' }, { key: 'b' }],
    [{ key: 'c' }, { key: 'a' }, { key: 'b', n: 1 }],
    [
      { path: '/0', after: { key: 'c' } },
      { path: '/2/n', after: 1 },
    ],
  ],
  [
    'variants that change places',
    [{ key: 'a' }, { key: 'b' }],
    [{ key: 'b' }, { key: 'a' }],
    [
      { path: '/0/key', before: 'a', after: 'b' },
      { path: '/1/key', before: 'b', after: 'a' },
    ],
  ],
  [
    'a property that goes between two that stay',
    [{ key: 'a', v: 1 }, { key: 'b' }, { key: 'c' }],
    [{ key: 'a', v: 2 }, { key: 'c' }],
    [
      { path: '/0/v', before: 1, after: 2 },
      { path: '/1', before: { key: 'b' } },
    ],
  ],
  [
    'properties of which two have one key, by their places',
    [
      { key: 'a', v: 1 },
      { key: 'a', v: 2 },
    ],
    [
      { key: 'a', v: 1 },
      { key: 'a', v: 3 },
    ],
    [{ path: '/1/v', before: 2, after: 3 }],
  ],
  [
    'properties of which one stays and two change places',
    [{ key: 'a' }, { key: 'b' }, { key: 'c' }],
    [{ key: 'a' }, { key: 'c' }, { key: 'b' }],
    [
      { path: '/1/key', before: 'b', after: 'c' },
      { path: '/2/key', before: 'c', after: 'b' },
    ],
  ],
  [
    'the first of two properties of one key, when it goes',
    [
      { key: 'a', v: 1 },
      { key: 'a', v: 2 },
    ],
    [{ key: 'a', v: 2 }],
    [{ path: '/0', before: { key: 'a', v: 1 } }],
  ],
  [
    'elements of which one has no key, by their places',
    [{ key: 'a' }, { v: 1 }],
    [{ key: 'b' }, { key: 'a' }, { v: 1 }],
    [{ path: '/0', after: { key: 'b' } }],
  ],
  [
    'properties that have no key in common, by their places',
    [{ key: 'a', v: 1 }],
    [{ key: 'b', v: 1 }],
    [{ path: '/0/key', before: 'a', after: 'b' }],
  ],
  [
    'an element twice where it was once, as one addition',
    [{ a: 1 }],
    [{ a: 1 }, { a: 1 }],
    [{ path: '/1', after: { a: 1 } }],
  ],
  [
    'elements that come and go at one place',
    [{ a: 1 }, { b: 1 }, { c: 1 }, { z: 1 }],
    [{ a: 1 }, { b: 2 }, { z: 1 }],
    [
      { path: '/1/b', before: 1, after: 2 },
      { path: '/2', before: { c: 1 } },
    ],
  ],
  [
    'a list of plain values and objects, as one',
    { v: [{ a: 1 }, 2] },
    { v: [{ a: 2 }, 2] },
    [{ path: '/v', before: [{ a: 1 }, 2], after: [{ a: 2 }, 2] }],
  ],
  [
    'an object in place of a list',
    { v: [{ a: 1 }] },
    { v: { a: 1 } },
    [{ path: '/v', before: [{ a: 1 }], after: { a: 1 } }],
  ],
  ['null in place of nothing', {}, { v: null }, [{ path: '/v', after: null }]],
  ['a name of the prototype', { a: 1 }, { a: 1, constructor: 2 }, [{ path: '/constructor', after: 2 }]],
  ['a key with slashes', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ path: '/a~1b~0c', before: 1, after: 2 }]],
];

describe('the diff', () => {
  it.each(CASES)('shows %s', (_name, before, after, expected) => expect(diff(before, after)).toEqual(expected));

  it('is empty exactly for equal values', () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(diff(a, b).length === 0).toBe(jsonEquals(a, b));
        expect(diff(a, structuredClone(a))).toEqual([]);
      }),
    );
  });
});
