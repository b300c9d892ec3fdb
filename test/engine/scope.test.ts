import { describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { matchKeys, matchPermits, matchScope, unmatchedPatterns } from '../../src/engine/scope.ts';

/** What an error tells its reader. */
function refusalOf(run: () => unknown): Pick<FlagwrightError, 'code' | 'message' | 'remedy'> {
  try {
    run();
  } catch (error) {
    if (error instanceof FlagwrightError) return { code: error.code, message: error.message, remedy: error.remedy };
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('patterns for keys', () => {
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
  ])('%j and %s', (patterns, key, matches) => {
    expect(matchKeys(patterns)(key)).toBe(matches);
  });

  it('are refused where they cannot be used, by their beginning', () => {
    const pattern = `!${'a'.repeat(100)}`;
    expect(refusalOf(() => matchKeys(['a', pattern]))).toEqual({
      code: 'config_invalid',
      message: `The pattern ${pattern.slice(0, 80)} is not valid for flag keys.`,
      remedy:
        'Use `*`, `?`, `[ab]` and `{a,b}`, or several patterns. To match a special character itself, put `\\` before it.',
    });
  });
});

it('permits a key by its own spelling, whatever that is', () => {
  expect(matchPermits(['!a'])('!a')).toBe(true);
  expect(matchPermits(['!a', 'b*'])('bc')).toBe(true);
  expect(matchPermits(['!a'])('a')).toBe(false);
});

it.each<[readonly string[], readonly string[], readonly string[]]>([
  [[], ['a'], []],
  [['a', 'b'], ['a'], ['b']],
  [['a*', 'b*'], ['c', 'ab'], ['b*']],
  [['a'], [], ['a']],
])('of %j none describes %j but %j', (patterns, keys, unmatched) => {
  expect(unmatchedPatterns(patterns, keys)).toEqual(unmatched);
});

it.each<[string, readonly string[], readonly string[], boolean]>([
  ['a', ['*'], [], true],
  ['a', ['*'], ['a'], false],
  ['a', ['b'], [], false],
  ['a', ['b'], ['a'], false],
  ['a', [], [], false],
])('%s in the scope of %j without %j', (key, include, exclude, matches) => {
  expect(matchScope({ include, exclude })(key)).toBe(matches);
});
