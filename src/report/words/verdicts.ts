/** The sentences for what flags answer people: the value, what decided it, and why it is unknown. */

import type { DecidedAnswer } from '../../expectations/changed-answers.ts';
import type { Answer, Case, Undecided } from '../../expectations/verdict.ts';
import type { Expected } from '../../expectations/expectation.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { conditionName } from './effects.ts';
import { percentText } from './conditions.ts';
import { keysText } from './lists.ts';
import { inlineValue } from './value.ts';

/** `ada: new-checkout`, with what the author calls the expectation. */
export function caseTitle({ person, flag, name }: Pick<Case, 'person' | 'flag' | 'name'>): string {
  const title = `${escapeLine(person)}: ${escapeLine(flag)}`;
  return name === undefined ? title : `${title} (${escapeLine(name)})`;
}

/** The expectations that do not hold, or whose answer is unknown. */
export function unmet(cases: readonly Case[]): readonly Case[] {
  return cases.filter(({ verdict }) => verdict.outcome !== 'passed');
}

/** In one sentence, for formats that have no lines for each part. */
export function unmetText(one: Case): string {
  const { expected, verdict, project } = one;
  const got =
    verdict.outcome === 'undecided'
      ? `unknown, since ${undecidedText(verdict.why)}`
      : answerText(verdict.answer, expected);
  return `${caseTitle(one)} in ${escapeLine(project)} is expected to be ${expectedText(expected)}, and is ${got}.`;
}

/** `variant test, payload { color: red }`. */
export function expectedText({ value, payload }: Expected): string {
  if (payload === undefined) return valueText(value);
  return `${valueText(value)}, ${payload === null ? 'no payload' : `payload ${inlineValue(payload)}`}`;
}

/** What the flag answers and what decided it. The payload is shown where it was expected too. */
export function answerText(answer: Answer, expected: Expected): string {
  const { value, payload } = answer;
  const shown = expected.payload === undefined || value === false ? valueText(value) : withPayload(value, payload);
  return `${shown}: ${reasonText(answer)}`;
}

function withPayload(value: Answer['value'], payload: Answer['payload']): string {
  return `${valueText(value)}, ${payload === undefined ? 'no payload' : `payload ${inlineValue(payload)}`}`;
}

export function valueText(value: Answer['value']): string {
  if (typeof value === 'string') return `variant ${inlineValue(value)}`;
  return value ? 'on' : 'off';
}

/** What decided an answer. */
export function reasonText({ reason, condition, conditions }: DecidedAnswer | Answer): string {
  const named = condition === undefined ? 'a condition' : conditionName(condition);
  switch (reason) {
    case 'condition_match':
      return `${named} matches`;
    case 'out_of_rollout_bound':
      return condition === undefined
        ? 'the person is outside the roll-out, or has no id for it'
        : `${named} matches, but its ${percentText(condition.condition['rollout_percentage'])} leave the person out`;
    case 'no_condition_match':
      if (condition !== undefined) return `${named} does not match`;
      return conditions === 0 ? 'the flag has no conditions' : `none of the ${conditions} conditions matches`;
    case 'no_group_type':
      return conditions === 0 ? 'the flag has no conditions' : 'the person is in no group of the type that it asks for';
    case 'super_condition_value':
      return 'early access decides before the conditions';
    case 'holdout_condition_value':
      return 'the holdout takes the person out';
    case 'flag_disabled':
      return 'the flag is disabled';
    case 'flag_deleted':
      return 'the manifests delete the flag';
    case 'flag_missing':
      return 'the project has no such flag';
  }
}

export function undecidedText(why: Undecided): string {
  switch (why.code) {
    case 'conditions_undeclared':
      return 'no manifest declares its conditions, so the service decides';
    case 'dependency_unknown':
      return `it depends on ${keysText(why.flags, quoteShort)}, whose value no manifest decides`;
    case 'unknown_format':
      return 'this release does not know the format of its filters';
    case 'payload_encrypted':
      return 'its payloads are encrypted, and are not compared';
  }
}
