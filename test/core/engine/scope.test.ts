import { describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { matchKeys, matchKeyPatterns, matchScope, unmatchedPatterns } from '../../../src/core/engine/scope.ts';

/** The code, message and remedy of the error that `run` throws. */
function refusalOf(run: () => unknown): Pick<FlagwrightError, 'code' | 'message' | 'remedy'> {
  try {
    run();
  } catch (error) {
    if (error instanceof FlagwrightError) return { code: error.code, message: error.message, remedy: error.remedy };
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('key patterns', () => {
  it.each<[readonly string[], string, boolean]>([
    [[], 'a', false],
    [['a'], 'a', true],
    [['a'], 'ab', false],
    [['survey-*', 'x'], 'survey-1', true],
    [['x', 'survey-*'], 'survey-1', true],
    [['{a,b}-?'], 'b-1', true],
    [['{a,b}-?'], 'c-1', false],
    [['*'], '.hidden', true],
    [['*.x'], '.x', true],
  ])('%j match %s: %s', (patterns, key, matches) => {
    expect(matchKeys(patterns)(key)).toBe(matches);
  });

  it('are refused if invalid, quoting their first characters', () => {
    const pattern = `!${'a'.repeat(100)}`;
    expect(refusalOf(() => matchKeys(['a', pattern]))).toEqual({
      code: 'config_invalid',
      message: `The pattern ${pattern.slice(0, 80)} is not valid for flag keys.`,
      remedy:
        'Use `*`, `?`, `[ab]` and `{a,b}`, or several patterns. To match a special character itself, put `\\` before it.',
    });
  });
});

it('a permit matches its exact key, even one with special characters of patterns', () => {
  expect(matchKeyPatterns(['!a'])('!a')).toBe(true);
  expect(matchKeyPatterns(['!a', 'b*'])('bc')).toBe(true);
  expect(matchKeyPatterns(['!a'])('a')).toBe(false);
});

it.each<[readonly string[], readonly string[], readonly string[]]>([
  [[], ['a'], []],
  [['a', 'b'], ['a'], ['b']],
  [['a*', 'b*'], ['c', 'ab'], ['b*']],
  [['a'], [], ['a']],
])('for the patterns %j and the keys %j, the unmatched patterns are %j', (patterns, keys, unmatched) => {
  expect(unmatchedPatterns(patterns, keys)).toEqual(unmatched);
});

it.each<[string, readonly string[], readonly string[], boolean]>([
  ['a', ['*'], [], true],
  ['a', ['*'], ['a'], false],
  ['a', ['b'], [], false],
  ['a', ['b'], ['a'], false],
  ['a', [], [], false],
])('the key %s matches the scope that includes %j and excludes %j: %s', (key, include, exclude, matches) => {
  expect(matchScope({ include, exclude })(key)).toBe(matches);
});
