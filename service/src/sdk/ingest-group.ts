/** Handles a `$groupidentify` event: stores the group, and its type if it is new. */

import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';

/** The maximum of the real service, per project. */
const MOST_TYPES = 5;

export function ingestGroup({ store }: ServiceContext, projectId: string, properties: JsonObject): void {
  const { $group_type: type, $group_key: key, $group_set: set } = properties;
  if (typeof type !== 'string' || typeof key !== 'string' || type === '' || key === '') return;
  const types = Object.entries(store.groups.types(projectId));
  const index = types.find(([, name]) => name === type)?.[0];
  const typeIndex = index === undefined ? types.length : Number(index);
  if (typeIndex >= MOST_TYPES) return;
  if (index === undefined) store.groups.putType(projectId, typeIndex, type);
  const before = store.groups.find(projectId, typeIndex, key);
  const after = { ...before?.properties, ...(isJsonObject(set) && set) };
  const name = typeof after['name'] === 'string' ? after['name'] : (before?.name ?? key);
  store.groups.put(projectId, { typeIndex, key, name, properties: after });
}
