/** Counts people of the service, page by page. */

import { arrayOrEmpty, canonicalText, isJsonObject, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Impact } from '../impact.ts';
import { createCounter, type CounterOptions } from './counter.ts';
import type { ListedPerson } from './person.ts';

/** A page of the list, the newest first. */
export interface LivePage {
  /** The persons in the service's format. */
  readonly persons: readonly JsonObject[];
  /** The size of the whole list, if the service states it. */
  readonly total?: number;
  /** Present where the list goes on. */
  readonly next?: number;
}

/** The impact with the counts of the people. */
export async function countLivePersons(
  impact: Impact,
  pages: AsyncIterable<LivePage>,
  counting: CounterOptions,
): Promise<Impact> {
  const counter = createCounter(counting);
  let [counted, withoutId] = [0, 0];
  let last: LivePage | undefined;
  for await (const page of pages) {
    for (const record of page.persons) {
      const person = readLivePerson(record);
      if (person === undefined) withoutId += 1;
      else if (counter.count(person)) counted += 1;
    }
    last = page;
  }
  const read = { source: 'live', counted, withoutId, isAll: last?.next === undefined } as const;
  return counter.complete(impact, { ...read, ...defined({ total: last?.total }) });
}

/** The service tells all properties of a person, and neither their groups nor their cohorts. */
function readLivePerson({
  id = null,
  distinct_ids: ids = null,
  properties = null,
}: JsonObject): ListedPerson | undefined {
  const [first, ...others] = arrayOrEmpty(ids).filter((own) => typeof own === 'string' && own !== '') as string[];
  if (first === undefined) return undefined;
  const known = { identity: canonicalText(id), distinctIds: [first, ...others], groups: {} } as const;
  return isJsonObject(properties) ? { ...known, properties, complete: true } : { ...known, properties: {} };
}
