/** `trends` and `stickiness`: who did an event, and in how many intervals. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { readHistories, type PersonHistory } from './histories.ts';
import { readInterval, intervalIndex } from './intervals.ts';
import { answerPeople, answerPeopleBriefly } from './people.ts';
import { matchesEntity, readQuestion, wholeNumber, type AnalysisQuestion } from './question.ts';

/** Persons who did one of the events in the range. */
export function trends(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const ids = listActive(service, call, question).map(({ personId }) => personId);
  return answerPeople(service, call, ids);
}

/** Persons who did an event in exactly `stickiness_days` of the intervals, or in any without that number. */
export function stickiness(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const interval = readInterval(question.parameter('interval'), 'interval');
  const days = wholeNumber(question, 'stickiness_days', 0);
  const isSticky = ({ occurrences }: PersonHistory): boolean =>
    days === 0 || new Set(occurrences.map(({ time }) => intervalIndex(time, interval))).size === days;
  const ids = listActive(service, call, question).filter(isSticky);
  return answerPeopleBriefly(
    service,
    call,
    ids.map(({ personId }) => personId),
  );
}

/** Histories with only the events of the question. */
function listActive(service: ServiceContext, call: Call, question: AnalysisQuestion): PersonHistory[] {
  const { entities, range, now } = question;
  return readHistories(service, call, { question, entities, range }).flatMap(({ personId, occurrences }) => {
    const counted = occurrences.filter((occurrence) =>
      entities.some((entity) => matchesEntity(entity, occurrence, now)),
    );
    return counted.length === 0 ? [] : [{ personId, occurrences: counted }];
  });
}
