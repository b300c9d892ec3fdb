/** What was changed in the service lately, by people, jobs and applies, as effects, from the newest entries of its activity log. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { instantText } from '../../base/times.ts';
import type { PastChange } from '../../catalog/catalog.ts';
import { parseLog } from '../../posthog/authors/log-entry.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { comparableFlag } from '../../posthog/flag/comparison.ts';
import { withPayloadDigests } from '../../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { asUpdate, takeFlagSnapshot, type FlagSnapshot } from '../../posthog/flag/snapshot.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { findEffects } from '../../review/effects/find-effects.ts';

/** Costs one request. A key that may not read the log learns of none. */
export async function readServiceChanges(
  client: Pick<ServiceClient, 'projectFlagActivity'>,
  live: LiveState,
): Promise<ReadonlyMap<number, readonly PastChange[]>> {
  const answer = await client.projectFlagActivity({ limit: NEWEST }).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
  });
  const flags = takeFlagSnapshot(live);
  const found = new Map<number, PastChange[]>();
  for (const given of answer?.results ?? []) {
    const flag = flags.byId(Number(given['item_id']));
    const change = flag && changeOf(given, flag, flags);
    if (change !== undefined) found.set(flag!.id, [...(found.get(flag!.id) ?? []), change]);
  }
  return found;
}

const NEWEST = 100;

/** `undefined`: it changes nothing that people notice. */
function changeOf(given: JsonObject, flag: Flag, flags: FlagSnapshot): PastChange | undefined {
  const [entry] = parseLog([given]);
  if (entry === undefined || entry.activity === 'created') return undefined;
  const at = instantText(entry.at) ?? entry.at;
  const by = nameOf(given['user']);
  const facts = { at, source: 'service', ...defined({ by }) } as const;
  const side = (which: 'before' | 'after'): JsonObject => {
    const changed = [...entry.changes].map(([field, values]) => [field, values[which]] as const);
    return withPayloadDigests(comparableFlag({ ...flag, ...Object.fromEntries(changed) } as Flag, flags));
  };
  const change = asUpdate(flag, { before: side('before'), after: side('after') }, flags);
  const [found] = change.fields.length === 0 ? [] : findEffects({ changes: [change], warnings: [] });
  return found === undefined ? undefined : { ...facts, effects: found.effects };
}

/** A name where there is one, since addresses are not for every reader. */
function nameOf(user: JsonValue | undefined): string | undefined {
  if (!isJsonObject(user)) return undefined;
  const named = [user['first_name'], user['last_name']].flatMap((part) =>
    typeof part === 'string' && part !== '' ? [part] : [],
  );
  const { email } = user;
  if (named.length > 0) return named.join(' ');
  return typeof email === 'string' && email !== '' ? email.split('@')[0] : undefined;
}
