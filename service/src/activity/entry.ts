/** Writes activity entries, in the transaction of the change that they record. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { ActivityScope } from '../store/activity.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { userOf } from '../handler/user.ts';

export interface LoggedActivity {
  readonly scope: ActivityScope;
  readonly itemId: number;
  readonly projectId: string;
  /** The item's name in the log. */
  readonly name: string;
  readonly activity: string;
  /** The changes in the interface's form; null if the entry has none. */
  readonly changes: JsonValue;
}

export function writeEntry(service: ServiceContext, written: LoggedActivity): void {
  const { store, now, randomUuid, client, trigger = null } = service;
  const { first_name = '', email = null } = userOf(service);
  const { scope, itemId, projectId, name, activity, changes } = written;
  const entry: JsonObject = {
    id: randomUuid(),
    user: { first_name, email },
    activity,
    scope,
    item_id: String(itemId),
    detail: { name, short_id: null, type: null, trigger, changes },
    created_at: formatTimestamp(now()),
    client: client ?? null,
  };
  store.activity.add(entry, { projectId, scope, itemId });
}
