/** `lifecycle`: persons who are new, returning, resurrecting or dormant in an interval. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { readHistories, type PersonHistory } from './histories.ts';
import { readInterval, intervalIndex, type Interval } from './intervals.ts';
import { answerPeopleBriefly } from './people.ts';
import { matchesEntity, readMoment, readQuestion } from './question.ts';

/** A person's activity in an interval and around it. */
interface Presence {
  readonly isNow: boolean;
  readonly wasBefore: boolean;
  /** The person's first event is in the interval. */
  readonly isFirst: boolean;
}

const STAGES: Readonly<Record<string, (presence: Presence) => boolean>> = {
  new: ({ isNow, isFirst }) => isNow && isFirst,
  returning: ({ isNow, wasBefore }) => isNow && wasBefore,
  resurrecting: ({ isNow, wasBefore, isFirst }) => isNow && !wasBefore && !isFirst,
  dormant: ({ isNow, wasBefore }) => !isNow && wasBefore,
};

export function lifecycle(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const type = question.parameter('lifecycle_type');
  const target = readMoment(question.parameter('target_date'), 'target_date', question.now);
  const stage = typeof type === 'string' && Object.hasOwn(STAGES, type) ? STAGES[type] : undefined;
  if (target === undefined || stage === undefined) return incomplete();
  const { entities, now } = question;
  const interval = readInterval(question.parameter('interval'), 'interval');
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const ids = readHistories(service, call, { question, entities, range })
    .map(({ personId, occurrences }) => ({
      personId,
      occurrences: occurrences.filter((occurrence) =>
        entities.some((entity) => matchesEntity(entity, occurrence, now)),
      ),
    }))
    .filter((history) => stage(findPresence(history, { target, interval })))
    .map(({ personId }) => personId);
  return answerPeopleBriefly(service, call, ids);
}

/** The real service does not use the error envelope here either. */
function incomplete(): Answer {
  const detail = `target_date and lifecycle_type (${Object.keys(STAGES).join(', ')}) need to be set`;
  return { status: 400, body: { message: 'Missing required parameters', detail } };
}

function findPresence(
  { occurrences }: PersonHistory,
  { target, interval }: { readonly target: number; readonly interval: Interval },
): Presence {
  const piece = intervalIndex(target, interval);
  const pieces = occurrences.map(({ time }) => intervalIndex(time, interval));
  return { isNow: pieces.includes(piece), wasBefore: pieces.includes(piece - 1), isFirst: pieces[0] === piece };
}
