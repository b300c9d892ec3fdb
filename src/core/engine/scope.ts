/** Selects resources by key pattern for `scope`, `protected` and `--target`; a target includes its dependencies. */

import { FlagwrightError } from '../../base/errors.ts';
import { reach } from '../../base/graph.ts';
import { keyGlob, keyGlobProblem } from '../../base/key-glob.ts';
import { familyOf, type Kind, type Model } from './kind.ts';

export type KeyMatcher = (key: string) => boolean;

/**
 * Matches a key that one of the patterns (`survey-*`, `{a,b}-?`) describes, or that is one of them; no pattern matches nothing.
 * @throws {FlagwrightError} `config_invalid` for a pattern that cannot be used.
 */
export function matchKeys(patterns: readonly string[]): KeyMatcher {
  for (const pattern of patterns) {
    if (keyGlobProblem(pattern) === undefined) continue;
    throw new FlagwrightError('config_invalid', `The pattern ${pattern.slice(0, 80)} is not valid for flag keys.`, {
      remedy:
        'Use `*`, `?`, `[ab]` and `{a,b}`, or several patterns. To match a special character itself, put `\\` before it.',
    });
  }
  return matchKeyPatterns(patterns);
}

/** The same for keys that somebody names: a key always matches itself, so no pattern is refused. */
export function matchKeyPatterns(patterns: readonly string[]): KeyMatcher {
  const matchers = patterns.map(keyGlob);
  return (key) => matchers.some((matches) => matches(key));
}

/** The patterns that match none of the keys; most are typing errors. */
export function unmatchedPatterns(patterns: readonly string[], keys: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => !keys.some(matchKeys([pattern])));
}

export interface Scope {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Matches the unmanaged flags that prune may delete and drift reports. */
export function matchScope(scope: Scope): KeyMatcher {
  const included = matchKeys(scope.include);
  const excluded = matchKeys(scope.exclude);
  return (key) => included(key) && !excluded(key);
}

/**
 * `--target` limits a run to a part of the desired state: matches the names that a pattern describes, and what these resources depend on.
 * Without targets, matches every name.
 */
export function matchTargets<M extends Model>(
  desired: ReadonlyMap<string, TargetedResource<M>>,
  targets: readonly string[] | undefined,
  { kinds, snapshot }: { readonly kinds: readonly Kind<M>[]; readonly snapshot?: M['snapshot'] },
): KeyMatcher {
  if (targets === undefined || targets.length === 0) return () => true;
  const named = matchKeys(targets);
  const dependenciesOf = (name: string): string[] => {
    const declared = desired.get(name);
    if (declared === undefined) return [];
    const own = kinds.filter((kind) => familyOf(kind) === declared.family);
    return own.flatMap((kind) => kind.dependencies?.(declared.resource, snapshot) ?? []);
  };
  const reached = reach([...desired.keys()].filter(named), (name) =>
    dependenciesOf(name).filter((to) => desired.has(to)),
  );
  return (name) => reached.has(name) || named(name);
}

export interface TargetedResource<M extends Model> {
  readonly family: string;
  readonly resource: M['desired'];
}
