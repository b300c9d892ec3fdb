/** Reads the activity log for the flags that had a key (docs/service.md, "Activity"). */

import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** A flag that the log names with a key. */
export interface LoggedHolder {
  readonly id: number;
  /** Time of the newest entry that names both: of a rename or a delete, where one ended it. */
  readonly at?: string;
}

/** The flags that had the key or were renamed to it, each once; `entries` are the newest first, and so is the answer. */
export function holdersIn(entries: readonly JsonObject[], key: string): readonly LoggedHolder[] {
  const holders = new Map<number, LoggedHolder>();
  for (const entry of entries) {
    const id = idOf(entry['item_id']);
    if (id === undefined || holders.has(id) || !names(entry, key)) continue;
    const at = entry['created_at'];
    holders.set(id, typeof at === 'string' ? { id, at } : { id });
  }
  return [...holders.values()];
}

/** A deleted flag may have its key with a suffix in the name, so the values of a changed key count too. */
function names({ detail }: JsonObject, key: string): boolean {
  if (!isJsonObject(detail)) return false;
  if (detail['name'] === key) return true;
  const changes = arrayOrEmpty(detail['changes']);
  return changes.some(
    (change) => isJsonObject(change) && change['field'] === 'key' && [change['before'], change['after']].includes(key),
  );
}

function idOf(item: JsonValue | undefined): number | undefined {
  const id = typeof item === 'string' && /^\d{1,15}$/.test(item) ? Number(item) : item;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}
