import { expect, expectTypeOf, test } from 'vitest';
import { defined } from '../../src/base/optional.ts';

test('members without a value are absent', () => {
  expect(Object.keys(defined({ a: undefined, b: 1, c: undefined }))).toEqual(['b']);
});

test('values that are not undefined stay, in their order', () => {
  const values = { z: null, y: 0, x: '', w: false };
  expect(Object.entries(defined(values))).toEqual(Object.entries(values));
});

test('members that may be undefined become optional members', () => {
  const name = undefined as string | undefined;
  const named: { readonly id: number; readonly name?: string } = defined({ id: 1, name });
  expect(named).toEqual({ id: 1 });
  expectTypeOf(defined({ id: 1, name }).name).toEqualTypeOf<string | undefined>();
});
