/** How the strings of resource commands are read. */

import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import * as all from '../../../src/cli/resources/command.ts';

const UUID = '0188A2D0-7b3c-7e61-9f61-2f6f2f6a1c11';
const id = (text: string): unknown => all.PERSON_ID.parse?.(text, undefined as never);
const parsed = (parameter: { readonly parse?: unknown }, text: string, previous?: unknown): unknown =>
  (parameter.parse as (text: string, previous: unknown) => unknown)(text, previous);

test.each<[string, unknown]>([
  ['7', 7],
  ['123456789012345', 123_456_789_012_345],
  [UUID, UUID.toLowerCase()],
])('a person is %s', (text, value) => {
  expect([id(text), parsed(all.OPTIONAL_PERSON_ID, text)]).toEqual([value, value]);
});

test.each(['1234567890123456', '7x', 'x7', `${UUID}0`, `0${UUID}`, UUID.slice(1), '', '-7', '7.5'])(
  'no person is %j',
  (text) => {
    expect(() => id(text)).toThrow('It must be the number or the UUID of a person; `persons list` shows both.');
  },
);

test('a UUID is in small letters, and nothing else is one', () => {
  expect(parsed(all.uuid('<id>', 'x'), UUID)).toBe(UUID.toLowerCase());
  expect(() => parsed(all.uuid('<id>', 'x'), '7')).toThrow('It must be a UUID.');
});

test('members are added to those before, with values of JSON or else strings', () => {
  const members = all.members('--set <pair>', 'x');
  expect(parsed(members, 'a=5')).toEqual({ a: 5 });
  expect(parsed(members, 'b="5"', { a: 5 })).toEqual({ a: 5, b: '5' });
  expect(parsed(members, 'c=x=y', { a: 5 })).toEqual({ a: 5, c: 'x=y' });
  expect(parsed(members, 'a=', { a: 5 })).toEqual({ a: '' });
  expect(Object.keys(parsed(members, '__proto__=1') as object)).toEqual(['__proto__']);
  expect(all.jsonOrText('["a"]')).toEqual(['a']);
});

test('members of text are strings', () => {
  const members = all.textMembers('--set <pair>', 'x');
  expect(parsed(members, 'b=5', { a: 'x' })).toEqual({ a: 'x', b: '5' });
  expect(parsed(members, 'b=c=d')).toEqual({ b: 'c=d' });
});

test.each(['a', '=a', ''])('%j is no member', (text) => {
  for (const parameter of [all.members('--set <pair>', 'x'), all.textMembers('--set <pair>', 'x')])
    expect(() => parsed(parameter, text)).toThrow(new InvalidArgumentError('It must be NAME=VALUE.'));
});

test.each<[string, string]>([
  ['{', 'It must be JSON.'],
  ['[]', 'It must be a JSON object.'],
  ['null', 'It must be a JSON object.'],
  ['1', 'It must be a JSON object.'],
])('%s is no object', (text, message) => {
  for (const parameter of [all.jsonObject('--x <json>', 'x'), all.requiredJsonObject('--x <json>', 'x')])
    expect(() => parsed(parameter, text)).toThrow(new InvalidArgumentError(message));
});

test('an object and a list of objects are as they are written', () => {
  expect(parsed(all.jsonObject('--x <json>', 'x'), '{"a": [1]}')).toEqual({ a: [1] });
  expect(parsed(all.jsonObjects('--x <json>', 'x'), '[{"a": 1}, {}]')).toEqual([{ a: 1 }, {}]);
  for (const text of ['{}', '[1]', '[{}, []]'])
    expect(() => parsed(all.jsonObjects('--x <json>', 'x'), text)).toThrow('It must be a JSON array of objects.');
});

test('only an option that must be given is required', () => {
  expect([all.jsonObject('--x <json>', 'x').required, all.requiredJsonObject('--x <json>', 'x').required]).toEqual([
    undefined,
    true,
  ]);
});

test('--all overrides a limit', () => {
  expect(all.limitOf({ limit: 5 })).toBe(5);
  expect(all.limitOf({ limit: 5, all: true })).toBe(Infinity);
  expect([all.PAGING.limit.fallback, parsed(all.PAGING.limit, '1')]).toEqual([100, 1]);
  expect(() => parsed(all.PAGING.limit, '0')).toThrow(InvalidArgumentError);
});
