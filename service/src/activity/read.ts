/** Lists the activity, newest first. Its pages have numbers, unlike other lists, which have offsets. */

import { objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { linkInPlace } from '../handler/paging.ts';
import type { ProfileRules } from '../handler/profile.ts';
import type { ActivityScope } from '../store/activity.ts';

const DEFAULT_LIMIT = 10;

export interface ActivitySubject {
  readonly scope: ActivityScope;
  /** Null: all items. */
  readonly itemId: number | null;
}

export function listActivity({ store, rules }: ServiceContext, call: Call, subject: ActivitySubject): Answer {
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
