/** One entry of the activity log of a resource, read from an answer that may be anything (docs/service/activity.md). */

import { instantText } from '../../base/times.ts';
import { isJsonArray, isJsonObject, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { KnownAttribution, Via } from './attribution.ts';
import { CLIENT_NAME } from '../client/request-spec.ts';

export interface LogEntry {
  /** ISO 8601, as the service wrote it. */
  readonly at: string;
  readonly activity: string;
  /** The whole value of each changed field, by its name. */
  readonly changes: ReadonlyMap<string, LoggedChange>;
  /** The version afterwards; cohorts have none. */
  readonly version?: number;
  /** E-mail address or name. */
  readonly by?: string;
  readonly client?: string;
  /** The run of flagwright that wrote it. */
  readonly run?: string;
  /** The background job that made the change. */
  readonly job?: string;
  readonly isSystem: boolean;
  readonly isImpersonated: boolean;
}

interface LoggedChange {
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** The entries, each once, the newest first. What is no entry is left out. */
export function parseLog(answered: readonly JsonObject[]): readonly LogEntry[] {
  const seen = new Set<JsonValue>();
  const entries = answered.flatMap((entry, index) => {
    const { id } = entry;
    if (typeof id === 'string' && seen.has(id)) return [];
    if (typeof id === 'string') seen.add(id);
    const parsed = parseEntry(entry);
    return parsed === undefined ? [] : [{ parsed, time: Date.parse(instantText(parsed.at) ?? ''), index }];
  });
  return entries.toSorted((a, b) => b.time - a.time || a.index - b.index).map(({ parsed }) => parsed);
}

/** The author of the change of an entry, and the tool. */
export function actorIn(entry: Omit<LogEntry, 'at'>): Pick<KnownAttribution, 'by' | 'via' | 'client' | 'run'> {
  const { by, run } = entry;
  const via = run === undefined ? viaOf(entry) : 'apply';
  return { ...defined({ by, run }), via, ...(via === 'api_client' ? defined({ client: entry.client }) : {}) };
}

/** The prefix of a job's name identifies the feature of the service that made the change. */
const JOBS: readonly (readonly [start: string, via: Via])[] = [
  ['scheduled', 'schedule'],
  ['experiment', 'experiment'],
  ['early_access', 'early_access'],
];

/** The parts of `filters` that only other products write. */
const PARTS: readonly (readonly [name: string, via: Via])[] = [
  ['feature_enrollment', 'early_access'],
  ['super_groups', 'early_access'],
  ['holdout', 'experiment'],
  ['holdout_groups', 'experiment'],
];

function viaOf({ job, client, isSystem, isImpersonated, changes }: Omit<LogEntry, 'at'>): Via {
  if (job !== undefined) return JOBS.find(([start]) => job.startsWith(start))?.[1] ?? 'system';
  if (isImpersonated) return 'staff';
  if (client !== undefined) return client === CLIENT_NAME ? 'apply' : 'api_client';
  if (isSystem) return 'system';
  const { before, after } = changes.get('filters') ?? {};
  if (!isJsonObject(before) || !isJsonObject(after)) return 'web_or_key';
  const part = PARTS.find(([name]) => !jsonEquals(memberOf(before, name) ?? null, memberOf(after, name) ?? null));
  // Today's service also removes outdated parts when anybody saves the flag.
  return part === undefined || memberOf(after, part[0]) === undefined ? 'web_or_key' : part[1];
}

function parseEntry({ user, activity, detail, created_at: at, ...entry }: JsonObject): LogEntry | undefined {
  if (typeof activity !== 'string' || typeof at !== 'string' || instantText(at) === undefined) return undefined;
  const changes = changesIn(activity, detail);
  const version = changes.get('version')?.after;
  const trigger = isJsonObject(detail) ? detail['trigger'] : undefined;
  return {
    at,
    activity,
    changes,
    ...defined({
      version: typeof version === 'number' ? version : undefined,
      by: nameOf(user),
      client: textOf(entry['client']),
      job: isJsonObject(trigger) ? textOf(trigger['job_type']) : undefined,
    }),
    isSystem: entry['is_system'] === true || (isJsonObject(user) && user['is_system'] === true),
    isImpersonated: entry['was_impersonated'] === true,
  };
}

function changesIn(activity: string, detail: JsonValue | undefined): ReadonlyMap<string, LoggedChange> {
  const listed = isJsonObject(detail) && isJsonArray(detail['changes']) ? detail['changes'] : [];
  const changes = new Map(
    listed
      .filter(isJsonObject)
      .flatMap(({ field, before = null, after = null }): [string, LoggedChange][] =>
        typeof field === 'string' ? [[field, { before, after }]] : [],
      ),
  );
  // A deletion of several flags at once has no changes.
  if (changes.has('deleted') || !['deleted', 'restored'].includes(activity)) return changes;
  const isDeleted = activity === 'deleted';
  return new Map([...changes, ['deleted', { before: !isDeleted, after: isDeleted }]]);
}

/** The log calls changes without a user `System`. */
function nameOf(user: JsonValue | undefined): string | undefined {
  if (!isJsonObject(user) || user['is_system'] === true) return undefined;
  return textOf(user['email']) ?? textOf(user['first_name']);
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
