/** Builds the input of evaluation from the store: flags, cohorts, group types and the subject. */

import { isJsonObject, memberOf, type JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { KnownCohort, EvaluationContext, EvaluationInput, Subject } from '../../../src/evaluation/input.ts';
import type { ServiceContext } from '../handler/call.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import type { PersonRecord } from '../store/person-scan.ts';

export type EvaluatedFlag = EvaluationInput['flags'][number];
type EvaluatedCondition = NonNullable<NonNullable<EvaluatedFlag['filters']>['groups']>[number];
export type EvaluatedProperty = NonNullable<EvaluatedCondition['properties']>[number];

/** The time zone of every embedded project. */
const TIME_ZONE = 'UTC';

export function evaluationContext(service: ServiceContext, projectId: string): EvaluationContext {
  const { store, rules, now } = service;
  const known = store.remember(`cohorts and types of ${projectId}`, () => readCohortsAndTypes(service, projectId));
  const isExplicit = rules.generation === 'rust-2026' && store.flags.matchesExplicitly(projectId);
  const generation = isExplicit ? 'rust-2026-explicit' : rules.generation;
  return { generation, now: now(), timeZone: TIME_ZONE, ...known };
}

function readCohortsAndTypes(
  { store }: ServiceContext,
  projectId: string,
): Pick<EvaluationContext, 'cohorts' | 'groupTypes'> {
  const cohorts = store.cohorts
    .list(projectId)
    .map(({ id, properties }): [string, KnownCohort] => [
      String(id),
      properties === null ? { kind: 'static' } : { kind: 'dynamic', properties },
    ]);
  return { groupTypes: store.groups.types(projectId), cohorts: Object.fromEntries(cohorts) };
}

/** The fields that evaluation reads. */
const FIELDS = [
  'id',
  'key',
  'name',
  'active',
  'deleted',
  'filters',
  'ensure_experience_continuity',
  'bucketing_identifier',
];

export function evaluatedFlag(flag: StoredFlag): EvaluatedFlag {
  return Object.fromEntries(FIELDS.map((name) => [name, storedValue(flag, name)])) as unknown as EvaluatedFlag;
}

/** A stored person, with one of its distinct ids. */
export function subjectOfPerson({ store }: ServiceContext, person: PersonRecord, distinctId: string): Subject {
  return {
    distinctId,
    personProperties: person.properties,
    groups: {},
    groupProperties: {},
    // Queried only for conditions on static cohorts.
    get cohortIds() {
      return store.cohorts.listIdsByPerson(person.id);
    },
  };
}

/** The subject that a caller names, with properties beyond the stored ones. */
export interface NamedSubject {
  readonly distinctId: string;
  readonly groups: Readonly<Record<string, string | number>>;
  readonly personProperties?: JsonObject;
  /** Keys are group types. */
  readonly groupProperties?: JsonObject;
  readonly anonymousId?: string;
  readonly deviceId?: string;
}

/** The caller's properties override stored ones. An unknown distinct id is a person without properties. */
export function findSubject(service: ServiceContext, projectId: string, named: NamedSubject): Subject {
  const { store } = service;
  const { distinctId, groups, anonymousId, deviceId } = named;
  const person = store.persons.findByDistinctId(projectId, distinctId);
  const types = Object.entries(store.groups.types(projectId));
  const groupProperties = types.map(([index, type]): [string, JsonObject] => {
    const key = Object.hasOwn(groups, type) ? String(groups[type]) : '';
    const given = memberOf(named.groupProperties ?? {}, type);
    const stored = store.groups.find(projectId, Number(index), key)?.properties;
    return [type, { ...stored, ...(isJsonObject(given) && given) }];
  });
  return {
    distinctId,
    personProperties: { ...person?.properties, ...named.personProperties },
    groups,
    groupProperties: Object.fromEntries(groupProperties),
    cohortIds: person === undefined ? [] : store.cohorts.listIdsByPerson(person.id),
    ...defined({ anonymousId, deviceId }),
  };
}
