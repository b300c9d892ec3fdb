/** Lists persons, and reads one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { csvLine, wantsCsv, buildLinks, readPage } from '../handler/lists.ts';
import type { PersonRecord, StoredPerson } from '../store/person-scan.ts';
import { readPersonFilter } from './filter.ts';
import {
  memberOf,
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  type JsonObject,
} from '../../../src/base/json.ts';
import { compareStrings } from '../../../src/base/compare-strings.ts';
import { parseJson } from '../../../src/base/json-text.ts';
import { pythonJson } from '../format/python-json.ts';
import { matchesCondition } from '../../../src/evaluation/condition.ts';
import { invalid, notFound, orNotFound, serverError, invalidInput } from '../handler/envelope.ts';
import { evaluationContext, subjectOfPerson } from '../evaluation/context.ts';
import type { StoredCohort } from '../store/cohorts.ts';

/** Newest first. The last page may be empty. CSV has all persons and no pages. */
export function listPersons(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const filter = readPersonFilter(service, call);
  if (wantsCsv(call)) {
    const batches = store.persons.batches(call.projectId, filter);
    return { status: 200, text: { type: 'text/csv', chunks: personLines(service, batches) } };
  }
  const page = readPage(call.query);
  const results = store.persons.withDistinctIds(store.persons.list(call.projectId, filter, page)).map(serializePerson);
  const count = rules.personTotal && call.query.has('include_total') && store.persons.count(call.projectId, filter);
  const body = { results, ...buildLinks(call, page, results.length), ...(count !== false && { count }) };
  return { status: 200, body };
}

export function getPerson(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializePerson(findPerson(service, call)) };
}

const CSV_COLUMNS = ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'];

/** Yields batches, so that an export of any size needs little memory. */
function* personLines({ store }: ServiceContext, batches: Iterable<readonly PersonRecord[]>): Generator<string> {
  yield csvLine(CSV_COLUMNS);
  for (const batch of batches) {
    const persons = store.persons.withDistinctIds(batch).map(serializePerson);
    yield persons.map((person) => csvLine(CSV_COLUMNS.map((column) => memberOf(person, column) ?? null))).join('');
  }
}

/** The maximum of the real service. */
const MOST_VALUES = 20;

export function personProperties({ store }: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: store.propertyCounts.keys(projectId).map(({ name, count }) => ({ name, count })) };
}

/** The list is empty without a key. */
export function personValues({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const key = query.get('key') ?? '';
  if (key === '') return { status: 200, body: [] };
  const found = store.propertyCounts.values(projectId, { key, part: query.get('value') ?? '', limit: MOST_VALUES });
  return { status: 200, body: found.map(({ name, count }) => ({ name: nameOf(name), count })) };
}

/** Lists and objects are shown with sorted keys, as Python writes JSON. */
function nameOf(value: string): string {
  if (!/^[[{]/.test(value)) return value;
  try {
    return pythonJson(sortKeys(parseJson(value)));
  } catch {
    return value;
  }
}

function sortKeys(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = definedKeys(value).toSorted(compareStrings);
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

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
  return { status: 200, body: { results: cohorts.map(serializeCohort) } };
}

function isMember(service: ServiceContext, person: StoredPerson, cohort: StoredCohort): boolean {
  const context = evaluationContext(service, person.projectId);
  const subject = subjectOfPerson(service, person, person.distinctIds[0] ?? '');
  const property = { key: 'id', type: 'cohort', value: cohort.id } as const;
  return matchesCondition({ properties: [property] }, { context, subject }) === true;
}

function serializeCohort({ id, name, properties }: StoredCohort): JsonObject {
  return {
    id,
    name,
    is_static: properties === null,
    filters: properties === null ? {} : { properties },
    deleted: false,
  };
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function findPerson(
  { store, rules }: ServiceContext,
  { projectId, params: { id: name = '' } }: Call,
): StoredPerson {
  const isId = /^\d{1,15}$/.test(name);
  if (rules.personIds === 'checked' && !isId && !UUID.test(name)) {
    const detail = `"${name}" is neither the id nor the UUID of a person; to find a distinct id use persons/?distinct_id=…`;
    throw invalidInput(detail);
  }
  const { persons } = store;
  return orNotFound(isId ? persons.find(projectId, Number(name)) : persons.findByUuid(projectId, name.toLowerCase()));
}

export function serializePerson(person: StoredPerson): JsonObject {
  const { id, uuid, distinctIds, properties, createdAt } = person;
  return { id, name: deriveName(person), distinct_ids: distinctIds, properties, created_at: createdAt, uuid };
}

/** Derived: the email address, else a distinct id that is not a UUID, else the id. */
export function deriveName({ id, properties, distinctIds }: StoredPerson): string {
  const email = properties['email'];
  if (typeof email === 'string' && email !== '') return email;
  return distinctIds.find((distinctId) => !UUID.test(distinctId)) ?? String(id);
}
