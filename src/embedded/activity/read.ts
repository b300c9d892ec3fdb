/** The activity log of flags or persons, of all or of one, newest first; it pages by number, not by offset. */

import type { Answer, Call, ServiceContext } from '../call.ts';
import { invalid } from '../envelope.ts';
import { findFlag } from '../flags/find.ts';
import { linkTo } from '../paging.ts';
import { findPerson } from '../persons/find.ts';
import type { ActivityScope } from '../store/activity.ts';

const DEFAULT_LIMIT = 10;

export function projectActivity(service: ServiceContext, call: Call): Answer {
  return activityOf(service, call, { scope: 'FeatureFlag', itemId: null });
}

export function flagActivity(service: ServiceContext, call: Call): Answer {
  return activityOf(service, call, { scope: 'FeatureFlag', itemId: findFlag(service, call).id });
}

export function personsActivity(service: ServiceContext, call: Call): Answer {
  return activityOf(service, call, { scope: 'Person', itemId: null });
}

export function personActivity(service: ServiceContext, call: Call): Answer {
  return activityOf(service, call, { scope: 'Person', itemId: findPerson(service, call).id });
}

interface Subject {
  readonly scope: ActivityScope;
  /** Null: all of them. */
  readonly itemId: number | null;
}

function activityOf({ store, rules }: ServiceContext, call: Call, subject: Subject): Answer {
  const isStrict = rules.activityPaging === 'strict';
  const limit = numberOf(call.query, 'limit', { fallback: DEFAULT_LIMIT, isStrict });
  const page = numberOf(call.query, 'page', { fallback: 1, isStrict });
  const offset = Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
  const { total, entries } = store.activity.list({ projectId: call.projectId, ...subject }, { limit, offset });
  return {
    status: 200,
    body: {
      results: entries,
      next: page * limit < total ? linkTo(call, { page: page + 1, limit }) : null,
      previous: page > 1 ? linkTo(call, { page: page - 1, limit }) : null,
      total_count: total,
    },
  };
}

function numberOf(
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
