/** Reads what a plan is about once more, right before it is applied. */

import type { LiveState } from '../model/live.ts';
import type { Change, Plan } from '../plan/plan.ts';
import type { ServiceClient } from '../service/client.ts';
import { readLiveState } from '../service/live-state.ts';

export async function readAgain({ changes }: Plan, client: ServiceClient): Promise<LiveState> {
  if (changes.length === 0) return { flags: [], roleAccess: {} };
  const formerKeys = new Map(changes.flatMap(formerKey));
  const liveKey = ({ key }: Change): string => formerKeys.get(key) ?? key;
  return readLiveState(client, {
    keys: changes.filter((change) => change.action !== 'create').map(liveKey),
    roleAccessOf: changes.flatMap((change) => (change.resource === 'role_access' ? [change.key, liveKey(change)] : [])),
    ids: changes.flatMap((change) => (change.action === 'restore' ? [change.id] : [])),
  });
}

/** The key under which the plan saw a flag that it renames, by the key that the flag gets. */
function formerKey(change: Change): [string, string][] {
  if (change.resource !== 'flag' || change.action === 'create') return [];
  const { key } = change.base.flag;
  return typeof key === 'string' && key !== change.key ? [[change.key, key]] : [];
}
