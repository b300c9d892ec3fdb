/** Lists the cohorts of a project, and reads one. */

import { parseId } from '../flags/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { orNotFound } from '../handler/envelope.ts';
import { answerPage } from '../handler/lists.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';

/** Lists the newest cohort, which has the highest id, first. */
export function listCohorts({ store, rules }: ServiceContext, call: Call): Answer {
  const cohorts = store.cohorts.list(call.projectId).toReversed();
  return answerPage(call, cohorts, (cohort) => serializeCohort(cohort, rules.name));
}

/** Includes deleted cohorts. */
export function getCohort(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeCohort(findCohort(service, call), service.rules.name) };
}

/** Finds the cohort that a path names, or throws a 404. */
export function findCohort({ store }: ServiceContext, call: Call): StoredCohort {
  return orNotFound(store.cohorts.find(call.projectId, parseId(call.params['id'])));
}

type Defaults = readonly (readonly [name: string, byDefault: JsonValue])[];

/** The members of an answer after `id` and `name`, each stored or defaulted. */
const ANSWERED_BY_ALL: Defaults = [
  ['description', ''],
  ['groups', []],
  ['deleted', false],
  ['filters', {}],
  ['is_calculating', false],
  ['created_by', null],
  ['created_at', null],
  ['last_calculation', null],
  ['errors_calculating', 0],
  ['count', null],
  ['is_static', false],
];

const ANSWERED: Readonly<Record<Profile, Defaults>> = {
  documented: ANSWERED_BY_ALL,
  posthog: [
    ...ANSWERED_BY_ALL,
    ['query', null],
    ['version', null],
    ['pending_version', null],
    ['last_error_message', null],
    ['last_backfill_person_properties_at', null],
    ['cohort_type', null],
    ['experiment_set', []],
  ],
};

/** A cohort without its own filters shows the tree that its groups mean. */
export function serializeCohort(cohort: StoredCohort, profile: Profile): JsonObject {
  const { id, name, properties, deleted, fields } = cohort;
  const computed: JsonObject = {
    deleted,
    is_static: properties === null,
    filters: fields['filters'] ?? { properties: properties ?? {} },
  };
  const members = ANSWERED[profile].map(([member, byDefault]) => [
    member,
    memberOf(computed, member) ?? memberOf(fields, member) ?? byDefault,
  ]);
  return { id, name, ...Object.fromEntries(members) };
}
