/** Key patterns: which flags `scope`, `protected` and `--target` mean. */

import { FlaghoistError } from '../base/errors.ts';
import { keyGlob } from '../base/key-glob.ts';

export type KeyMatcher = (key: string) => boolean;

/**
 * Matches a key that one of the patterns (`survey-*`, `{a,b}-?`) describes; no pattern matches nothing.
 * @throws {FlaghoistError} `config_invalid` for a pattern that cannot be used.
 */
export function matchKeys(patterns: readonly string[]): KeyMatcher {
  const matchers = patterns.map((pattern) => {
    const matches = keyGlob(pattern, { dot: true });
    if (matches !== undefined) return matches;
    throw new FlaghoistError(
      'config_invalid',
      `The pattern ${pattern.slice(0, 80)} cannot be used for keys of flags.`,
      {
        remedy: 'Use fewer wildcards beside braces and brackets, and no parentheses; or several patterns.',
      },
    );
  });
  return (key) => matchers.some((matches) => matches(key));
}

export interface Scope {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The unmanaged flags that prune may touch and drift reports. */
export function matchScope(scope: Scope): KeyMatcher {
  const included = matchKeys(scope.include);
  const excluded = matchKeys(scope.exclude);
  return (key) => included(key) && !excluded(key);
}
