/** Lists persons, and reads one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { csvLine, wantsCsv } from '../handler/csv.ts';
import { buildLinks, readPage } from '../handler/paging.ts';
import type { PersonRecord, StoredPerson } from '../store/person.ts';
import { readPersonFilter } from './filter.ts';
import { findPerson } from './find.ts';
import { serialisePerson } from './serialise.ts';
import { memberOf } from '../../../src/base/json.ts';

/** Newest first. The last page may be empty. CSV has all persons and no pages. */
export function listPersons(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const filter = readPersonFilter(service, call);
  if (wantsCsv(call)) {
    const batches = store.persons.batches(call.projectId, filter);
    return { status: 200, text: { type: 'text/csv', chunks: personLines(complete(service, batches)) } };
  }
  const page = readPage(call.query);
  const results = store.persons.withDistinctIds(store.persons.list(call.projectId, filter, page)).map(serialisePerson);
  const count = rules.personTotal && call.query.has('include_total') && store.persons.count(call.projectId, filter);
  const body = { results, ...buildLinks(call, page, results.length), ...(count !== false && { count }) };
  return { status: 200, body };
}

export function getPerson(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: serialisePerson(findPerson(service, call)) };
}

function* complete(
  { store }: ServiceContext,
  batches: Iterable<readonly PersonRecord[]>,
): Generator<readonly StoredPerson[]> {
  for (const batch of batches) yield store.persons.withDistinctIds(batch);
}

const CSV_COLUMNS = ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'];

/** Yields batches, so that an export of any size needs little memory. */
function* personLines(batches: Iterable<readonly StoredPerson[]>): Generator<string> {
  yield csvLine(CSV_COLUMNS);
  for (const batch of batches) {
    const persons = batch.map(serialisePerson);
    yield persons.map((person) => csvLine(CSV_COLUMNS.map((column) => memberOf(person, column) ?? null))).join('');
  }
}
