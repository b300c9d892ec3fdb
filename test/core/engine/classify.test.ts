import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { baseOf, classify, countConverged, type ClassifiedStates } from '../../../src/core/engine/classify.ts';
import { diff } from '../../../src/core/engine/diff.ts';
import { holds } from '../../helpers/runs.ts';

function states(base: JsonValue, live: JsonValue, wanted: JsonValue): ClassifiedStates {
  return { base, live, wanted };
}

describe('a difference is', () => {
  const cases: readonly (readonly [string, string, ClassifiedStates, string])[] = [
    ['pending where only git moved', '/a', states({ a: 1 }, { a: 1 }, { a: 2 }), 'pending'],
    ['drifted where only the service moved', '/a', states({ a: 1 }, { a: 2 }, { a: 1 }), 'drifted'],
    ['a conflict where both moved apart', '/a', states({ a: 1 }, { a: 2 }, { a: 3 }), 'conflict'],
    ['pending where git adds a value', '/a', states({}, {}, { a: 1 }), 'pending'],
    ['drifted where the service lost a value', '/a', states({ a: 1 }, {}, { a: 1 }), 'drifted'],
    ['drifted where the service got a value', '/a', states({}, { a: 1 }, {}), 'drifted'],
    ['a conflict where both added a value', '/a/b', states({}, { a: { b: 1 } }, { a: { b: 2 } }), 'conflict'],
    ['its own in an object that both changed', '/a/b', states({}, { a: { c: 1 } }, { a: { b: 2 } }), 'pending'],
  ];

  it.each(cases)('%s', (_, path, three, divergence) => {
    expect(classify(path, three)).toEqual({ divergence, at: path });
  });
});

describe('in a list', () => {
  const list = (...elements: JsonValue[]): JsonValue => ({ list: elements });

  it('without keys, an element that both changed is a conflict, and others have their own class', () => {
    const base = list({ a: 1, b: 1 }, { a: 2 }, { a: 3 });
    const live = list({ a: 5, b: 1 }, { a: 6 }, { a: 3 });
    const wanted = list({ a: 1, b: 5 }, { a: 2 }, { a: 7 });
    expect(diff(live, wanted).map(({ path }) => [path, classify(path, { base, live, wanted })])).toEqual([
      ['/list/0/a', { divergence: 'conflict', at: '/list/0' }],
      ['/list/0/b', { divergence: 'conflict', at: '/list/0' }],
      ['/list/1/a', { divergence: 'drifted', at: '/list/1' }],
      ['/list/2/a', { divergence: 'pending', at: '/list/2' }],
    ]);
  });

  it('elements that were swapped on one side cannot be mistaken for each other', () => {
    const [first, second] = [
      { who: 'staff', percent: 20 },
      { who: 'all', percent: 20 },
    ];
    const three = states(list(first, second), list(second, first), list(first, { ...second, percent: 30 }));
    expect(classify('/list/1/percent', three)).toEqual({ divergence: 'conflict', at: '/list/1' });
  });

  it('with keys, members of one element have classes of their own', () => {
    const three = states(
      list({ key: 'x', a: 1, b: 1 }),
      list({ key: 'x', a: 2, b: 1 }),
      list({ key: 'x', a: 1, b: 2 }),
    );
    expect(classify('/list/0/a', three)).toEqual({ divergence: 'drifted', at: '/list/0/a' });
    expect(classify('/list/0/b', three)).toEqual({ divergence: 'pending', at: '/list/0/b' });
  });

  it.each([
    ['another number of elements', list({ a: 1 }), list({ a: 1 }, { a: 2 }), list({ a: 3 })],
    ['other keys', list({ key: 'x', a: 1 }), list({ key: 'y', a: 1 }), list({ key: 'x', a: 3 })],
  ])('with %s, the whole list is compared', (_, base, live, wanted) => {
    expect(classify('/list/0/a', { base, live, wanted })).toEqual({ divergence: 'conflict', at: '/list' });
    expect(classify('/list/0/a', { base, live, wanted: base })).toEqual({ divergence: 'drifted', at: '/list' });
    expect(classify('/list/0/a', { base: live, live, wanted })).toEqual({ divergence: 'pending', at: '/list' });
  });
});

