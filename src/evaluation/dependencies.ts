/** Orders flags by their dependencies and finds those that cannot be evaluated. */

import type { Flag } from '../posthog/flag/model/flag.ts';
import { conditionsOf, propertiesOf } from './parts.ts';

/** Finds a flag by the name in a dependency: an id as a string (in stored filters) or a key (in definitions). */
export type FindFlag = (name: string) => Flag | undefined;

export interface DependencyOrder {
  /** Every flag follows its dependencies. */
  readonly ordered: readonly Flag[];
  /** Flags in a cycle, and flags that depend on a cycle or on a missing flag. */
  readonly broken: readonly Flag[];
}

export function createFinder(flags: readonly Flag[]): FindFlag {
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  return (name) => byId.get(name) ?? byKey.get(name);
}

/** The wanted flags and their dependencies. Iterative, since a chain may be as long as a project has flags. */
export function orderByDependencies(wanted: readonly Flag[], find: FindFlag): DependencyOrder {
  const { missing, dependents } = findEdges(wanted, find);
  const ordered = [...missing.keys()].filter((flag) => missing.get(flag) === 0);
  for (const flag of ordered) {
    for (const dependent of dependents.get(flag) ?? []) {
      const left = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, left);
      if (left === 0) ordered.push(dependent);
    }
  }
  const done = new Set(ordered);
  return { ordered, broken: [...missing.keys()].filter((flag) => !done.has(flag)) };
}

interface Edges {
  /** The number of dependencies without a value yet. A dependency that does not exist is never subtracted. */
  readonly missing: Map<Flag, number>;
  readonly dependents: ReadonlyMap<Flag, readonly Flag[]>;
}

function findEdges(wanted: readonly Flag[], find: FindFlag): Edges {
  const missing = new Map<Flag, number>();
  const dependents = new Map<Flag, Flag[]>();
  const found = [...wanted];
  for (const flag of found) {
    if (missing.has(flag)) continue;
    const names = listDependencies(flag);
    missing.set(flag, names.size);
    for (const dependency of [...names].map(find).filter((other) => other !== undefined)) {
      const known = dependents.get(dependency);
      if (known === undefined) dependents.set(dependency, [flag]);
      else known.push(flag);
      found.push(dependency);
    }
  }
  return { missing, dependents };
}

// A disabled flag is false regardless of its dependencies.
function listDependencies(flag: Flag): Set<string> {
  if (flag.active === false) return new Set();
  const properties = conditionsOf(flag.filters).flatMap(([, condition]) => propertiesOf(condition) ?? []);
  return new Set(properties.filter((property) => property.type === 'flag').map((property) => String(property.key)));
}
