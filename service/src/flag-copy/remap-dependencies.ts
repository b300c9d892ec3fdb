/** Points conditions on other flags to the flags of the target project, and drops those that cannot hold there. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Store } from '../store/store.ts';
import { canEdit } from '../flags/serialise.ts';
import { findLive, referenceOf, resolveReference } from './dependencies.ts';
import type { CopyProjects } from './copy-cohorts.ts';

export interface Remapped {
  readonly filters: JsonObject;
  /** One for each dropped condition, and for each that then has no properties left. */
  readonly warnings: readonly string[];
}

/** The keys of flags are the same in all projects, their ids are not. */
export function remapDependencies(store: Store, filters: JsonObject, projects: CopyProjects): Remapped {
  const warnings: string[] = [];
  const changed = arrayOrEmpty(filters['groups']).map((group) => {
    if (!isJsonObject(group) || !isJsonArray(group['properties'])) return group;
    const kept = group['properties'].flatMap((property): JsonValue[] => {
      if (!isJsonObject(property) || property['type'] !== 'flag') return [property];
      const { key = null } = property;
      const outcome = remapOne(store, key, projects);
      if ('key' in outcome) return [{ ...property, key: outcome.key }];
      warnings.push(outcome.warning);
      return [];
    });
    if (kept.length === 0 && group['properties'].length > 0) {
      warnings.push('A condition has no properties left and matches everyone; check it before the flag is enabled.');
    }
    return { ...group, properties: kept };
  });
  return { filters: { ...filters, groups: changed }, warnings };
}

function remapOne(
  store: Store,
  key: JsonValue,
  { sourceId, targetId }: CopyProjects,
): { readonly key: string } | { readonly warning: string } {
  const reference = referenceOf(key);
  const source = reference === undefined ? undefined : resolveReference(store, sourceId, reference);
  if (source === undefined || !canEdit(source)) {
    return {
      warning: `Removed the dependency ${stringifyJson(key)}, which could not be resolved in the source project.`,
    };
  }
  const dropped = `Removed the dependency on ${stringifyJson(source.key)}`;
  if (!source.active) return { warning: `${dropped}, which is disabled in the source project.` };
  const target = findLive(store.flags, targetId, source.key);
  if (target === undefined) return { warning: `${dropped}: the target project has no flag with that key.` };
  if (!target.active) return { warning: `${dropped}, which is disabled in the target project.` };
  return { key: String(target.id) };
}
