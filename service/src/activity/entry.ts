/** Writes activity entries, in the transaction of the change that they record. */

import { jsonEquals, type JsonObject, type JsonValue, objectOrEmpty } from '../../../src/base/json.ts';
import { type ServiceContext, type Answer, type Call, type Handler, userOf } from '../handler/call.ts';
import type { ActivityScope } from '../store/events.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { invalid } from '../handler/envelope.ts';
import { linkInPlace } from '../handler/lists.ts';
import type { ProfileRules } from '../handler/profile.ts';

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

/** The change of a field in an entry; none where both values are equal. */
export function compareField(
  type: ActivityScope,
  field: string,
  { before, after }: { readonly before: JsonValue; readonly after: JsonValue },
): JsonObject[] {
  if (jsonEquals(before, after)) return [];
  const action = before === null ? 'created' : after === null ? 'deleted' : 'changed';
  return [{ type, action, field, before, after }];
}

const DEFAULT_LIMIT = 10;

/** Lists what happened to the item that the path names; without `find`, to all of the scope. */
export function activityOf(
  scope: ActivityScope,
  find?: (service: ServiceContext, call: Call) => { readonly id: number },
): Handler {
  return (service, call) => listActivity(service, call, { scope, itemId: find?.(service, call).id ?? null });
}

function listActivity(
  { store, rules }: ServiceContext,
  call: Call,
  subject: { readonly scope: ActivityScope; readonly itemId: number | null },
): Answer {
  const isStrict = rules.activityPaging === 'strict';
  const limit = readNumber(call.query, 'limit', { fallback: DEFAULT_LIMIT, isStrict });
  const page = readNumber(call.query, 'page', { fallback: 1, isStrict });
  const offset = Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
  const { total, entries } = store.activity.list({ projectId: call.projectId, ...subject }, { limit, offset });
  return {
    status: 200,
    body: {
      results: entries.map((entry) => shapeEntry(entry, rules.activityEntry)),
      next: page * limit < total ? linkInPlace(call, { page: page + 1, limit }) : null,
      previous: page > 1 ? linkInPlace(call, { page: page - 1, limit }) : null,
      total_count: total,
    },
  };
}

/** Stored entries have the members of both profiles. */
function shapeEntry(
  { id = null, client = null, detail, ...entry }: JsonObject,
  shape: ProfileRules['activityEntry'],
): JsonObject {
  const { type = null, ...members } = objectOrEmpty(detail);
  if (shape === 'plain') return { ...entry, detail: members };
  return { id, ...entry, detail: { ...members, type }, client, ...ORIGIN };
}

/** Every change is made by a user with a personal key. */
const ORIGIN: JsonObject = { is_system: false, was_impersonated: false };

function readNumber(
  query: URLSearchParams,
  name: string,
  { fallback, isStrict }: { readonly fallback: number; readonly isStrict: boolean },
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1) return number;
  if (isStrict) throw invalid('invalid_input', `${name} must be a whole number of at least 1.`, name);
  return fallback;
}
