/** Counts the people of a file, and the lines without a person; or those of the service, page by page. */

import { arrayOrEmpty, canonicalText, isJsonObject, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Impact, Lines } from '../impact.ts';
import { type CounterOptions, createCounter } from './counter.ts';
import type { ListedPerson, PersonEntry } from './person.ts';

/** The impact with the counts of the people. */
export async function countPersons(
  impact: Impact,
  entries: AsyncIterable<PersonEntry>,
  counting: CounterOptions,
): Promise<Impact> {
  const counter = createCounter(counting);
  const read = {
    source: 'file' as const,
    counted: 0,
    duplicate: noLines(),
    withoutId: noLines(),
    malformed: noLines(),
  };
  for await (const entry of entries) {
    if ('fault' in entry && entry.fault === 'no_id') addLines(read.withoutId, entry.line, 1);
    else if ('fault' in entry) addLines(read.malformed, entry.line, entry.lines);
    else if (counter.count(entry.person)) read.counted += 1;
    else addLines(read.duplicate, entry.line, 1);
  }
  return counter.complete(impact, read);
}

const MOST_NAMED = 5;

interface LineCount extends Lines {
  count: number;
  readonly first: number[];
}

function noLines(): LineCount {
  return { count: 0, first: [] };
}

function addLines(lines: LineCount, from: number, amount: number): void {
  lines.count += amount;
  for (let line = from; line < from + amount && lines.first.length < MOST_NAMED; line += 1) lines.first.push(line);
}

/** A page of the list, the newest first. */
export interface LivePage {
  /** The persons in the service's format. */
  readonly persons: readonly JsonObject[];
  /** The size of the whole list, if the service states it. */
  readonly total?: number;
  /** Present if the list has more pages. */
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

/** The service returns all properties of a person, but neither groups nor cohorts. */
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
