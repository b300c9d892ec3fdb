import { expect, test } from 'vitest';
import { canonicalText, isJsonArray, isJsonObject, type JsonValue } from '../../src/base/json.ts';
import { patchTo, reconcile } from '../../src/editing/members.ts';

/** Strings mean the same in any case; a member that is null means none; `set` means the same in any order. */
function meaningOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toLowerCase();
  if (isJsonArray(value)) return value.map(meaningOf);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    const meaning = meaningOf(member ?? null);
    if (meaning === null) return [];
    return [[name, name === 'set' && isJsonArray(meaning) ? meaning.map(canonicalText).toSorted() : meaning]];
  });
  return Object.fromEntries(members);
}

test.each<[what: string, written: JsonValue | undefined, wanted: JsonValue, kept: JsonValue]>([
  ['nothing written', undefined, 'x', 'x'],
  ['what means the same', { a: 'X', b: null }, { a: 'x' }, { a: 'X', b: null }],
  ['single values', 'x', 'y', 'y'],
  ['another type', { a: 1 }, ['X'], ['X']],
  ['members that mean the same', { a: 'X', b: 'Y', c: null }, { b: 'z', a: 'x' }, { a: 'X', b: 'z', c: null }],
  ['members that are not written', { a: 'X' }, { b: null, c: 1, a: 'x' }, { a: 'X', c: 1 }],
  ['members that go', { a: 'X', b: 'Y' }, { a: 'x' }, { a: 'X' }],
  ['members of members', { a: { b: 'X', c: 1 } }, { a: { b: 'x', c: 2 } }, { a: { b: 'X', c: 2 } }],
  ['elements that mean the same', ['X', 'Y', 'Z'], ['x', 'b', 'z'], ['X', 'b', 'Z']],
  ['elements that moved', ['X', 'Y', { a: 'Z' }], [{ a: 'z' }, 'x', 'y'], [{ a: 'Z' }, 'X', 'Y']],
  ['elements that come and go', ['X', 'Y'], ['new', 'y'], ['new', 'Y']],
  ['more elements than before', ['X'], ['y', 'x', 'x'], ['y', 'X', 'x']],
  [
    'the order of what means the same in any',
    { set: ['C', 'A', 'B'] },
    { set: ['a', 'b', 'd'] },
    { set: ['A', 'B', 'd'] },
  ],
  [
    'the order in which people wrote them',
    { set: ['C', 'A', 'B'] },
    { set: ['b', 'd', 'a'] },
    { set: ['d', 'A', 'B'] },
  ],
  ['elements in their places', ['x', 'X'], ['X', 'y'], ['x', 'y']],
  [
    'parts of elements with the same key',
    [
      { key: 'a', v: 'X', w: 1 },
      { key: 'b', v: 'Y', w: 1 },
    ],
    [
      { key: 'b', v: 'y', w: 2 },
      { key: 'a', v: 'x', w: 2 },
    ],
    [
      { key: 'b', v: 'Y', w: 2 },
      { key: 'a', v: 'X', w: 2 },
    ],
  ],
  [
    'parts of an element that has another key now',
    [{ key: 'a', v: 'X' }],
    [{ key: 'b', v: 'x', w: 1 }],
    [{ key: 'b', v: 'X', w: 1 }],
  ],
  [
    'parts of elements without keys, in their order',
    [
      { v: 'X', w: 1 },
      { v: 'Y', w: 1 },
    ],
    [
      { v: 'x', w: 2 },
      { v: 'y', w: 2 },
    ],
    [
      { v: 'X', w: 2 },
      { v: 'Y', w: 2 },
    ],
  ],
])('what people wrote is kept where it means the same: %s', (_what, written, wanted, kept) => {
  const wantedMeaning = canonicalText(meaningOf(wanted));
  const found = reconcile(written, wanted, (candidate) => canonicalText(meaningOf(candidate)) === wantedMeaning);
  expect(JSON.stringify(found)).toBe(JSON.stringify(kept));
});

test('in long lists only elements that are equal as written are found again', () => {
  const keep = (count: number): JsonValue => {
    const written = Array.from({ length: count }, (_each, index) => `X${index}`);
    const wanted = written.map((text) => text.toLowerCase()).toReversed();
    const meaning = canonicalText(wanted);
    return reconcile(written, wanted, (candidate) => canonicalText(meaningOf(candidate)) === meaning);
  };
  expect(keep(20)).toMatchObject(['X19', 'X18', ...Array.from({ length: 18 }, () => expect.stringContaining('X'))]);
  expect(keep(22)).toMatchObject(Array.from({ length: 22 }, () => expect.stringContaining('x')));
});

test.each<
  [
    what: string,
    base: JsonValue | undefined,
    former: JsonValue | undefined,
    wanted: JsonValue,
    patch: JsonValue | undefined,
  ]
>([
  ['nothing where all is there', { a: 1 }, undefined, { a: 1 }, undefined],
  ['the former patch, also where it changes nothing', { a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }],
  ['an empty one', { a: 1 }, {}, { a: 1 }, {}],
  ['what differs', { a: 1, b: { c: 1, d: 2 } }, undefined, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
  ['null for what goes', { a: 1, b: 2 }, undefined, { a: 1 }, { b: null }],
  ['null that was there for nothing', { a: 1 }, { b: null }, { a: 2 }, { b: null, a: 2 }],
  ['nothing for what only the former one had', { a: 1 }, { b: 1, a: 3 }, { a: 2 }, { a: 2 }],
  ['a value in place of null', { a: 1 }, { a: null }, { a: 1 }, {}],
  ['all of what replaces something else', 1, undefined, { a: 1 }, { a: 1 }],
  ['a single value', { a: 1 }, { a: 2 }, 5, 5],
  ['the same single value, where it was given', 5, 5, 5, 5],
  ['nothing for the same single value', 5, undefined, 5, undefined],
  ['lists as a whole', { a: [1, 2] }, undefined, { a: [1, 3] }, { a: [1, 3] }],
])('the smallest patch is %s', (_what, base, former, wanted, patch) => {
  expect(patchTo(base, former, wanted)).toEqual(patch);
});
