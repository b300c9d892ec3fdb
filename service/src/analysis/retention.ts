/** `retention`: of the persons who did an event in one interval, those who came back in later ones. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { readHistories, type PersonHistory } from './histories.ts';
import { readInterval, intervalIndex, type Interval } from './intervals.ts';
import { selectPeople } from './people.ts';
import {
  readEntity,
  matchesEntity,
  readQuestion,
  wholeNumber,
  type Entity,
  type AnalysisQuestion,
} from './question.ts';

const DEFAULT_INTERVALS = 11;

interface Retention {
  readonly target: Entity;
  readonly returning: Entity;
  readonly interval: Interval;
  /** The interval of the target event, and the last interval considered. */
  readonly first: number;
  readonly last: number;
}

/**
 * The last of `total_intervals` contains `date_to`; `selected_interval` (0 is the earliest) is the interval of the
 * target event. `appearances` has a 1 for each interval from there on in which the person came back.
 */
export function retention(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const asked = readRetention(question);
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const histories = readHistories(service, call, { question, entities: [asked.target, asked.returning], range });
  const appearances = new Map(
    histories
      .filter((history) => listIntervals(history, { ...asked, entity: asked.target, question }).has(asked.first))
      .map((history) => [history.personId, listAppearances(history, asked, question)]),
  );
  const { people, next } = selectPeople(service, call, [...appearances.keys()]);
  const result = people.map((person) => ({ person, appearances: appearances.get(Number(person['id'])) }));
  return { status: 200, body: { result, next, missing_persons: 0 } };
}

function readRetention(question: AnalysisQuestion): Retention {
  const { parameter, range } = question;
  const interval = readInterval(parameter('period'), 'period');
  const intervals = Math.max(1, wholeNumber(question, 'total_intervals', DEFAULT_INTERVALS));
  const selected = wholeNumber(question, 'selected_interval', 0);
  if (selected < 0 || selected >= intervals) {
    throw invalid('invalid_input', `There are ${intervals} intervals; the earliest is 0.`, 'selected_interval');
  }
  const last = intervalIndex(range.to, interval);
  return {
    target: readEntity(parameter('target_entity'), 'target_entity'),
    returning: readEntity(parameter('returning_entity'), 'returning_entity'),
    interval,
    first: last - intervals + 1 + selected,
    last,
  };
}

function listAppearances(history: PersonHistory, asked: Retention, question: AnalysisQuestion): number[] {
  const returned = listIntervals(history, { ...asked, entity: asked.returning, question });
  const later = Array.from({ length: asked.last - asked.first }, (_, index) => asked.first + 1 + index);
  return [1, ...later.map((piece) => Number(returned.has(piece)))];
}

function listIntervals(
  { occurrences }: PersonHistory,
  {
    entity,
    interval,
    question,
  }: { readonly entity: Entity; readonly interval: Interval; readonly question: AnalysisQuestion },
): Set<number> {
  const counted = occurrences.filter((occurrence) => matchesEntity(entity, occurrence, question.now));
  return new Set(counted.map(({ time }) => intervalIndex(time, interval)));
}
