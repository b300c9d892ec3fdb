/** Lists the cohorts of a person, static and dynamic. */

import type { JsonObject } from '../../../src/base/json.ts';
import { matchesCondition } from '../../../src/evaluation/condition.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, notFound, serverError } from '../handler/envelope.ts';
import { evaluationContext, subjectOfPerson } from '../evaluation/context.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import type { StoredPerson } from '../store/person.ts';
import { findPerson } from './find.ts';

export function personCohorts(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const id = call.query.get('person_id');
  if (id === null) {
    if (rules.cohortsOfNobody === 'fails') throw serverError();
    throw invalid('required', 'This field is required.', 'person_id');
  }
  if (id === '') throw notFound();
  const person = findPerson(service, { ...call, params: { id } });
  const cohorts = store.cohorts.list(call.projectId).filter((cohort) => isMember(service, person, cohort));
  return { status: 200, body: { results: cohorts.map(serialiseCohort) } };
}

function isMember(service: ServiceContext, person: StoredPerson, cohort: StoredCohort): boolean {
  const context = evaluationContext(service, person.projectId);
  const subject = subjectOfPerson(service, person, person.distinctIds[0] ?? '');
  const property = { key: 'id', type: 'cohort', value: cohort.id } as const;
  return matchesCondition({ properties: [property] }, { context, subject }) === true;
}

function serialiseCohort({ id, name, properties }: StoredCohort): JsonObject {
  return {
    id,
    name,
    is_static: properties === null,
    filters: properties === null ? {} : { properties },
    deleted: false,
  };
}
