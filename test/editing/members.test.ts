/** Members of a declaration's value: read, set and removed, and the edits between two values. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { editsBetween, setIn, valueIn, withMember, type MemberPath } from '../../src/editing/members.ts';
import { holds } from '../helpers/runs.ts';

const VALUE: JsonObject = { a: { b: [1, { c: 2 }], d: null }, constructor: 3 };

test.each<[path: MemberPath, value: JsonValue | undefined]>([
  [[], VALUE],
  [['a', 'b', '1', 'c'], 2],
  [['a', 'b', '0'], 1],
  [['a', 'd'], null],
  [['a', 'd', 'e'], undefined],
  [['a', 'b', '2'], undefined],
  [['a', 'b', '0', 'c'], undefined],
  [['constructor'], 3],
  [['toString'], undefined],
  [['a', 'hasOwnProperty'], undefined],
])('the value at %j is %j', (path, value) => {
  expect(valueIn(VALUE, path)).toEqual(value);
});

test.each<
  [what: string, path: MemberPath, set: JsonValue | undefined, before: JsonValue, after: JsonValue | undefined]
>([
  ['the whole', [], 2, { a: 1 }, 2],
  ['a member, which keeps its position', ['a'], 2, { a: 1, b: 1 }, { a: 2, b: 1 }],
  ['a new member, which comes last', ['c'], 2, { a: 1, b: 1 }, { a: 1, b: 1, c: 2 }],
  ['a member of mappings that are missing', ['a', 'b'], 2, {}, { a: { b: 2 } }],
  ['a member in place of a value that has none', ['a', 'b'], 2, { a: 1 }, { a: { b: 2 } }],
  ['an element', ['a', '1'], 2, { a: [1, 1, 1] }, { a: [1, 2, 1] }],
  ['a member of an element', ['1', 'a'], 2, [1, { a: 1 }], [1, { a: 2 }]],
  ['no member', ['a'], undefined, { a: 1, b: 1 }, { b: 1 }],
  ['no member, which was not there', ['c', 'd'], undefined, { a: 1 }, { a: 1 }],
  [
    'no member, with the mappings that are empty then',
    ['a', 'b', 'c'],
    undefined,
    { a: { b: { c: 1 } }, d: 1 },
    { d: 1 },
  ],
  ['no member, where the mapping was empty', ['a', 'b'], undefined, { a: {} }, { a: {} }],
  ['no member of a value that has none', ['a', 'b'], undefined, { a: 1 }, { a: 1 }],
  ['no element', ['a', '1'], undefined, { a: [1, 2, 3] }, { a: [1, 3] }],
  ['no member of an element, with the mapping that is empty then', ['0', 'a'], undefined, [{ a: 1 }, 2], [2]],
  ['nothing at all', ['a'], undefined, { a: 1 }, undefined],
])('%s is set', (_what, path, set, before, after) => {
  expect(JSON.stringify(setIn(before, path, set))).toBe(JSON.stringify(after));
});

test.each<[what: string, before: JsonObject, after: JsonObject, edits: readonly (readonly [string, JsonValue?])[]]>([
  ['the members that differ', { a: 1, b: 2, c: 3 }, { a: 1, b: 5, d: 4 }, [['b', 5], ['c'], ['d', 4]]],
  ['members of members', { a: { b: 1, c: 1 } }, { a: { b: 1, c: 2 } }, [['a.c', 2]]],
  ['lists as a whole', { a: [1, 2] }, { a: [1, 3] }, [['a', [1, 3]]]],
  ['a mapping that was empty as a whole', { a: {} }, { a: { b: 1 } }, [['a', { b: 1 }]]],
  ['a mapping that is empty then as a whole', { a: { b: 1 } }, { a: {} }, [['a', {}]]],
  ['a mapping in place of a value as a whole', { a: 1 }, { a: { b: 1 } }, [['a', { b: 1 }]]],
  ['a value in place of a mapping', { a: { b: 1 } }, { a: null }, [['a', null]]],
])('edits set %s', (_what, before, after, edits) => {
  expect(editsBetween(before, after, ['x'])).toEqual(
    edits.map(([path, value]) => ({ path: ['x', ...path.split('.')], value })),
  );
});

const { object } = fc.letrec<{ object: JsonObject }>((tie) => ({
  object: fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof({ maxDepth: 3 }, fc.nat(2), fc.constant(null), fc.array(fc.nat(2), { maxLength: 2 }), tie('object')),
  ) as fc.Arbitrary<JsonObject>,
}));

test('the edits between any two mappings, set one by one, lead from one to the other', () => {
  holds(200, [object, object], (before, after) => {
    const set = (
      value: JsonObject,
      { path, value: own }: { path: readonly (string | number)[]; value?: JsonValue | undefined },
    ): JsonObject => setIn(value, path.map(String), own) as JsonObject;
    // Something is left in the outermost mapping, which is otherwise removed with its last member.
    const [from, to] = [before, after].map((own) => ({ x: { kept: 1, ...own } }));
    expect(editsBetween(from?.x ?? {}, to?.x ?? {}, ['x']).reduce<JsonObject>(set, from ?? {})).toEqual(to);
  });
});

test('a member that is set is the value there, and the others stay', () => {
  holds(100, [object, fc.constantFrom('a', 'b', 'd'), fc.nat(5)], (value, name, own) => {
    const set = withMember(value, name, own);
    expect(set).toEqual({ ...value, [name]: own });
    expect(Object.keys(set).filter((one) => one !== name)).toEqual(Object.keys(value).filter((one) => one !== name));
    expect(Object.keys(set).indexOf(name)).toBe(
      Object.hasOwn(value, name) ? Object.keys(value).indexOf(name) : Object.keys(value).length,
    );
  });
});
