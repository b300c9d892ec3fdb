import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { isSmall, joinTypes, meetTypes, typeOf, type Type } from '../../../src/code/generate/type.ts';

const STRING: Type = { kind: 'string' };
const NUMBER: Type = { kind: 'number' };
const UNKNOWN: Type = { kind: 'unknown' };
const NOTHING: Type = { kind: 'union', types: [] };
const literal = (value: string): Type => ({ kind: 'literal', value });
const listOf = (elements?: Type): Type => ({ kind: 'array', ...(elements === undefined ? {} : { elements }) });
const object = (members: Readonly<Record<string, Type>>, rest?: Type): Type => ({
  kind: 'object',
  members: new Map(Object.entries(members).map(([name, type]) => [name, { type, optional: false }])),
  ...(rest === undefined ? {} : { rest }),
});

describe('what has both of two types has the type', () => {
  test.each<[what: string, a: Type, b: Type, both: Type]>([
    ['of the other one, if nothing is known', UNKNOWN, STRING, STRING],
    ['of the same', STRING, STRING, STRING],
    ['of a literal, if it is one', STRING, literal('x'), literal('x')],
    ['of the same literal', literal('x'), literal('x'), literal('x')],
    ['of nothing, of two literals', literal('x'), literal('y'), NOTHING],
    ['of nothing, of a string and a number', STRING, NUMBER, NOTHING],
    ['of nothing, of a string and an object', STRING, object({}), NOTHING],
    ['of nothing, of an array and an object', listOf(STRING), object({ a: STRING }), NOTHING],
    [
      'of what the lists have in common',
      listOf({ kind: 'union', types: [STRING, NUMBER] }),
      listOf(STRING),
      listOf(STRING),
    ],
    ['of a list, if nothing is known of its elements', listOf(), listOf(STRING), listOf(STRING)],
    [
      'of the common part of a union',
      { kind: 'union', types: [STRING, listOf()] },
      { kind: 'union', types: [NUMBER, STRING] },
      STRING,
    ],
  ])('%s', (_, a, b, both) => {
    expect(meetTypes(a, b)).toEqual(both);
    expect(meetTypes(b, a)).toEqual(both);
  });

  test('with the members of both objects: one that either requires is required', () => {
    const both = meetTypes(object({ a: STRING, b: literal('x') }), object({ b: STRING, c: NUMBER }));
    expect(both.kind === 'object' ? [...both.members] : []).toEqual([
      ['a', { type: STRING, optional: false }],
      ['b', { type: literal('x'), optional: false }],
      ['c', { type: NUMBER, optional: false }],
    ]);
  });
});

test.each<[JsonValue, Type]>([
  [null, { kind: 'null' }],
  ['x', STRING],
  [true, { kind: 'boolean' }],
  [1, NUMBER],
  [[], listOf()],
  [[1, 2], listOf(NUMBER)],
  [{ b: 1, a: 'x' }, object({ a: STRING, b: NUMBER })],
])('the type of %j', (value, type) => {
  expect(typeOf(value)).toEqual(type);
});

test('a value that is too deep has no type, and a type that is too long is not small', () => {
  const nested = (levels: number): JsonValue => Array.from({ length: levels }).reduce<JsonValue>((value) => [value], 1);
  expect(typeOf(nested(29))).toMatchObject({ kind: 'array' });
  expect(typeOf(nested(40))).toBeUndefined();
  const long = (count: number): Type =>
    object(Object.fromEntries(Array.from({ length: count }, (_, one) => [`m${one}`, STRING])));
  expect([isSmall(long(100)), isSmall(long(400))]).toEqual([true, false]);
  expect(meetTypes(long(400), object({ a: STRING }))).toEqual(long(400));
});

test('several objects have a member of one if it is optional, and values of no type have an unknown one', () => {
  expect(joinTypes([])).toEqual(UNKNOWN);
  const joined = joinTypes([object({ a: STRING }), object({ a: NUMBER, b: STRING })]);
  const members = joined.kind === 'object' ? [...joined.members].map(([name, { optional }]) => [name, optional]) : [];
  expect(members).toEqual([
    ['a', false],
    ['b', true],
  ]);
});
