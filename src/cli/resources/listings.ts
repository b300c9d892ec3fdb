/** Paged responses of the service as one list each. */

import type { JsonObject } from '../../base/json.ts';
import type { ActivityEntry, ActivityPage, ActivityQuery } from '../../posthog/client/operations/flag-insight.ts';
import type { PersonAnalysis } from '../../posthog/client/operations/persons-analysis.ts';
import { paged, type Paged } from '../../posthog/client/pages.ts';

export const PERSON_COLUMNS: readonly string[] = ['id', 'name', 'distinct_ids', 'created_at'];
/** The whole person, in the order of the service. */
export const PERSON_CSV_COLUMNS: readonly string[] = ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'];

/** The service's largest pages. */
const LARGEST_PAGE = 1000;
const LARGEST_ACTIVITY_PAGE = 100;

/** Requests only as many as are wanted. */
export function pageSize(limit: number): number {
  return Math.min(limit, LARGEST_PAGE);
}

/** Activity is paged by page number (docs/service.md, "Activity"). */
export function activityEntries(
  limit: number,
  read: (query: ActivityQuery) => Promise<ActivityPage>,
): Paged<ActivityEntry> {
  const size = Math.min(limit, LARGEST_ACTIVITY_PAGE);
  return paged(1, async (page) => {
    const { results, next } = await read({ limit: size, page });
    const more = typeof next === 'string' && next !== '' && results.length > 0;
    return more ? { results, next: page + 1 } : { results };
  });
}

/** The people of an analysis; each page contains the parameters of the next one. */
export function analysedPeople(
  parameters: JsonObject,
  read: (parameters: JsonObject) => Promise<PersonAnalysis>,
): Paged<JsonObject> {
  return paged(parameters, async (current) => {
    const { people, next, answer } = await read(current);
    const results = findRows(answer) ?? people;
    const offset = Number(current['offset'] ?? 0);
    const onward = next?.offset !== undefined && next.offset > offset && people.length > 0;
    return onward ? { results, next: { ...current, ...next } } : { results };
  });
}

/** The rows of retention hold the periods of each person, which a list of people lacks. */
function findRows({ result }: JsonObject): readonly JsonObject[] | undefined {
  return Array.isArray(result) ? (result as readonly JsonObject[]) : undefined;
}
