/** `path`: persons who did one event right after another. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { readHistories, type PersonHistory } from './histories.ts';
import { answerPeople } from './people.ts';
import { readQuestion, type AnalysisQuestion } from './question.ts';

/**
 * `path_start_key` and `path_end_key` are event names. With one of them: persons who did it; with none: persons who did
 * any event.
 */
export function path(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const start = readEventName(question, 'path_start_key');
  const end = readEventName(question, 'path_end_key');
  const isMeant = ({ occurrences }: PersonHistory): boolean =>
    start !== undefined && end !== undefined
      ? occurrences.some(({ name }, index) => name === start && occurrences[index + 1]?.name === end)
      : occurrences.some(({ name }) => name === (start ?? end ?? name));
  const entities = [{ name: null, properties: [] }];
  const histories = readHistories(service, call, { question, entities, range: question.range });
  return answerPeople(
    service,
    call,
    histories.filter(isMeant).map(({ personId }) => personId),
  );
}

/** The real service prefixes steps with their number: `2_signed up`. */
function readEventName(question: AnalysisQuestion, name: string): string | undefined {
  const value = question.parameter(name) ?? '';
  if (typeof value !== 'string') throw invalid('invalid_input', 'The name of an event is a string.', name);
  return value === '' ? undefined : value.replace(/^\d+_/, '');
}
