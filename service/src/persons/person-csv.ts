/** Writes persons as CSV in batches, so that an export of any size needs little memory. */

import { memberOf } from '../../../src/base/json.ts';
import { csvLine } from '../handler/csv.ts';
import type { StoredPerson } from '../store/person.ts';
import { serialisePerson } from './serialise.ts';

const COLUMNS = ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'];

export function* personLines(batches: Iterable<readonly StoredPerson[]>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const batch of batches) {
    const persons = batch.map(serialisePerson);
    yield persons.map((person) => csvLine(COLUMNS.map((column) => memberOf(person, column) ?? null))).join('');
  }
}
