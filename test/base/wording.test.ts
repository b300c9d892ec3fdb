import { describe as suite, expect, it } from 'vitest';
import {
  cycleText,
  exactDuration,
  sizeText,
  ERROR,
  describeWith,
  listed,
  quoted,
  shown,
  summarizeWith,
  type WordsFor,
} from '../../src/base/wording.ts';
import type { DiagnosticOf } from '../../src/base/diagnostic.ts';

interface Problems {
  'too-large': { readonly name: string };
  'too-small': { readonly name: string };
}

const WORDS: WordsFor<Problems> = {
  'too-large': { title: 'Large', severities: ERROR, hint: 'Shrink it.', message: ({ name }) => `${name} is large.` },
  'too-small': {
    title: 'Small',
    severities: ERROR,
    hint: 'Grow it.',
    message: ({ name }) => `${name} is small.`,
    remedy: ({ name }) => `Grow ${name}.`,
  },
};

const place = { file: 'a.yaml', line: 2, column: 3 };
const large: DiagnosticOf<Problems> = { code: 'too-large', severity: 'error', place, args: { name: 'a' } };
const small: DiagnosticOf<Problems> = { code: 'too-small', severity: 'error', place, args: { name: 'b' } };

suite('a diagnostic', () => {
  it('is described by its message and its hint', () => {
    expect(describeWith(WORDS, large)).toEqual({ message: 'a is large.', remedy: 'Shrink it.' });
  });

  it('is described by a specific remedy where its words have one', () => {
    expect(describeWith(WORDS, small)).toEqual({ message: 'b is small.', remedy: 'Grow b.' });
  });
});

suite('a summary', () => {
  it('is the message of the only error', () => {
    expect(summarizeWith(WORDS, [large, { ...small, severity: 'warning' }])).toBe('a is large.');
  });

  it('counts several errors and their files', () => {
    expect(summarizeWith(WORDS, [large, small])).toBe('2 errors in 1 file.');
    expect(summarizeWith(WORDS, [large, { ...small, place: { ...place, file: 'b.yaml' } }])).toBe(
      '2 errors in 2 files.',
    );
  });

  it('names no files where no error has a place', () => {
    const { place: _, ...nowhere } = large;
    expect(summarizeWith(WORDS, [nowhere, nowhere])).toBe('2 errors.');
  });
});

suite('a list in a sentence', () => {
  it.each([
    [[], ''],
    [['a'], '"a"'],
    [['a', 'b'], '"a" or "b"'],
    [['a', 'b', 'c'], '"a", "b" or "c"'],
  ])('of %j', (values, text) => {
    expect(listed(values)).toBe(text);
  });
});

suite('a string from a file', () => {
  it('is shortened', () => {
    expect(shown('x'.repeat(1000))).toBe(`${'x'.repeat(79)}…`);
  });

  it('has its control characters escaped', () => {
    expect(quoted('a\u001b[31m\n\u202e')).toBe('"a\\u001b[31m\\u000a\\u202e"');
  });

  it('shows no API key', () => {
    expect(shown('phx_abcdefghijklmnop')).toBe('[key]');
  });
});

suite('a cycle', () => {
  it.each([
    [['a', 'b', 'a'], 'a → b → a'],
    [['1', '2', '3', '4', '5', '6', '7', '1'], '1 → 2 → 3 → 4 → 5 → 6 → 7 → 1'],
    [['1', '2', '3', '4', '5', '6', '7', '8', '1'], '1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 …'],
  ])('of %j', (cycle, text) => {
    expect(cycleText(cycle)).toBe(text);
  });
});

suite('amounts', () => {
  it('are times in the units of people, exactly', () => {
    const told = [5, 30_000, 899_000, 900_000, 7_200_000].map(exactDuration);
    expect(told).toEqual(['5 ms', '30 s', '14 min 59 s', '15 min', '120 min']);
  });

  it('are sizes in the units of people, of which what exceeds a limit has more', () => {
    const told = [999, 1_000_000, 1_000_001, 64_000_000, 524_288, 3_000_000_000].map(sizeText);
    expect(told).toEqual(['999 bytes', '1 MB', '1.1 MB', '64 MB', '524.3 KB', '3 GB']);
  });
});
