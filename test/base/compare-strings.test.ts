import { describe, expect, it } from 'vitest';
import { compareStrings, comparing } from '../../src/base/compare-strings.ts';

describe('strings', () => {
  it('are ordered by code unit, whatever the locale', () => {
    expect(['ä', 'b', 'B', 'a', '', 'ab'].sort(compareStrings)).toEqual(['', 'B', 'a', 'ab', 'b', 'ä']);
    expect(compareStrings('same', 'same')).toBe(0);
  });

  it('order the values that hold them', () => {
    expect([{ key: 'b' }, { key: 'a' }].sort(comparing(({ key }) => key))).toEqual([{ key: 'a' }, { key: 'b' }]);
  });
});
