/** Chooses the dependencies that a copy creates in the target project. */

import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';
import { findLive, referencesOf, resolveReference } from './dependencies.ts';

export interface DependencyChoice {
  readonly source: StoredFlag;
  /** All dependencies of the source, each after its own. */
  readonly dependencies: readonly StoredFlag[];
  readonly targetId: string;
}

/**
 * The dependencies that the target project lacks, in the order of creation. Without one that is disabled, or whose own
 * dependencies are, nothing that leads to it is created: the copy drops the condition instead.
 */
export function chooseDependencies(store: Store, { source, dependencies, targetId }: DependencyChoice): StoredFlag[] {
  const isUsable = new Map<number, boolean>();
  const missing = new Set<number>();
  const direct = (flag: StoredFlag): StoredFlag[] =>
    referencesOf(flag.filters)
      .map((reference) => resolveReference(store, flag.projectId, reference))
      .filter((found) => found !== undefined);
  for (const flag of dependencies) {
    const existing = findLive(store.flags, targetId, flag.key);
    const canCreate = existing === undefined && direct(flag).every(({ id }) => isUsable.get(id) === true);
    isUsable.set(flag.id, flag.active && (existing?.active ?? canCreate));
    if (existing === undefined) missing.add(flag.id);
  }
  const needed = new Set<number>();
  const need = (flag: StoredFlag): void => {
    for (const dependency of direct(flag)) {
      if (isUsable.get(dependency.id) !== true || !missing.has(dependency.id) || needed.has(dependency.id)) continue;
      needed.add(dependency.id);
      need(dependency);
    }
  };
  need(source);
  return dependencies.filter(({ id }) => needed.has(id));
}
