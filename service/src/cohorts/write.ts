/** Creates and changes cohorts. A write of a dynamic cohort starts its calculation, which ends right after the answer. */

import { definedKeys, jsonEquals, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { buildPropertyFilter } from '../persons/filter.ts';
import { readFields } from '../flags/read-fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalidInput } from '../handler/envelope.ts';
import { userOf } from '../handler/user.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { definitionOf, hasCriteria } from './definition.ts';
import { COHORT_FIELDS } from './fields.ts';
import { COHORT_FILTERS } from './filters.ts';
import { checkBehaviour, checkDeletion, checkLoops } from './guards.ts';
import { findCohort } from './read.ts';
import { recordCreation, recordUpdate } from './record.ts';
import { serialiseCohort } from './serialise.ts';

export function createCohort(service: ServiceContext, call: Call): Answer {
  const { store, rules, now } = service;
  return store.transaction(() => {
    const values = readFields(call.body, COHORT_FIELDS[rules.name]);
    const isStatic = values['is_static'] === true;
    const filters = readFilters(service, values, isStatic);
    if (hasQuery(values) && hasCriteria(filters)) {
      throw invalidInput('Cannot set both query and filters at the same time.');
    }
    if (hasQuery(values) && !isStatic) {
      throw invalidInput('Cannot create a dynamic cohort with a query. Set is_static to true.');
    }
    const created = store.cohorts.insert(call.projectId, {
      name: nameIn(values, null),
      properties: isStatic ? null : definitionOf(filters, values['groups']),
      deleted: values['deleted'] === true,
      fields: {
        ...storedValues(values, filters),
        created_by: userOf(service),
        created_at: formatTimestamp(now()),
      },
    });
    recordCreation(service, call.projectId, created);
    return { status: 201, body: answer(service, call.projectId, created) };
  });
}

/** A PATCH changes fields, soft-deletes and restores. */
export function updateCohort(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  return store.transaction(() => {
    const before = findCohort(service, call);
    const values = readFields(call.body, COHORT_FIELDS[rules.name], { partial: true });
    const after = applyValues(service, before, values);
    const change = { projectId: call.projectId, after };
    const isRedefined = values['filters'] !== undefined || (before.properties === null && after.properties !== null);
    if (isRedefined && after.properties !== null) checkBehaviour(service, change);
    if (after.deleted && !before.deleted && rules.guards) checkDeletion(service, change);
    checkLoops(service, change);
    store.cohorts.update(call.projectId, after);
    recordUpdate(service, call.projectId, { before, after });
    const body = after.deleted ? serialiseCohort(after, rules.name) : answer(service, call.projectId, after);
    return { status: 200, body };
  });
}

function applyValues(service: ServiceContext, before: StoredCohort, values: JsonObject): StoredCohort {
  const isStatic = typeof values['is_static'] === 'boolean' ? values['is_static'] : before.properties === null;
  const given = readFilters(service, values, isStatic);
  const filters = given === undefined ? before.fields['filters'] : given;
  const groups = values['groups'] ?? before.fields['groups'];
  const isStaticChanged = isStatic && given !== undefined && !jsonEquals(given, before.fields['filters'] ?? null);
  if (service.rules.guards && isStaticChanged && (hasCriteria(given) || hasCriteria(before.fields['filters']))) {
    const detail = 'Editing the criteria of a static cohort is not supported yet. Create a new static cohort instead.';
    throw invalidInput(detail);
  }
  const isDefined = given !== undefined || values['groups'] !== undefined || before.properties === null;
  const redefined = isDefined ? definitionOf(filters, groups) : before.properties;
  return {
    ...before,
    name: nameIn(values, before.name),
    properties: isStatic ? null : redefined,
    deleted: typeof values['deleted'] === 'boolean' ? values['deleted'] : before.deleted,
    fields: { ...before.fields, ...storedValues(values, given), is_calculating: false },
  };
}

function readFilters({ rules }: ServiceContext, values: JsonObject, isStatic: boolean): JsonValue | undefined {
  const { filters } = values;
  return filters === undefined ? undefined : COHORT_FILTERS[rules.name]({ filters, isStatic });
}

/** Members that are columns of their own. */
const OWN_COLUMNS = ['name', 'deleted', 'is_static'];

function storedValues(values: JsonObject, filters: JsonValue | undefined): JsonObject {
  const kept = definedKeys(values).filter((name) => !OWN_COLUMNS.includes(name));
  return {
    ...Object.fromEntries(kept.map((name) => [name, values[name]])),
    ...(filters === undefined ? {} : { filters }),
  };
}

function nameIn({ name }: JsonObject, before: string | null): string | null {
  return name === undefined ? before : typeof name === 'string' ? name : null;
}

function hasQuery({ query = null }: JsonObject): boolean {
  return query !== null;
}

/** The answer shows a dynamic cohort before its calculation; every later one shows it afterwards. */
function answer(service: ServiceContext, projectId: string, cohort: StoredCohort): JsonObject {
  if (cohort.properties === null) return serialiseCohort(cohort, service.rules.name);
  const { store, now } = service;
  const version = Number(cohort.fields['pending_version'] ?? 0) + 1;
  const fields = { ...cohort.fields, pending_version: version };
  const properties = [{ key: 'id', type: 'cohort' as const, value: cohort.id }];
  const count = store.persons.count(projectId, buildPropertyFilter(service, projectId, properties));
  store.cohorts.update(projectId, {
    ...cohort,
    fields: { ...fields, version, count, last_calculation: formatTimestamp(now()), is_calculating: false },
  });
  return serialiseCohort({ ...cohort, fields: { ...fields, is_calculating: true } }, service.rules.name);
}
