import { describe, expect, it } from 'vitest';
import { isOpenRecord, splitRecord } from '../../src/review/impact/persons/read-persons.ts';

describe('splitRecord', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['', ['']],
    ['a,b', ['a', 'b']],
    ['a,', ['a', '']],
    ['"a,b","c ""d"""', ['a,b', 'c "d"']],
    ['"a\nb",""', ['a\nb', '']],
    ['a"b', undefined],
    ['"a"b', undefined],
    ['"a', undefined],
  ])('%j', (text, cells) => {
    expect(splitRecord(text)).toEqual(cells);
  });
});

describe('isOpenRecord', () => {
  it.each<[string, boolean, boolean]>([
    ['a,"b', false, true],
    ['a,"b ""', false, true],
    ['a,"b"', false, false],
    ['a"b', false, false],
    ['b', true, true],
    ['b",c', true, false],
    ['b","c', true, true],
  ])('%j, which begins inside a cell: %j', (line, isInside, expected) => {
    expect(isOpenRecord(line, isInside)).toBe(expected);
  });
});
