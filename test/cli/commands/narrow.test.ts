import { describe, expect, test } from 'vitest';
import { isWanted, sortFlags, type FlagFilter } from '../../../src/cli/commands/flags.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';

const flag = (fields: Partial<Flag> = {}): Flag => ({ id: 1, key: 'new-checkout', ...fields });

describe('a flag is wanted', () => {
  test.each<[string, FlagFilter, Partial<Flag>, boolean]>([
    ['without a filter', {}, {}, true],
    ['by a part of its key', { search: 'checkout' }, {}, true],
    ['by its description', { search: 'one page' }, { name: 'The one-page checkout' }, true],
    ['with spaces for dashes and underscores, in any case', { search: ' NEW CHECK ' }, { key: 'new_checkout' }, true],
    [
      'by a linked experiment',
      { search: 'colour' },
      { experiment_set_metadata: [{ id: 1 }, { id: 2, name: 'Colours' }] },
      true,
    ],
    ['not by another word', { search: 'search' }, {}, false],
    ['by its key in any case', { key: 'NEW-checkout' }, {}, true],
    ['not by a part of its key', { key: 'new' }, {}, false],
    ['if it is active', { active: true }, { active: true }, true],
    ['as active where the service does not say', { active: true }, {}, true],
    ['not if it is disabled', { active: true }, { active: false }, false],
    ['if it is archived', { archived: true }, { archived: true }, true],
    ['not as archived where the service has no archive', { archived: true }, {}, false],
  ])('%s', (_, filter, fields, wanted) => {
    expect(isWanted(flag(fields), filter)).toBe(wanted);
  });
});

describe('flags are sorted', () => {
  const sorted = (order: string, values: readonly unknown[], field: string): unknown[] =>
    sortFlags(
      values.map((value, index) => flag({ id: index, ...(value === undefined ? {} : { [field]: value as never }) })),
      order,
    ).map((one) => one[field]);

  test.each<[string, string, string, unknown[], unknown[]]>([
    ['by number', 'version', 'version', [10, 9, 1], [1, 9, 10]],
    ['descending', '-version', 'version', [10, 9, 11], [11, 10, 9]],
    ['by string', 'name', 'name', ['b', 'B', 'a'], ['B', 'a', 'b']],
    ['by true and false', 'active', 'active', [true, false, true], [false, true, true]],
    ['with flags that have no value last', 'name', 'name', [null, 'b', undefined, 'a'], ['a', 'b', null, undefined]],
    ['with flags that have no value last, descending too', '-name', 'name', [null, 'a', 'b'], ['b', 'a', null]],
    [
      'by the id of a person',
      'created_by',
      'created_by',
      [{ id: 2 }, { email: 'a' }, { id: 1 }],
      [{ id: 1 }, { id: 2 }, { email: 'a' }],
    ],
    ['by values of several types', 'x', 'x', ['b', 1, true], [1, 'b', true]],
    ['by lists', 'tags', 'tags', [['b'], ['a']], [['a'], ['b']]],
  ])('%s', (_, order, field, values, expected) => {
    expect(sorted(order, values, field)).toEqual(expected);
  });

  test('equal ones keep their order', () => {
    const flags = [flag({ id: 3, name: 'x' }), flag({ id: 1, name: 'x' })];
    expect(sortFlags(flags, 'name')).toEqual(flags);
  });

  test('no flag, any order', () => {
    expect(sortFlags([], 'nonsense')).toEqual([]);
  });

  test('a field that no flag has is an error', () => {
    expect(() => sortFlags([flag()], 'nonsense')).toThrow("No flag has a field 'nonsense' to sort by.");
  });
});
