/** Checks conditions on other flags, and finds the flags that depend on a flag. */

import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { allProperties, formatOf } from '../filters/conditions.ts';
import { invalidFilters } from '../filters/documented.ts';

/** The code of a refusal where the other flag has rules instead of conditions. */
const LATER_FORMAT = 'unsupported_dependency_config_version';

/**
 * Checks the dependencies that a flag has after the change, and those of the flags that it reaches: each is an id, exists, has
 * conditions and is enabled, and none leads back. Whether the flag itself is enabled makes no difference.
 */
export function checkDependencies(service: ServiceContext, flag: StoredFlag): void {
  const checked = new Set<number>();
  const visit = (current: StoredFlag, path: readonly number[]): void => {
    for (const key of dependencyKeys(current.filters)) {
      const dependency = checkDependency(service, flag.projectId, key);
      if (dependency.id === flag.id && path.length === 0) throw invalidFilters('the flag depends on itself');
      if (dependency.id === flag.id || path.includes(dependency.id))
        throw invalidFilters('the dependencies form a cycle');
      if (checked.has(dependency.id)) continue;
      visit(dependency, [...path, dependency.id]);
      checked.add(dependency.id);
    }
  };
  visit(flag, []);
}

function checkDependency(service: ServiceContext, projectId: string, key: string): StoredFlag {
  if (!/^\d+$/.test(key))
    throw invalidFilters(`a condition names the flag ${stringifyJson(key)} by key instead of by id`);
  const dependency = findDependency(service, projectId, key);
  if (dependency === undefined) throw invalidFilters(`a condition depends on the flag ${key}, which does not exist`);
  if (formatOf(dependency.filters) !== 'conditions') {
    throw invalid(LATER_FORMAT, `Invalid filters: the flag ${key} has rules instead of conditions.`, 'filters');
  }
  if (!dependency.active) throw invalidFilters(`a condition depends on the flag ${key}, which is disabled`);
  return dependency;
}

/** The ids, as strings, of the disabled dependencies of a flag. */
export function disabledDependencies(service: ServiceContext, flag: StoredFlag): string[] {
  return dependencyKeys(flag.filters).filter((key) => findDependency(service, flag.projectId, key)?.active === false);
}

/** The active flags that depend directly on this one. */
export function activeDependents({ store }: ServiceContext, flag: StoredFlag): StoredFlag[] {
  return store.flags
    .withDependencies(flag.projectId)
    .filter((other) => other.active && other.id !== flag.id && dependencyKeys(other.filters).includes(String(flag.id)));
}

function dependencyKeys(filters: JsonObject): string[] {
  const properties = allProperties(filters).filter(({ type }) => type === 'flag');
  return properties.map(({ key = null }) => plainText(key));
}

function findDependency({ store }: ServiceContext, projectId: string, key: string): StoredFlag | undefined {
  const found = /^\d{1,15}$/.test(key) ? store.flags.find(projectId, Number(key)) : undefined;
  return found?.deleted ? undefined : found;
}
