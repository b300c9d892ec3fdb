/** Serialises a cohort for each profile. */

import { memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import type { StoredCohort } from '../store/cohorts.ts';

type Defaults = readonly (readonly [name: string, byDefault: JsonValue])[];

/** The members of an answer after `id` and `name`, each stored or defaulted. */
const COMMON: Defaults = [
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
  documented: COMMON,
  posthog: [
    ...COMMON,
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
export function serialiseCohort(cohort: StoredCohort, profile: Profile): JsonObject {
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
