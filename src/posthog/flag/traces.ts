/** Reads the activity log for the flags that had a key, or the cohorts that had a name (docs/service.md, "Activity"). */

import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** A resource that the log names with a key or name. */
export interface LoggedHolder {
  readonly id: number;
  /** The time of the newest entry that names both: of the rename or the delete, if one ended the use of the name. */
  readonly at?: string;
}

/** The resources that had the key or were renamed to it, each once. `entries` and the result are the newest first. */
export function holdersIn(
  entries: readonly JsonObject[],
  key: string,
  field: 'key' | 'name' = 'key',
): readonly LoggedHolder[] {
  const holders = new Map<number, LoggedHolder>();
  for (const entry of entries) {
    const id = idOf(entry['item_id']);
    if (id === undefined || holders.has(id) || !names(entry, key, field)) continue;
    const at = entry['created_at'];
    holders.set(id, typeof at === 'string' ? { id, at } : { id });
  }
  return [...holders.values()];
}

/** A deleted flag may have its key with a suffix in the name, so the values of a changed key count too. */
function names({ detail }: JsonObject, key: string, field: string): boolean {
  if (!isJsonObject(detail)) return false;
  if (detail['name'] === key) return true;
  const changes = arrayOrEmpty(detail['changes']);
  return changes.some(
    (change) => isJsonObject(change) && change['field'] === field && [change['before'], change['after']].includes(key),
  );
}

function idOf(item: JsonValue | undefined): number | undefined {
  const id = typeof item === 'string' && /^\d{1,15}$/.test(item) ? Number(item) : item;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}
