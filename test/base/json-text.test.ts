import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactNumber, isRounded, LongDecimal } from '../../src/base/exact-number.ts';
import { parseJson, stringifyJson } from '../../src/base/json-text.ts';
import {
  canonicalText,
  isJsonObject,
  jsonEquals,
  longDecimalIn,
  nestsWithin,
  type JsonValue,
} from '../../src/base/json.ts';
import { holds } from '../helpers/runs.ts';

const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength }).map((list) => list.join(''));

/** JSON number literals of any length. */
const literal: fc.Arbitrary<string> = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      fc.tuple(fc.integer({ min: 1, max: 9 }), digits(0, 25)).map(([first, rest]) => `${first}${rest}`),
      fc.constantFrom('9007199254740992', '9007199254740993', '100000000000000000000', '1152921504606846976'),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digits(1, 25).map((text) => `.${text}`),
    ),
    exponent: fc.constantFrom('', 'e5', 'E+20', 'e-7', 'e300', 'e-300', 'e400', 'e-400', 'e00001'),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction}${exponent}`);

const number = literal.map(exactNumber);

/** Values with long numbers, and with strings and names that look like numbers or like their marks. */
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    number as fc.Arbitrary<JsonValue>,
    fc.constantFrom<JsonValue>(null, true, 'number-0:1', 'number-1:9007199254740993', '12345678901234567890', '\\"'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom('__proto__', 'number-0:', '1'), fc.string()), tie('value')), {
        maxLength: 3,
      })
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

describe('JSON text', () => {
  it('of any value parses to the same value, with every digit', () => {
    holds(500, [value, fc.constantFrom(undefined, 2)], (before, space) => {
      const after = parseJson(stringifyJson(before, space));
      expect(jsonEquals(after, before)).toBe(true);
      expect(canonicalText(after)).toBe(canonicalText(before));
      expect(stringifyJson(after)).toBe(stringifyJson(before));
    });
  });

  it('without long numbers is read and written as JavaScript does', () => {
    holds(300, [fc.jsonValue(), fc.constantFrom(undefined, 2)], (any, space) => {
      const text = JSON.stringify(any, null, space);
      expect(stringifyJson(any, space)).toBe(text);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    });
  });

  it('is refused exactly when JavaScript refuses it', () => {
    const parses = (parse: (text: string) => unknown, text: string): boolean => {
      try {
        parse(text);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return false;
      }
    };
    const pieces = fc.constantFrom('[', ']', ',', '"', '\\', '-', '.', 'e5', '0', '12345678901234567890', ' ', '1');
    holds(500, [fc.array(pieces, { maxLength: 8 })], (parts) => {
      const text = parts.join('');
      expect(parses(parseJson, text)).toBe(parses(JSON.parse, text));
    });
  });

  it.each<[string, JsonValue]>([
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['9007199254740992', 9_007_199_254_740_992],
    ['90071992547409930e-1', 9_007_199_254_740_993n],
    ['9007199254740993.0', 9_007_199_254_740_993n],
    ['1e20', 1e20],
    ['100000000000000000000', 1e20],
    ['1e400', 10n ** 400n],
    ['0.1', 0.1],
    ['-0', -0],
    [' [ 9007199254740993 ] ', [9_007_199_254_740_993n]],
    ['{"a":9007199254740993,"a":1}', { a: 1 }],
    ['"9007199254740993"', '9007199254740993'],
    ['{"9007199254740993":"a\\"9007199254740993"}', { '9007199254740993': 'a"9007199254740993' }],
  ])('%s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each(['1.00000000000000000001', '1e-400', '-1e5000', '0.3000000000000000000001'])('%s is kept', (text) => {
    const parsed = parseJson(`{"a":[${text}]}`);
    expect(stringifyJson(parsed)).toBe(`{"a":[${text}]}`);
    expect(longDecimalIn(parsed)).toBe('/a/0');
    expect(nestsWithin(parsed, 2)).toBe(true);
  });

  it('keeps a member called __proto__ beside a long number', () => {
    const text = '{"__proto__":{"a":9007199254740993}}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it('is read in reasonable time, however long its strings and numbers are', () => {
    const text = JSON.stringify([
      '\\'.repeat(500_000),
      Array.from({ length: 100_000 }, (_, index) => `number-${index}:`).join(''),
      '9'.repeat(100_000),
    ]);
    const long = `[${'9'.repeat(500_000)},1e${'9'.repeat(500_000)},0.${'0'.repeat(500_000)}1,${text}]`;
    expect(stringifyJson(parseJson(long))).toBe(long);
  });

  it('throws the same error as JavaScript for a cycle', () => {
    const circle: Record<string, unknown> = {};
    circle['a'] = circle;
    expect(() => stringifyJson(circle)).toThrow(TypeError);
  });
});

describe('numbers', () => {
  it('have one form: a double if it holds the number, else a bigint for an integer', () => {
    holds(500, [literal], (text) => {
      const exact = exactNumber(text);
      expect(typeof exact === 'number').toBe(!isRounded(text));
      if (typeof exact === 'bigint') expect(isRounded(String(exact))).toBe(true);
      expect(jsonEquals(exactNumber(String(exact)), exact)).toBe(true);
      expect(isJsonObject(exact)).toBe(false);
    });
  });

  it.each([
    ['1.500', '15e-1'],
    ['1.000000000000000000010', '100000000000000000001e-20'],
    ['9007199254740993', '9007199254740993.000'],
    ['-1e400', '-10e399'],
    ['0', '-0.0e7'],
  ])('%s and %s are the same number', (a, b) => {
    expect(jsonEquals(exactNumber(a), exactNumber(b))).toBe(true);
    expect(canonicalText(exactNumber(a))).toBe(canonicalText(exactNumber(b)));
  });

  it.each([
    ['1.00000000000000000001', '1.00000000000000000002'],
    ['1.00000000000000000001', '1'],
    ['9007199254740993', '9007199254740992'],
    ['1e400', '-1e400'],
    ['1e-400', '0'],
  ])('%s and %s are different numbers', (a, b) => {
    expect(jsonEquals(exactNumber(a), exactNumber(b))).toBe(false);
    expect(canonicalText(exactNumber(a))).not.toBe(canonicalText(exactNumber(b)));
  });

  it('are not objects', () => {
    const long = new LongDecimal('1.00000000000000000001');
    expect(jsonEquals(long, {})).toBe(false);
    expect(jsonEquals({}, long)).toBe(false);
    expect(String(long)).toBe('1.00000000000000000001');
    expect(() => JSON.stringify(long)).toThrow(TypeError);
  });
});
