import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPointer, toPointer, valueAt } from '../../src/base/json-pointer.ts';
import {
  arrayOrEmpty,
  canonicalText,
  jsonEquals,
  objectFrom,
  objectOrEmpty,
  pickMembers,
  without,
  type JsonValue,
} from '../../src/base/json.ts';
import { placeAt } from '../../src/base/place.ts';
import { nearest } from '../../src/base/text.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

describe('JSON values', () => {
  it('are equal exactly when their canonical texts are', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(jsonEquals(a, b)).toBe(canonicalText(a) === canonicalText(b));
        expect(jsonEquals(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
    );
  });

  it('lose members by name, and those without a value, and are themselves where they lose none', () => {
    const object = { a: undefined, b: null, c: 1 };
    expect(Object.keys(pickMembers(object, () => true))).toEqual(['b', 'c']);
    expect(pickMembers(object, (_name, value) => value !== null)).toEqual({ c: 1 });
    expect(Object.keys(without(object, ['c']))).toEqual(['b']);
    const whole = { b: null };
    expect(without(whole, ['c'])).toBe(whole);
  });

  it.each<[JsonValue, JsonValue, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { constructor: 1 }, false],
    [[], {}, false],
    [1, '1', false],
  ])('%j equals %j: %s', (a, b, equal) => {
    expect(jsonEquals(a, b)).toBe(equal);
  });

  it('keep __proto__ as a member', () => {
    expect(Object.keys(objectFrom([['__proto__', { x: 1 }]]))).toEqual(['__proto__']);
  });
});

describe('pointers', () => {
  it('convert back to their path', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(fromPointer(toPointer(path))).toEqual(path);
      }),
    );
  });

  it.each<[string, JsonValue | undefined]>([
    ['', { 'a/b': [{ '~': 1 }] }],
    ['/a~1b/0/~0', 1],
    ['/a~1b/1', undefined],
    ['/constructor', undefined],
    ['/a~1b/length', undefined],
  ])('%s', (pointer, expected) => {
    expect(valueAt({ 'a/b': [{ '~': 1 }] }, pointer)).toEqual(expected);
  });
});

it.each<[JsonValue | undefined, JsonValue, JsonValue]>([
  [[1], [1], {}],
  [{ a: 1 }, [], { a: 1 }],
  ['x', [], {}],
  [null, [], {}],
  [undefined, [], {}],
])('of %j, an array or none is %j and an object or none is %j', (value, array, object) => {
  expect([arrayOrEmpty(value), objectOrEmpty(value)]).toEqual([array, object]);
});

it('places a value that is not written at the nearest value around it', () => {
  const place = (line: number) => ({ file: 'a', line, column: 1 });
  const tree = { place: place(1), children: { a: { place: place(2), children: { '0': { place: place(3) } } } } };
  expect(
    ['', '/a', '/a/0', '/a/0/b', '/a/7', '/b', '/constructor'].map((pointer) => placeAt(tree, pointer).line),
  ).toEqual([1, 2, 3, 3, 2, 1, 1]);
});

it.each([
  ['activ', ['active', 'archived'], 'active'],
  ['ACTIVE', ['active'], 'active'],
  ['x', ['active'], undefined],
  ['rolout_percentage', ['rollout_percentage', 'role_access'], 'rollout_percentage'],
  ['anything', [], undefined],
])('%s, of %j, is similar to %s', (written, candidates, expected) => {
  expect(nearest(written, candidates)).toBe(expected);
});
