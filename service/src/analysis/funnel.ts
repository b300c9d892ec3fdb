/** `funnel` and `funnel/correlation`: how many steps of a funnel persons completed. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { readHistories, type PersonHistory } from './histories.ts';
import { answerPeople } from './people.ts';
import {
  readEntity,
  matchesEntity,
  readQuestion,
  wholeNumber,
  type Entity,
  type AnalysisQuestion,
} from './question.ts';

const DAY_MS = 86_400_000;
const DEFAULT_WINDOW_DAYS = 14;
const CORRELATED = 'funnel_correlation_person_entity';

/**
 * `funnel_step` n: persons who reached step n (1 is the first); -n: persons who reached the step before n but not n.
 */
export function funnel(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const step = wholeNumber(question, 'funnel_step', 1);
  const steps = question.entities.length;
  if (step === 0 || step === -1 || Math.abs(step) > steps) {
    throw invalid('invalid_input', `The funnel has ${steps} steps; drop-off starts at the second.`, 'funnel_step');
  }
  const isMeant = (reached: number): boolean => (step > 0 ? reached >= step : reached === -step - 1);
  return answerPeople(service, call, findPersons(service, call, { question, isMeant }));
}

/** Counts the persons who also did the entity, among those who completed the funnel (or began and did not complete it). */
export function funnelCorrelation(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const converted = question.parameter('funnel_correlation_person_converted');
  if (![undefined, null, true, false, 'true', 'false', ''].includes(converted as string)) {
    throw invalid('invalid_input', 'Must be a valid boolean.', 'funnel_correlation_person_converted');
  }
  const hasConverted = converted !== false && converted !== 'false';
  const steps = question.entities.length;
  const isMeant = (reached: number): boolean => (hasConverted ? reached === steps : reached > 0 && reached < steps);
  const reached = new Set(findPersons(service, call, { question, isMeant }));
  const entity = readEntity(question.parameter(CORRELATED), CORRELATED);
  const { range, now } = question;
  const didEntity = readHistories(service, call, { question, entities: [entity], range }).filter(({ occurrences }) =>
    occurrences.some((occurrence) => matchesEntity(entity, occurrence, now)),
  );
  const ids = didEntity.map(({ personId }) => personId).filter((id) => reached.has(id));
  return answerPeople(service, call, ids);
}

function findPersons(
  service: ServiceContext,
  call: Call,
  { question, isMeant }: { readonly question: AnalysisQuestion; readonly isMeant: (reached: number) => boolean },
): number[] {
  const { entities, range } = question;
  const windowMs = wholeNumber(question, 'funnel_window_days', DEFAULT_WINDOW_DAYS) * DAY_MS;
  return readHistories(service, call, { question, entities, range })
    .filter((history) => isMeant(furthestStep(history, { steps: entities, windowMs, now: question.now })))
    .map(({ personId }) => personId);
}

/** The highest number of consecutive steps that the person completed within the window after the first. */
function furthestStep(
  { occurrences }: PersonHistory,
  { steps, windowMs, now }: { readonly steps: readonly Entity[]; readonly windowMs: number; readonly now: Date },
): number {
  let furthest = 0;
  for (const [index, first] of occurrences.entries()) {
    let reached = 0;
    for (const occurrence of occurrences.slice(index)) {
      const step = steps[reached];
      if (step === undefined || occurrence.time > first.time + windowMs) break;
      if (matchesEntity(step, occurrence, now)) reached += 1;
      else if (reached === 0) break;
    }
    furthest = Math.max(furthest, reached);
    if (furthest === steps.length) break;
  }
  return furthest;
}
