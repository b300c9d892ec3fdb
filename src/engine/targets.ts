/** `--target`: the part of the desired state that a run is limited to. */

import { reach } from '../base/graph.ts';
import type { Kind, Model } from './kind.ts';
import { matchKeys, type KeyMatcher } from './scope.ts';

/** Matches the keys that a pattern names, and those that these resources depend on. Without targets, every key. */
export function matchTargets<M extends Model>(
  desired: readonly M['desired'][],
  targets: readonly string[] | undefined,
  kinds: readonly Pick<Kind<M>, 'dependencies'>[],
): KeyMatcher {
  if (targets === undefined || targets.length === 0) return () => true;
  const named = matchKeys(targets);
  const byKey = new Map(desired.map((resource) => [resource.key, resource]));
  const dependenciesOf = (key: string): string[] => {
    const resource = byKey.get(key);
    return resource === undefined ? [] : kinds.flatMap((kind) => kind.dependencies?.(resource) ?? []);
  };
  const reached = reach([...byKey.keys()].filter(named), (key) => dependenciesOf(key).filter((to) => byKey.has(to)));
  return (key) => reached.has(key) || named(key);
}
