import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { PlaceTree } from '../../../src/base/place.ts';
import { type Located, mergePatch } from '../../../src/core/manifest/layers.ts';

/** Places every part of a value on one line, to distinguish base and patch. */
function located(value: JsonValue, line: number): Located {
  const tree = (part: JsonValue): PlaceTree => {
    const place = { file: 'a.yaml', line, column: 1 };
    if (typeof part !== 'object' || part === null) return { place };
    const children = Object.entries(part).map(([name, child]) => [name, tree(child ?? null)]);
    return { place, children: Object.fromEntries(children) };
  };
  return { value, places: tree(value) };
}

/** The examples of RFC 7396, appendix A. */
describe('a merge patch', () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched with %j is %j', (base, patch, expected) => {
    expect(mergePatch(located(base, 1), located(patch, 2)).value).toEqual(expected);
  });

  it('keeps the place of each part', () => {
    const merged = mergePatch(located({ a: { b: 1, c: 2 } }, 1), located({ a: { c: 3, d: [4] } }, 2));
    const a = merged.places.children?.['a']?.children;
    expect([a?.['b']?.place.line, a?.['c']?.place.line, a?.['d']?.children?.['0']?.place.line]).toEqual([1, 2, 2]);
  });

  it('has places for exactly the members of the result', () => {
    const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    const same = (value: JsonValue, tree: PlaceTree | undefined): void => {
      expect(tree).toBeDefined();
      if (!isJsonObject(value)) return;
      expect(Object.keys(tree?.children ?? {}).toSorted()).toEqual(Object.keys(value).toSorted());
      for (const [name, member] of Object.entries(value)) same(member ?? null, tree?.children?.[name]);
    };
    fc.assert(
      fc.property(values, values, (base, patch) => {
        const merged = mergePatch(located(base, 1), located(patch, 2));
        same(merged.value, merged.places);
      }),
    );
  });
});
