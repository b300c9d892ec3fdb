/** Groups events by person, for every analysis. */

import type { Call, ServiceContext } from '../handler/call.ts';
import type { EventOccurrence } from '../store/events.ts';
import type { Entity, AnalysisQuestion, TimeRange } from './question.ts';

export interface PersonHistory {
  readonly personId: number;
  /** Ordered by time; never empty. */
  readonly occurrences: readonly EventOccurrence[];
}

/** Includes persons that the question admits, and only events with the names of the entities. */
export function readHistories(
  { store }: ServiceContext,
  { projectId }: Call,
  { question, entities, range }: { question: AnalysisQuestion; entities: readonly Entity[]; range: TimeRange },
): PersonHistory[] {
  const names = entities.map(({ name }) => name);
  const named = names.filter((name) => name !== null);
  const limits = named.length === names.length ? { ...range, names: named } : range;
  const byPerson = new Map<number, EventOccurrence[]>();
  for (const occurrence of store.events.occurrences(projectId, limits)) {
    const known = byPerson.get(occurrence.personId);
    if (known === undefined) byPerson.set(occurrence.personId, [occurrence]);
    else known.push(occurrence);
  }
  return [...byPerson]
    .filter(([personId]) => question.admits(personId))
    .map(([personId, occurrences]) => ({ personId, occurrences }));
}
