/**
 * Finds the flags that had keys which no listed flag has, in the records of earlier runs and in the activity log. A create with the key of
 * a soft-deleted flag would destroy it. (docs/service.md, "Create")
 */

import { idOf } from './model/references.ts';
import { type JsonObject, arrayOrEmpty, isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { OfId, ResourceId } from '../../core/engine/snapshot.ts';
import type { FormerHolder, Trace, UnknownReason } from '../../core/engine/trace.ts';
import type { Traced } from '../family.ts';
import type { Flag } from './model/flag.ts';
import type { ServiceClient } from '../service-client.ts';
import type { ActivityPage } from '../client/operations/flag-insight.ts';
import { ServiceError, unlessNotFound } from '../client/service-error.ts';

/** The ids of flags that earlier runs wrote under these keys, where they know one. */
export type FindRecorded = (keys: readonly string[]) => Promise<ReadonlyMap<string, ResourceId>>;

/** `listed`: every flag that was read already. Nothing is requested if no key is missing. */
export async function findTraces(
  client: ServiceClient,
  keys: readonly string[],
  { listed, findRecorded }: { readonly listed: readonly Flag[]; readonly findRecorded?: FindRecorded },
): Promise<Traced<Flag>> {
  const ids = keys.length === 0 ? undefined : await findRecorded?.(keys);
  return findFormerHolders<Flag>(keys, {
    listed,
    recorded: ids ?? new Map<string, ResourceId>(),
    find: (id) => findFlag(client, Number(id)),
    readPage: (page) => client.projectFlagActivity({ limit: ENTRIES_PER_PAGE, page }),
    holdersIn,
  });
}

/** The place to search for former holders of a key. */
export interface TraceSearch<Live extends { readonly id: ResourceId }> {
  readonly listed: readonly Live[];
  readonly recorded: ReadonlyMap<string, ResourceId>;
  readonly find: OfId<Promise<Live | undefined>>;
  /** A page of the activity of all resources, counted from 1. */
  readonly readPage: (page: number) => Promise<ActivityPage>;
  readonly holdersIn: (entries: readonly JsonObject[], key: string) => readonly LoggedHolder[];
}

export async function findFormerHolders<Live extends { readonly id: ResourceId }>(
  keys: readonly string[],
  { listed, recorded, find, readPage, holdersIn: holdersOf }: TraceSearch<Live>,
): Promise<Traced<Live>> {
  if (keys.length === 0) return { traces: [], found: [] };
  // Reads each resource at most once.
  const read = new Map<ResourceId, Promise<Live | undefined>>(listed.map((live) => [live.id, (async () => live)()]));
  const lookUp = async (id: ResourceId): Promise<Live | undefined> => {
    const live = read.get(id) ?? find(id);
    read.set(id, live);
    return live;
  };
  // The first that exists. One that was destroyed, or that this API key may not see, is none.
  const follow = async (
    key: string,
    holders: readonly { readonly id: ResourceId; readonly at?: string }[],
    evidence: FormerHolder['evidence'],
  ): Promise<FormerHolder | undefined> => {
    for (const { id, at } of holders) {
      const live = await lookUp(id).catch((error: unknown) => void whyUnread(error));
      if (live !== undefined) return { kind: 'former', key, id, evidence, ...defined({ since: at }) };
    }
    return undefined;
  };
  const known = await Promise.all(
    keys.map((key) => {
      const id = recorded.get(key);
      return follow(key, id === undefined ? [] : [{ id }], 'recorded');
    }),
  );
  const former = known.filter((trace) => trace !== undefined);
  const open = keys.filter((key) => !former.some((trace) => trace.key === key));
  const logged = await searchLog(open, readPage, (key, entries) =>
    follow(key, holdersOf(entries, key).slice(0, MOST_HOLDERS), 'logged'),
  );
  const traces = [...former, ...logged];
  const named = new Set(traces.flatMap((trace) => (trace.kind === 'former' ? trace.id : [])));
  for (const { id } of listed) named.delete(id);
  const found = await Promise.all([...named].map(lookUp));
  return { traces, found: found.filter((live) => live !== undefined) };
}

const ENTRIES_PER_PAGE = 100;
/** The last page of each round. The log is read until every key is found, but not beyond the last round. */
const ROUNDS: readonly number[] = [1, 3, 10];
/** A key has several former holders only if each but the newest was destroyed or renamed. */
const MOST_HOLDERS = 3;

async function searchLog(
  keys: readonly string[],
  readPage: TraceSearch<never>['readPage'],
  follow: (key: string, entries: readonly JsonObject[]) => Promise<FormerHolder | undefined>,
): Promise<readonly Trace[]> {
  const found = new Map<string, FormerHolder>();
  const entries: JsonObject[] = [];
  const open = (): readonly string[] => keys.filter((key) => !found.has(key));
  const unknown = (why: UnknownReason): readonly Trace[] => [
    ...found.values(),
    ...open().map((key): Trace => ({ kind: 'unknown', key, why })),
  ];
  // The number of pages of the log; infinite if the service does not state it.
  let pages = 1;
  let read = 0;
  for (const last of ROUNDS) {
    if (open().length === 0 || read >= pages) break;
    const numbers = Array.from({ length: Math.min(last, pages) - read }, (_, index) => read + index + 1);
    try {
      const round = await Promise.all(numbers.map(readPage));
      const { total_count: total, next } = round.at(-1) ?? {};
      pages = typeof total === 'number' ? Math.ceil(total / ENTRIES_PER_PAGE) : typeof next === 'string' ? Infinity : 0;
      entries.push(...round.flatMap(({ results }) => results));
    } catch (error) {
      return unknown(whyUnread(error));
    }
    read += numbers.length;
    for (const trace of await Promise.all(open().map((key) => follow(key, entries))))
      if (trace !== undefined) found.set(trace.key, trace);
  }
  return read < pages ? unknown('too_long') : [...found.values()];
}

/** @throws the error itself where the run cannot go on. */
function whyUnread(error: unknown): UnknownReason {
  if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
  return error.failure.kind === 'forbidden' ? 'forbidden' : 'failed';
}

/** A resource that the log names with a key or name. */
interface LoggedHolder {
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

/** The flag, even when it is soft-deleted; `undefined` once a create with the same key has destroyed it. */
export async function findFlag(client: ServiceClient, id: number): Promise<Flag | undefined> {
  return unlessNotFound(client.getFlag(id));
}

interface FlagsByKey {
  readonly found: ReadonlyMap<string, Flag>;
  /** Every flag that the service lists, where all were read: services of 2023 ignore the key. */
  readonly all?: readonly Flag[];
  /** Flags whose keys differ from a selected one in case only. */
  readonly similar: readonly Flag[];
}

/** A list of more keys takes more requests than the pages of most projects. */
const MOST_KEYS = 10;

/**
 * Reads flags by their keys: one request for each key, or the list if that takes fewer. Archived flags count as found.
 * @throws {ServiceError} when a part cannot be read.
 */
export async function findFlagsByKey(client: ServiceClient, keys: readonly string[]): Promise<FlagsByKey> {
  const [first, ...others] = keys;
  if (first === undefined) return { found: new Map(), similar: [] };
  const listed = await client.listFlags(keys.length > MOST_KEYS ? {} : { key: first });
  const isWhole = keys.length > MOST_KEYS || listed.some(({ key }) => !isSimilar(key, first));
  const asked = isWhole ? [] : await Promise.all(others.map((key) => client.listFlags({ key })));
  const visible = [...listed, ...asked.flat()];
  const missing = keys.filter((key) => !visible.some((flag) => flag.key === key));
  // Services since 2026 hide archived flags from the list (docs/service.md, "Flag list").
  const mayHide = visible.length === 0 || visible.some((flag) => Object.hasOwn(flag, 'archived'));
  const archived = mayHide ? await Promise.all(missing.map((key) => client.listFlags({ key, archived: true }))) : [];
  const read = [...visible, ...archived.flat()];
  return {
    found: new Map(read.filter(({ key }) => keys.includes(key)).map((flag) => [flag.key, flag])),
    similar: read.filter(({ key }) => missing.some((one) => one !== key && isSimilar(key, one))),
    ...(isWhole ? { all: listed } : {}),
  };
}

function isSimilar(key: string, other: string): boolean {
  return key.toLowerCase() === other.toLowerCase();
}
