/** `--target`: the part of the desired state that a run is limited to. */

import { reach } from '../base/graph.ts';
import { familyOf, type Kind, type Model } from './kind.ts';
import { matchKeys, type KeyMatcher } from './scope.ts';

/** Matches the names that a pattern describes, and those that these resources depend on. Without targets, every name. */
export function matchTargets<M extends Model>(
  desired: ReadonlyMap<string, TargetedResource<M>>,
  targets: readonly string[] | undefined,
  kinds: readonly Kind<M>[],
): KeyMatcher {
  if (targets === undefined || targets.length === 0) return () => true;
  const named = matchKeys(targets);
  const dependenciesOf = (name: string): string[] => {
    const declared = desired.get(name);
    if (declared === undefined) return [];
    const own = kinds.filter((kind) => familyOf(kind) === declared.family);
    return own.flatMap((kind) => kind.dependencies?.(declared.resource) ?? []);
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
