import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { cellText, columnValue } from '../../src/report/columns.ts';

const RECORD: JsonObject = {
  id: 7,
  name: null,
  'user.email': 'own@example.org',
  user: { email: 'nested@example.org', 'first.name': 'Ada', deep: { er: [1, 'a'] } },
};

describe('the value of a column', () => {
  test.each<[string, JsonValue | undefined]>([
    ['id', 7],
    ['name', null],
    ['user.email', 'own@example.org'],
    ['user.first.name', 'Ada'],
    ['user.deep.er', [1, 'a']],
    ['user.nothing', undefined],
    ['id.nothing', undefined],
    ['toString', undefined],
    ['user.constructor', undefined],
    ['', undefined],
    ['.', undefined],
  ])('%s', (column, value) => {
    expect(columnValue(RECORD, column)).toEqual(value);
  });
});

test.each<[JsonValue | undefined, string]>([
  [undefined, ''],
  [null, ''],
  ['text', 'text'],
  [0, '0'],
  [9_007_199_254_740_993n, '9007199254740993'],
  [[9_007_199_254_740_993n], '9007199254740993'],
  [false, 'false'],
  [['a', 1, null], 'a, 1, '],
  [[], ''],
  [{ a: [1] }, '{"a":[1]}'],
  [[{ a: 1 }], '[{"a":1}]'],
])('the cell of %o is %j', (value, text) => {
  expect(cellText(value)).toBe(text);
});
