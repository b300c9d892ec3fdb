import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { keptInOrder } from '../../../../src/base/longest-increasing-subsequence.ts';
import { alignElements, type Alignment } from '../../../../src/base/yaml/editing/align.ts';
import { holds } from '../../../helpers/runs.ts';

const _ = undefined;

test.each<[what: string, before: JsonValue[], after: JsonValue[], former: (number | undefined)[]]>([
  ['equal ones, wherever they are', [1, { a: 1, b: 2 }, [3]], [[3], 1, { b: 2, a: 1 }], [2, 0, 1]],
  ['equal ones once each, in their places', ['x', 'y', 'x'], ['x', 'x', 'x'], [0, 1, 2]],
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
  ['not by a key that is no string', [0, { key: 1, a: 1, b: 2 }], [{ key: 1, c: 3, d: 4, e: 5 }, 0], [1, 0]],
  ['not by an inherited key', [0, JSON.parse('{"__proto__":{"key":"a"}}') as JsonValue], [{ key: 'a' }, 0], [_, 0]],
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
  ['one in its place, whatever it shares', [{ a: 1, b: 1, c: 1 }], [{ a: 2, d: 1, e: 1 }], [0]],
  ['not one elsewhere that shares little', [0, { a: 1, b: 1, c: 1 }], [{ a: 2, d: 1, e: 1 }, 0], [_, 0]],
  ['not a mapping and a single value', [{ a: 1 }], ['a'], [_]],
  ['one without anything in it, in its place', [{}], [{ a: 1 }], [0]],
  ['not one without anything in it elsewhere', [0, {}], [{ a: 1 }, 0], [_, 0]],
  ['of equal ones, those in their places', [{ a: 1 }, { a: 1 }, { a: 1 }], [{ a: 2 }, { a: 1 }, { a: 1 }], [0, 1, 2]],
  [
    'of equal ones, those around a new one',
    [{ a: 1 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: { c: 2 } }, { a: 1 }],
    [0, _, 1],
  ],
  [
    'one that has more now, beside a new one',
    [{ a: 1 }, { a: 2 }],
    [{ a: 9 }, { a: 1 }, { a: 2, b: [1, 2, 3] }],
    [_, 0, 1],
  ],
  ['in a swap, those with the same value', [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], [1, 0]],
  [
    'not one with another key if its own is there',
    [
      { key: 'x', a: 1 },
      { key: 'y', a: 1 },
    ],
    [
      { key: 'y', a: 1 },
      { key: 'z', a: 1 },
    ],
    [1, _],
  ],
  [
    'one with another key in its place',
    [
      { key: 'x', a: 1 },
      { key: 'y', a: 1 },
    ],
    [
      { key: 'x', a: 1 },
      { key: 'z', a: 1 },
    ],
    [0, 1],
  ],
  ['single values in place of others, between the same neighbours', [1, 'x', 2, 3], [1, 'y', 2, 'z'], [0, 1, 2, 3]],
  ['several in place of as many', ['a', 'b', { k: 1 }], ['c', 'd', { k: 1 }], [0, 1, 2]],
  ['one in place of another, beside a new one', [1, 'a', 2], [1, 'b', 'c', 2], [0, 1, _, 2]],
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

test('in long lists, an element with the same key continues one that no equal element continues', () => {
  const others = Array.from({ length: 60 }, (_each, index): JsonValue => ({ index }));
  const changed = Array.from({ length: 60 }, (_each, index): JsonValue => ({ other: index }));
  const before = [{ a: 0 }, { key: 'k', v: 0 }, { key: 'k', v: 1 }, ...others];
  const after = [{ b: 0 }, { key: 'k', v: 2 }, { key: 'k', v: 0 }, ...changed];
  expect(alignElements(before, after).slice(0, 3)).toEqual([undefined, 2, 1]);
});

const leaf = fc.constantFrom(0, 1, 2);
const mapping = fc.record(
  { a: leaf, b: leaf, c: fc.array(leaf, { minLength: 1, maxLength: 2 }) },
  { requiredKeys: ['a'] },
);

test('no alignment that keeps the order makes fewer changes', () => {
  holds(400, [fc.array(mapping, { maxLength: 4 }), fc.array(mapping, { maxLength: 4 })], (before, after) => {
    const found = changesOf(before, after, alignElements(before, after));
    const others = orderedAlignments(before.length, after.length).map((one) => changesOf(before, after, one));
    expect(found).toBeLessThanOrEqual(Math.min(...others));
  });
});

/** Values that change, come and go, and elements that come, go and move. */
function changesOf(before: readonly JsonValue[], after: readonly JsonValue[], former: Alignment): number {
  const kept = keptInOrder(former);
  const gone = before.filter((_each, index) => !former.includes(index)).map((one) => leavesOf(one).length + 1);
  const others = after.map((one, to) => {
    const from = former[to];
    if (from === undefined) return leavesOf(one).length + 1;
    return distance(leavesOf(before[from] ?? null), leavesOf(one)) + (kept.has(from) ? 0 : 1);
  });
  return [...gone, ...others].reduce((sum, cost) => sum + cost, 0);
}

/** The name of each value and the value. */
function leavesOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return Object.entries(value as JsonObject).flatMap(([name, member]) =>
    (isJsonArray(member) ? member : [member ?? null]).map((one) => [name, one] as const),
  );
}

function distance(one: ReturnType<typeof leavesOf>, other: ReturnType<typeof leavesOf>): number {
  const lacking = (from: typeof one, to: typeof one): number[] =>
    ['a', 'b', 'c'].map((name) => {
      const left = to.filter(([own]) => own === name).map(([, value]) => value);
      return from.filter(([own, value]) => {
        const at = own === name ? left.indexOf(value) : 0;
        return at === -1 || (own === name && left.splice(at, 1).length === 0);
      }).length;
    });
  const [forth, back] = [lacking(one, other), lacking(other, one)];
  return forth.reduce((sum, count, index) => sum + Math.max(count, back[index] ?? 0), 0);
}

function orderedAlignments(before: number, after: number, from = 0): Alignment[] {
  if (after === 0) return [[]];
  const choices = [undefined, ...Array.from({ length: before - from }, (_each, step) => from + step)];
  return choices.flatMap((first) =>
    orderedAlignments(before, after - 1, first === undefined ? from : first + 1).map((rest) => [first, ...rest]),
  );
}
