/** The JSON of `test`, also if expectations do not hold (schemas/test.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import type {
  ExpectedAnswer,
  ExpectationCase,
  DecidingCondition,
  TriedCondition,
  Undecided,
} from '../../../expectations/verdict.ts';
import type { ReportOf } from '../../report.ts';
import { countOutcome } from '../../words/checked.ts';
import { FORMAT_VERSION } from './seal.ts';
import { defined } from '../../../base/optional.ts';

export function testDocument({ files, people, projects, cases }: ReportOf<'test'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    files,
    people,
    projects,
    summary: {
      passed: countOutcome(cases, 'passed'),
      failed: countOutcome(cases, 'failed'),
      undecided: countOutcome(cases, 'undecided'),
    },
    cases: cases.map(caseDocument),
  };
}

function caseDocument({ project, flag, person, name, place, expected, verdict }: ExpectationCase): JsonObject {
  return {
    outcome: verdict.outcome,
    project,
    flag,
    person,
    ...defined({ name }),
    ...place,
    expected: { value: expected.value, ...defined({ payload: expected.payload }) },
    ...(verdict.outcome === 'undecided'
      ? { undecided: undecidedDocument(verdict.why) }
      : { answer: answerDocument(verdict.answer) }),
    ...(verdict.outcome === 'failed' && verdict.attempts.length > 0
      ? { conditions: verdict.attempts.map(attemptDocument) }
      : {}),
  };
}

function undecidedDocument(why: Undecided): JsonObject {
  return why.code === 'filter_unknown' ? { ...why, condition: conditionDocument(why.condition) } : { ...why };
}

function attemptDocument({ condition, result }: TriedCondition): JsonObject {
  const { kind, ...facts } = result;
  return { number: condition.number, ...condition.place, condition: condition.condition, result: kind, ...facts };
}

function answerDocument({ value, payload, reason, condition }: ExpectedAnswer): JsonObject {
  return {
    value,
    ...defined({ payload }),
    reason,
    ...defined({ condition: condition && conditionDocument(condition) }),
  };
}

function conditionDocument({ number, place, condition }: DecidingCondition): JsonObject {
  return { number, ...place, condition };
}