it('the parts of a unit are compared together', () => {
  const three = states({ u: { a: 1, b: 1 } }, { u: { a: 2, b: 1 } }, { u: { a: 1, b: 2 } });
  expect(classify('/u/b', three, new Set(['/u']))).toEqual({ divergence: 'conflict', at: '/u' });
  expect(classify('/u/b', three)).toEqual({ divergence: 'pending', at: '/u/b' });
});

it('values that both sides changed alike are counted', () => {
  expect(countConverged(states({ a: 1, b: 1, c: 1 }, { a: 2, b: 2, c: 1 }, { a: 2, b: 3, c: 4 }))).toBe(1);
  expect(countConverged(states({ a: 1 }, { a: 1 }, { a: 2 }))).toBe(0);
  expect(countConverged(states({ a: [1] }, { a: [1, 2] }, { a: [1, 2] }))).toBe(1);
});

describe('laws', () => {
  const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.integer({ min: 0, max: 2 }),
      fc.array(fc.record({ a: tie('value') }), { maxLength: 2 }),
      fc.array(fc.record({ key: fc.constantFrom('x', 'y'), a: tie('value') }), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('m', 'n'), tie('value')),
    ),
  })).value;
  const object = fc.dictionary(fc.constantFrom('m', 'n', 'o'), value);

  it('with the base as the declared state everything drifted, and with the base as the live state everything is pending', () => {
    holds(300, [object, object], (live, wanted) => {
      for (const { path } of diff(live, wanted)) {
        expect(classify(path, { base: wanted, live, wanted }).divergence).toBe('drifted');
        expect(classify(path, { base: live, live, wanted }).divergence).toBe('pending');
      }
      expect(countConverged({ base: wanted, live, wanted })).toBe(0);
      expect(countConverged({ base: live, live, wanted })).toBe(0);
    });
  });

  it('who swaps git and the service swaps pending and drifted', () => {
    holds(300, [object, object, object], (base, live, wanted) => {
      const swapped = { pending: 'drifted', drifted: 'pending', conflict: 'conflict' } as const;
      for (const { path } of diff(live, wanted)) {
        const { divergence, at } = classify(path, { base, live, wanted });
        expect(classify(path, { base, live: wanted, wanted: live })).toEqual({ divergence: swapped[divergence], at });
      }
    });
  });

  it('the classes of one unit agree', () => {
    holds(300, [object, object, object], (base, live, wanted) => {
      const byUnit = new Map<string, string>();
      for (const { path } of diff(live, wanted)) {
        const { divergence, at } = classify(path, { base, live, wanted });
        expect(byUnit.get(at) ?? divergence).toBe(divergence);
        byUnit.set(at, divergence);
      }
    });
  });
});

describe('what the base has of a conflict', () => {
  const of = (key: string, value: number, ...parts: JsonValue[]): JsonValue => ({ key, value, parts });

  it('is that of the element with the key, wherever it was', () => {
    const base = [of('b', 1), of('c', 2)];
    const [live, wanted] = [
      [of('b', 3), of('c', 2)],
      [of('a', 9), of('b', 4), of('c', 2)],
    ];
    expect(baseOf({ path: '/1/value', before: 3, after: 4 }, { base, live, wanted })).toBe(1);
    expect(baseOf({ path: '/0', after: of('a', 9) }, { base, live, wanted })).toBeUndefined();
  });

  it('is that of a part of such an element', () => {
    const base = [of('b', 1, of('x', 5), of('y', 6))];
    const live = [of('b', 1, of('y', 7))];
    const wanted = [of('a', 9), of('b', 1, of('y', 8))];
    expect(baseOf({ path: '/1/parts/0/value', before: 7, after: 8 }, { base, live, wanted })).toBe(6);
  });

  it('is found by the index of the live list where the manifests have no such part', () => {
    const base = [of('b', 1, of('x', 5), of('y', 6))];
    const live = [of('b', 1, of('w', 4), of('y', 7))];
    const wanted = [of('a', 9), of('b', 1, of('w', 4))];
    expect(baseOf({ path: '/1/parts/1', before: of('y', 7) }, { base, live, wanted })).toEqual(of('y', 6));
  });
});
