/** JSON values for people. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { blockLines, inlineValue } from '../../../src/report/words/values.ts';

describe('values', () => {
  test.each<[JsonValue, string]>([
    ['control', 'control'],
    ['true', '"true"'],
    ['two words', '"two words"'],
    ['', '""'],
    ['No', '"No"'],
    ['10', '"10"'],
    [10, '10'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [{ 'a b': [1, 'x'] }, '{ "a b": [1, x] }'],
  ])('%j is shown as %s', (value, text) => {
    expect(inlineValue(value)).toBe(text);
  });

  test('one line holds no line break, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(inlineValue(value as JsonValue)).not.toMatch(/[\p{Cc}\p{Zl}]/u);
        for (const line of blockLines(value as JsonValue)) expect(line).not.toMatch(/[\p{Cc}\p{Zl}]/u);
      }),
    );
  });

  test('values that differ are shown differently', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(inlineValue(a as JsonValue)).not.toBe(inlineValue(b as JsonValue));
      }),
    );
  });
});
