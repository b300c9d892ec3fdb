/** What people, jobs and applies changed in the service lately, as effects, from the newest entries of its activity log; and what waits there for people. */

import { groupBy } from '../../base/group.ts';
import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { instantText } from '../../base/times.ts';
import type { CatalogGap, FlagRequest, PastChange } from '../../catalog/catalog.ts';
import type { ListedRequest } from '../../core/engine/change-request.ts';
import { actorIn, parseLog, type LogEntry } from '../../posthog/authors/log-entry.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { comparableFlag } from '../../posthog/flag/comparison.ts';
import { withPayloadDigests } from '../../posthog/flag/model/encrypted-payloads.ts';
import { type Flag, keyOnceRestored } from '../../posthog/flag/model/flag.ts';
import { asUpdate, takeFlagSnapshot, type FlagSnapshot } from '../../posthog/flag/snapshot.ts';
import type { LiveState } from '../../posthog/live.ts';
import { changeRequestUrl } from '../../posthog/names/resource-name.ts';
import type { Plan } from '../../posthog/plan.ts';
import { findKnownRequests, isOpenRequest } from '../../posthog/planning/change-requests.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { findEffects, standingOf } from '../../review/effects/find-effects.ts';

export interface ServiceChange extends PastChange {
  /** An apply made it, whose commit may tell the same. */
  readonly isOfApply: boolean;
}

export interface ServiceChanges {
  /** By the id of the flag. */
  readonly changes: ReadonlyMap<number, readonly ServiceChange[]>;
  /** By the key of a flag that the service no longer has. */
  readonly deletions: ReadonlyMap<string, ServiceChange>;
  readonly gap?: CatalogGap;
}

/** Costs one request. */
export async function readServiceChanges(
  client: Pick<ServiceClient, 'projectFlagActivity'>,
  project: string,
  live: LiveState,
): Promise<ServiceChanges> {
  let results: readonly JsonObject[];
  try {
    ({ results } = await client.projectFlagActivity({ limit: NEWEST }));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    const isForbidden = error.failure.kind === 'forbidden';
    const unread = isForbidden ? ({ why: 'forbidden' } as const) : ({ why: 'failed', detail: error.message } as const);
    return { ...NO_CHANGES, gap: { what: 'service_changes', project, ...unread } };
  }
  const flags = takeFlagSnapshot(live);
  const found = new Map<number, ServiceChange[]>();
  const deletions = new Map<string, ServiceChange>();
  /** The flags as they were before the entries that were read, which are the newest. */
  const earlier = new Map<number, Flag>();
  for (const given of results) {
    const id = Number(given['item_id']);
    const flag = earlier.get(id) ?? flags.byId(id);
    const [entry] = parseLog([given]);
    if (entry === undefined) continue;
    const facts = {
      at: instantText(entry.at) ?? entry.at,
      source: 'service',
      isOfApply: isOfApply(entry),
      ...defined({ by: nameOf(given['user']) }),
    } as const;
    if (flag === undefined) {
      const name = objectOrEmpty(given['detail'])['name'];
      const key =
        typeof name === 'string' && isDeletion(entry)
          ? keyOnceRestored({ id, key: name, deleted: true } as Flag)
          : undefined;
      if (key !== undefined && !deletions.has(key)) deletions.set(key, { ...facts, effects: DELETED });
      continue;
    }
    const former = [...entry.changes].map(([field, { before }]) => [field, before] as const);
    earlier.set(id, { ...flag, ...Object.fromEntries(former) } as Flag);
    const effects = effectsOf(entry, flag, flags);
    if (effects === undefined) continue;
    found.set(id, [...(found.get(id) ?? []), { ...facts, effects }]);
  }
  const oldest = results.length < NEWEST ? undefined : parseLog(results).at(-1)?.at;
  const since = oldest && (instantText(oldest) ?? oldest);
  return { changes: found, deletions, ...(since && { gap: { what: 'service_changes_before', project, since } }) };
}

