/**
 * Finds edits by people of fields that no manifest declares, so that drift does not compare them: those that this release does not know, whose
 * values may change by themselves, and those that an export omits while they have a default. The activity log tells which values were edited.
 */

import { jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { actorIn, parseLog } from '../authors/log-entry.ts';
import type { ActivityEntry } from '../client/operations/flag-insight.ts';
import { ServiceError } from '../client/service-error.ts';
import type { DesiredFlag } from '../desired.ts';
import { chosenFields } from '../flag/layout.ts';
import { KNOWN_FIELDS } from '../flag/model/fields.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { ServiceClient } from '../service-client.ts';

export interface UnmanagedEdit {
  /** The key of the flag. */
  readonly key: string;
  /** The name in the interface. */
  readonly field: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** ISO 8601, as the service wrote it. */
  readonly at: string;
  /** E-mail address or name. */
  readonly by?: string;
}

const NEWEST_ENTRIES = 100;

/**
 * The last edit of each field among the newest entries of the project's log, as long as the flag still has its value. One request, if a
 * declared flag has such a field; none are found where the key may not read the log.
 */
export async function findUnmanagedEdits(
  client: Pick<ServiceClient, 'projectFlagActivity'>,
  live: readonly Flag[],
  desired: readonly DesiredFlag[],
): Promise<readonly UnmanagedEdit[]> {
  const declared = new Map(desired.map((flag) => [flag.key, flag.kind === 'declared' ? flag.fields : {}]));
  const asked = live.flatMap((flag) => {
    const fields = undeclaredFields(flag, declared.get(flag.key));
    return fields.length === 0 ? [] : [{ flag, fields }];
  });
  if (asked.length === 0) return [];
  const entries = await readNewest(client);
  return asked.flatMap(({ flag, fields }) => {
    const own = parseLog(entries.filter(({ item_id: id }) => String(id) === String(flag.id)));
    return fields.flatMap((field): UnmanagedEdit[] => {
      const last = own.find(({ changes }) => changes.has(field));
      const change = last?.changes.get(field);
      if (last === undefined || change === undefined || last.activity !== 'updated') return [];
      const { by, via } = actorIn(last);
      const isByPerson = via === 'web_or_key' || via === 'api_client' || via === 'staff';
      if (!isByPerson || !jsonEquals(change.after, memberOf(flag, field) ?? null)) return [];
      return [{ key: flag.key, field, before: change.before, after: change.after, at: last.at, ...defined({ by }) }];
    });
  });
}

function undeclaredFields(flag: Flag, declared: JsonObject | undefined): readonly string[] {
  if (declared === undefined) return [];
  const unknown = Object.keys(flag).filter((field) => !KNOWN_FIELDS.has(field));
  return [...unknown, ...chosenFields(flag)].filter((field) => !Object.hasOwn(declared, field));
}

async function readNewest(client: Pick<ServiceClient, 'projectFlagActivity'>): Promise<readonly ActivityEntry[]> {
  try {
    return (await client.projectFlagActivity({ limit: NEWEST_ENTRIES })).results;
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind !== 'aborted') return [];
    throw error;
  }
}
