import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEquals, type JsonValue } from '../../../src/base/json.ts';
import { diff, type Difference } from '../../../src/core/engine/diff.ts';

const CASES: readonly [name: string, before: JsonValue, after: JsonValue, expected: Difference[]][] = [
  ['nothing for equal values', { a: [1] }, { a: [1] }, []],
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
    'a changed list of scalars as one difference',
    { v: ['a'] },
    { v: ['a', 'b'] },
    [{ path: '/v', before: ['a'], after: ['a', 'b'] }],
  ],
  ['an element prepended', [{ a: 1 }], [{ b: 1 }, { a: 1 }], [{ path: '/0', after: { b: 1 } }]],
  ['an element appended', [{ a: 1 }], [{ a: 1 }, { b: 1 }], [{ path: '/1', after: { b: 1 } }]],
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
  [
    'a list that becomes empty as one difference',
    { g: [{ a: 1 }] },
    { g: [] },
    [{ path: '/g', before: [{ a: 1 }], after: [] }],
  ],
  [
    'a variant prepended and another changed',
    [{ key: 'a' }, { key: 'b' }],
    [{ key: 'c' }, { key: 'a' }, { key: 'b', n: 1 }],
    [
      { path: '/0', after: { key: 'c' } },
      { path: '/2/n', after: 1 },
    ],
  ],
  [
    'two variants that swap places, by position',
    [{ key: 'a' }, { key: 'b' }],
    [{ key: 'b' }, { key: 'a' }],
    [
      { path: '/0/key', before: 'a', after: 'b' },
      { path: '/1/key', before: 'b', after: 'a' },
    ],
  ],
  [
    'a property removed between two others',
    [{ key: 'a', v: 1 }, { key: 'b' }, { key: 'c' }],
    [{ key: 'a', v: 2 }, { key: 'c' }],
    [
      { path: '/0/v', before: 1, after: 2 },
      { path: '/1', before: { key: 'b' } },
    ],
  ],
  [
    'properties with a duplicate key, by position',
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
    'two properties that swap places after an unchanged one, by position',
    [{ key: 'a' }, { key: 'b' }, { key: 'c' }],
    [{ key: 'a' }, { key: 'c' }, { key: 'b' }],
    [
      { path: '/1/key', before: 'b', after: 'c' },
      { path: '/2/key', before: 'c', after: 'b' },
    ],
  ],
  [
    'the removal of the first of two properties with the same key',
    [
      { key: 'a', v: 1 },
      { key: 'a', v: 2 },
    ],
    [{ key: 'a', v: 2 }],
    [{ path: '/0', before: { key: 'a', v: 1 } }],
  ],
  [
    'an element added to a list where one element has no key',
    [{ key: 'a' }, { v: 1 }],
    [{ key: 'b' }, { key: 'a' }, { v: 1 }],
    [{ path: '/0', after: { key: 'b' } }],
  ],
  [
    'properties without a common key, by position',
    [{ key: 'a', v: 1 }],
    [{ key: 'b', v: 1 }],
    [{ path: '/0/key', before: 'a', after: 'b' }],
  ],
  ['a repeated element as one addition', [{ a: 1 }], [{ a: 1 }, { a: 1 }], [{ path: '/1', after: { a: 1 } }]],
  [
    'a changed element followed by a removed one',
    [{ a: 1 }, { b: 1 }, { c: 1 }, { z: 1 }],
    [{ a: 1 }, { b: 2 }, { z: 1 }],
    [
      { path: '/1/b', before: 1, after: 2 },
      { path: '/2', before: { c: 1 } },
    ],
  ],
  [
    'a changed list of scalars and objects as one difference',
    { v: [{ a: 1 }, 2] },
    { v: [{ a: 2 }, 2] },
    [{ path: '/v', before: [{ a: 1 }, 2], after: [{ a: 2 }, 2] }],
  ],
  [
    'a list replaced by an object',
    { v: [{ a: 1 }] },
    { v: { a: 1 } },
    [{ path: '/v', before: [{ a: 1 }], after: { a: 1 } }],
  ],
  ['an added member that is null', {}, { v: null }, [{ path: '/v', after: null }]],
  ['an added member named constructor', { a: 1 }, { a: 1, constructor: 2 }, [{ path: '/constructor', after: 2 }]],
  [
    'the escaped pointer of a key with a slash and a tilde',
    { 'a/b~c': 1 },
    { 'a/b~c': 2 },
    [{ path: '/a~1b~0c', before: 1, after: 2 }],
  ],
];

describe('the diff', () => {
  it.each(CASES)('shows %s', (_name, before, after, expected) => expect(diff(before, after)).toEqual(expected));

  it('is empty if and only if the values are equal', () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(diff(a, b).length === 0).toBe(jsonEquals(a, b));
        expect(diff(a, structuredClone(a))).toEqual([]);
      }),
    );
  });
});