const NEWEST = 100;
export const NO_CHANGES = { changes: new Map(), deletions: new Map() } as const;

/** As of a plan that deletes it. */
const DELETED: PastChange['effects'] = [{ what: 'deleted', classes: ['delete'] }];

/** Services before 2025 log it as an update. */
function isDeletion({ activity, changes }: LogEntry): boolean {
  return activity === 'deleted' || changes.get('deleted')?.after === true;
}

function isOfApply(entry: LogEntry): boolean {
  return actorIn(entry).via === 'apply';
}

/** `flag`: as it was afterwards. `undefined`: nothing that people notice, or what a commit tells. */
function effectsOf(entry: LogEntry, flag: Flag, flags: FlagSnapshot): PastChange['effects'] | undefined {
  const side = (which: 'before' | 'after'): JsonObject => {
    const changed = [...entry.changes].map(([field, values]) => [field, values[which]] as const);
    return withPayloadDigests(comparableFlag({ ...flag, ...Object.fromEntries(changed) } as Flag, flags));
  };
  if (entry.activity === 'created') return isOfApply(entry) ? undefined : [standingOf(side('after'))];
  const change = asUpdate(flag, { before: side('before'), after: side('after') }, flags);
  return change.fields.length === 0 ? undefined : findEffects({ changes: [change], warnings: [] })[0]?.effects;
}

interface Planned {
  readonly plan: Pick<Plan, 'changes' | 'project'>;
  readonly live: LiveState;
}

/** By the key of the flag: those for what git asks for, and others that people have not decided. `all`: the flags that the service has. */
export function requestsOf(
  { plan, live }: Planned,
  listed: readonly ListedRequest[],
  all: readonly Flag[],
): ReadonlyMap<string, readonly FlagRequest[]> {
  if (listed.length === 0) return new Map();
  const known = findKnownRequests(plan, live, listed);
  const flags = takeFlagSnapshot({ ...live, flags: all });
  const others = listed.flatMap((request): readonly (FlagRequest & { readonly key: string })[] => {
    const { id, resourceId, key: asked = '', openedBy: by } = request;
    const flag = resourceId === undefined ? undefined : flags.byId(resourceId);
    // The approval of a creation does nothing once the service has the flag.
    const key = resourceId === undefined && flags.byKey(asked) === undefined ? asked : (flag?.key ?? '');
    // A creation is also told of another one that has to wait for it.
    const isTold = known.some((one) => one.id === id && (flag !== undefined || one.key === key));
    if (key === '' || isTold || !isOpenRequest(request)) return [];
    const url = changeRequestUrl(plan.project, id);
    const effects = effectsOfRequest(request, flag, flags);
    return [{ key, id, standing: { kind: 'open', ...defined({ by }) }, ...defined({ url, effects }) }];
  });
  return groupBy([...known, ...others].map(withShortName), ({ key }) => key);
}

/** `undefined`: the service does not say what it asks for. */
function effectsOfRequest(
  { asked }: ListedRequest,
  flag: Flag | undefined,
  flags: FlagSnapshot,
): FlagRequest['effects'] | undefined {
  const fields = asked?.();
  if (fields === undefined) return undefined;
  const formOf = (one: Flag): JsonObject => withPayloadDigests(comparableFlag(one, flags));
  if (flag === undefined) return [standingOf(formOf(fields as unknown as Flag))];
  const change = asUpdate(flag, { before: formOf(flag), after: formOf({ ...flag, ...fields } as Flag) }, flags);
  return findEffects({ changes: [change], warnings: [] })[0]?.effects;
}

function withShortName<Request extends FlagRequest>(request: Request): Request {
  const { standing } = request;
  if (!('by' in standing) || standing.by === undefined) return request;
  return { ...request, standing: { ...standing, by: shortName(standing.by) } };
}

/** An address without its host, since addresses are not for every reader. */
export function shortName(name: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(name) ? (name.split('@')[0] ?? name) : name;
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
