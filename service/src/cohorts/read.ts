/** Lists the cohorts of a project, reads one, and lists what happened to them. */

import { listActivity } from '../activity/read.ts';
import { parseId } from '../flags/find.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { serialiseCohort } from './serialise.ts';

/** Lists the newest cohort, which has the highest id, first. */
export function listCohorts({ store, rules }: ServiceContext, call: Call): Answer {
  const cohorts = store.cohorts.list(call.projectId).toReversed();
  const page = readPage(call.query);
  const results = cohorts
    .slice(page.offset, page.offset + page.limit)
    .map((cohort) => serialiseCohort(cohort, rules.name));
  return { status: 200, body: buildPage(call, page, { count: cohorts.length, results }) };
}

/** Includes deleted cohorts. */
export function getCohort(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialiseCohort(findCohort(service, call), service.rules.name) };
}

export function cohortsActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'Cohort', itemId: null });
}

export function cohortActivity(service: ServiceContext, call: Call): Answer {
  return listActivity(service, call, { scope: 'Cohort', itemId: findCohort(service, call).id });
}

/** Finds the cohort that a path names, or throws a 404. */
export function findCohort({ store }: ServiceContext, call: Call): StoredCohort {
  const cohort = store.cohorts.find(call.projectId, parseId(call.params['id']));
  if (cohort === undefined) throw notFound();
  return cohort;
}
