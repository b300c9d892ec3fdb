/** Decides the outcome for one person, some of whose facts may be unknown. */

import { objectFrom } from '../../base/json.ts';
import type { EvaluationContext, Subject } from '../../evaluation/input.ts';
import { compareValues, valueOf, type PersonOutcome, type FlagPair } from '../outcome.ts';
import { askOpen } from '../paths.ts';
import type { KnownAnswers } from './answers.ts';
import { rememberDecisions, UNDECIDED, type Room } from './decisions.ts';
import { DEVICE, GROUP, PERSON } from './identifiers.ts';
import type { QuestionContent, PersonQuestion, PersonQuestions } from './questions.ts';

export interface DecisionInput {
  readonly pair: FlagPair;
  readonly context: EvaluationContext;
  /** Indexes of the types of groups by which conditions assign people. */
  readonly groupTypes: readonly string[];
  readonly byDevice: boolean;
  /** Properties by which people are in early access. */
  readonly enrolments: readonly string[];
  /** Members of cohorts may differ before and after. */
  readonly cohortChanges: boolean;
}

/**
 * Decides about one flag; `answersAt` has the answers for each distinct id of the person. `undecided` where the outcome depends
 * on what is unknown, or on the distinct id that a client uses.
 */
export type Decider = (answersAt: (index: number) => KnownAnswers | undefined) => PersonOutcome | typeof UNDECIDED;

/** `room`: shared by all flags. */
export function createDecider(asked: DecisionInput, { questions, room }: Remembering): Decider {
  const decide = rememberDecisions<PersonQuestion, PersonOutcome>(
    (ask) => runOnce(asked, (asking) => ask(questions.find(asking))),
    room,
  );
  return (answersAt) => {
    let agreed: PersonOutcome;
    for (let index = 0; ; index += 1) {
      const answers = answersAt(index);
      if (answers === undefined) return index === 0 ? UNDECIDED : agreed;
      const outcome = decide(answers.answer);
      const isOfId = answers.takeDependence();
      if (outcome === UNDECIDED || !isOfId) return outcome;
      if ((index > 0 && outcome !== agreed) || index >= MOST_IDS) return UNDECIDED;
      agreed = outcome;
    }
  };
}

export interface Remembering {
  readonly questions: PersonQuestions;
  readonly room: Room;
}

/** A limit on the time for each person. */
const MOST_IDS = 64;

/** Everything about the person that evaluation reads is asked for. */
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
