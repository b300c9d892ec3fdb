/** Changes under the keys that flags will have: a rename in the same plan must not look like another flag. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { mapReferences } from './references.ts';
import type { KeyOfFlag } from './comparison.ts';
import type { Change, FlagChange } from '../plan.ts';

/** The key that each flag has once these changes are made; `keyOfFlag` gives the key that it has now. */
export function keysAfter(changes: readonly Change[], keyOfFlag: KeyOfFlag): KeyOfFlag {
  const changed = new Map(
    changes.flatMap((change) => ('id' in change && change.resource === 'flag' ? [[change.id, change.key]] : [])),
  );
  return (id) => changed.get(id) ?? keyOfFlag(id);
}

/** Role changes and dependencies by the keys that flags have afterwards, where they name flags by the keys of now. */
export function underNewKeys(changes: readonly Change[], keyOfFlag: KeyOfFlag): readonly Change[] {
  const renamed = new Map(
    changes.flatMap((change): [string, string][] => {
      const now = change.resource === 'flag' && change.action !== 'create' ? keyOfFlag(change.id) : undefined;
      return now === undefined || now === change.key ? [] : [[now, change.key]];
    }),
  );
  if (renamed.size === 0) return changes;
  const newKey = (key: string): string => renamed.get(key) ?? key;
  return changes.map((change) => {
    if (change.resource === 'flag') return withDependencies(change, newKey);
    const key = newKey(change.key);
    return { ...change, key, ref: `role_access:${key}:${change.role.id}` };
  });
}

function withDependencies<Made extends FlagChange>(change: Made, newKey: (key: string) => string): Made {
  const body = mapFilters(change.body, newKey);
  if (change.action === 'create') return { ...change, body };
  const { flag, former, version } = change.base;
  return { ...change, body, base: { version, flag: mapFilters(flag, newKey), former: mapFilters(former, newKey) } };
}

function mapFilters(fields: JsonObject, newKey: (key: string) => string): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const flag = (key: string | number): string | number => (typeof key === 'string' ? newKey(key) : key);
  return { ...fields, filters: mapReferences(filters, { flag }) };
}
