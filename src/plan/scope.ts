/** Key patterns: which flags `scope`, `protected` and `--target` mean. */

import picomatch from 'picomatch';

export type KeyMatcher = (key: string) => boolean;

/** Matches a key that one of the patterns (`survey-*`, `{a,b}-?`) describes; no pattern matches nothing. */
export function matchKeys(patterns: readonly string[]): KeyMatcher {
  return patterns.length === 0 ? () => false : picomatch([...patterns], { dot: true });
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
