/** Lists the cohorts of a project, and reads one. */

import type { JsonObject } from '../../base/json.ts';
import { parseId } from '../flags/find.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { StoredCohort } from '../store/cohorts.ts';

/** The newest cohort has the highest id. */
export function listCohorts({ store, rules }: ServiceContext, call: Call): Answer {
  const cohorts = store.cohorts.list(call.projectId).toReversed();
  const page = readPage(call.query);
  const results = cohorts
    .slice(page.offset, page.offset + page.limit)
    .map((cohort) => serialiseCohort(cohort, rules.name === 'posthog'));
  return { status: 200, body: buildPage(call, page, { count: cohorts.length, results }) };
}

export function getCohort({ store, rules }: ServiceContext, call: Call): Answer {
  const cohort = store.cohorts.find(call.projectId, parseId(call.params['id']));
  if (cohort === undefined) throw notFound();
  return { status: 200, body: serialiseCohort(cohort, rules.name === 'posthog') };
}

/** Nobody created or calculated it: the seed and the configuration only name cohorts. */
function serialiseCohort({ id, name, properties }: StoredCohort, isToday: boolean): JsonObject {
  return {
    id,
    name,
    description: '',
    groups: [],
    deleted: false,
    filters: properties === null ? { properties: {} } : { properties },
    is_calculating: false,
    created_by: null,
    created_at: null,
    last_calculation: null,
    errors_calculating: 0,
    count: null,
    is_static: properties === null,
    ...(isToday ? { query: null, cohort_type: null, experiment_set: [] } : {}),
  };
}
