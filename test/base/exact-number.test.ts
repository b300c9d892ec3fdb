import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsRoundedNumber, isRounded } from '../../src/base/exact-number.ts';
import { holds } from '../helpers/runs.ts';

describe('a number as written', () => {
  it.each<[string, boolean]>([
    ['0', false],
    ['-0', false],
    ['0.0', false],
    ['0e5', false],
    ['1', false],
    ['-1', false],
    ['1.0', false],
    ['1.50', false],
    ['15e-1', false],
    ['0.1', false],
    ['0.00000123', false],
    ['1.23e-6', false],
    ['1E5', false],
    ['1e+5', false],
    ['100000', false],
    ['9007199254740991', false],
    ['9007199254740993', true],
    ['-9007199254740993', true],
    ['90071992547409921', true],
    ['12345678901234.5678', true],
    ['0.1000000000000000055', true],
    ['1e400', true],
    ['-1e400', true],
    ['1e-400', true],
    ['1e21', false],
    ['1000000000000000000000', false],
    ['1000000000000000000001', true],
  ])('%s is rounded: %j', (literal, rounded) => {
    expect(isRounded(literal)).toBe(rounded);
    expect(holdsRoundedNumber(literal)).toBe(rounded);
    expect(holdsRoundedNumber(`{"a": [1, ${literal}], "b": 2}`)).toBe(rounded);
    expect(holdsRoundedNumber(`{"a": "${literal}"}`)).toBe(false);
  });

  it('within a string is never rounded, whatever the string escapes', () => {
    expect(holdsRoundedNumber('"a\\"90071992547409921"')).toBe(false);
    expect(holdsRoundedNumber('["a\\\\", 90071992547409921]')).toBe(true);
    expect(holdsRoundedNumber('')).toBe(false);
  });

  it('by JavaScript is exact', () => {
    holds(100, [fc.double({ noNaN: true, noDefaultInfinity: true })], (number) => {
      expect(isRounded(JSON.stringify(number))).toBe(false);
    });
  });
});
