/** Decides the outcome for one person, some of whose facts may be unknown. */

import { objectFrom } from '../../base/json.ts';
import type { EvaluationContext, Subject, HashName } from '../../evaluation/input.ts';
import { compareValues, type FlagPair, type PersonOutcome, valueOf } from '../outcome.ts';
import { type RememberedDecisions, rememberDecisions, type Room } from './decisions.ts';
import { DEVICE, GROUP, PERSON } from './person.ts';
import type { PersonQuestion, PersonQuestions, QuestionContent } from './questions.ts';

export interface DecisionInput {
  readonly pair: FlagPair;
  readonly context: EvaluationContext;
  /** Indexes of the types of groups by which conditions assign people. */
  readonly groupTypes: readonly string[];
  readonly byDevice: boolean;
  /** Properties that put people in early access. */
  readonly enrolments: readonly string[];
  /** Members of cohorts may differ before and after. */
  readonly cohortChanges: boolean;
}

/** Decides about one flag. */
export type Decider = RememberedDecisions<PersonQuestion, PersonOutcome>;

/** `room`: shared by all flags. */
export function createDecider(
  asked: DecisionInput,
  { questions, room }: { readonly questions: PersonQuestions; readonly room: Room },
): Decider {
  return rememberDecisions((ask) => runOnce(asked, (asking) => ask(questions.find(asking))), room);
}

/** Decides once; `ask` is called for everything that evaluation reads of the person. */
function runOnce(asked: DecisionInput, ask: (asking: QuestionContent) => boolean): PersonOutcome {
  const { pair, context, cohortChanges } = asked;
  const subject = subjectFrom(asked, ask);
  const hash = askOpen(({ hash: name, share }) => ask({ kind: 'hash', hash: name, share }));
  const [former, wanted] = [pair.before, pair.after].map((evaluated, side) =>
    valueOf(evaluated, subject, {
      ...context,
      assumptions: {
        hash,
        filter: (property, aggregation) => {
          if (property.type === 'flag') return undefined;
          if (cohortChanges && property.type === 'cohort') return ask({ kind: 'member', property, side });
          return ask({ kind: 'filter', property, aggregation });
        },
      },
    }),
  );
  return compareValues(former ?? false, wanted ?? false, pair.payloads);
}

function subjectFrom(
  { groupTypes, byDevice, enrolments }: DecisionInput,
  ask: (asking: QuestionContent) => boolean,
): Subject {
  const types = groupTypes.filter((type) => ask({ kind: 'group', type }));
  const deciding = enrolments.filter((property) => ask({ kind: 'has', property }));
  return {
    distinctId: PERSON,
    personProperties: objectFrom(deciding.map((property) => [property, ask({ kind: 'enrolled', property })])),
    groups: Object.fromEntries(types.map((type) => [type, GROUP + type])),
    groupProperties: {},
    ...(byDevice && ask({ kind: 'device' }) ? { deviceId: DEVICE } : {}),
  };
}

/** Whether the hash lies in the first `share` of its range. */
export type Decide = (hash: HashName, share: number) => boolean;

/** A decision that earlier ones on the same hash leave open; `range`: where they leave the hash. */
export interface OpenDecision {
  readonly hash: HashName;
  readonly share: number;
  readonly range: readonly [low: number, high: number];
}

/** Sums of decimal shares are inexact by less than this. */
const NEGLIGIBLE = 1e-9;

/** Asks only what earlier answers do not imply. */
export function askOpen(ask: (decision: OpenDecision) => boolean): Decide {
  const ranges = new Map<string, OpenDecision['range']>();
  return (hash, share) => {
    const name = `${hash.kind} ${hash.flagKey}.${hash.identifier}`;
    const range = ranges.get(name) ?? [0, 1];
    const [low, high] = range;
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    const isBelow = ask({ hash, share, range });
    ranges.set(name, isBelow ? [low, share] : [share, high]);
    return isBelow;
  };
}
