/** A flag's change under the keys that other flags have afterwards: a rename in the same plan must not look like another flag. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { FlagChange } from '../plan.ts';
import { mapReferences } from './references.ts';

export function renameDependencies<Made extends FlagChange>(change: Made, newKey: (key: string) => string): Made {
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
