/** Counts the people of a file, and the lines without a person. */

import type { Impact, Lines } from '../impact.ts';
import { createCounter, type CounterOptions } from './counter.ts';
import type { PersonEntry } from './person.ts';

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
