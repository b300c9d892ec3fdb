/** The sentences about answers of flags to people: the value, what decided it, why it is unknown, and what a plan changes. */

import { arrayOrEmpty, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import type {
  DecidedAnswer,
  ChangedAnswer,
  ChangedAnswers,
  LiveAnswer,
} from '../../review/expectations/compare-answers.ts';
import type {
  ExpectedAnswer,
  ExpectationCase,
  DecidingCondition,
  TriedCondition,
  Undecided,
  Expected,
} from '../../review/expectations/expectation.ts';
import { readPattern } from '../../base/pattern/read-pattern.ts';
import { isReadable } from '../../review/effects/audience.ts';
import { findOperator } from '../../posthog/flag/model/operators.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { conditionName } from './effects.ts';
import { percentText, inlineValue } from './values.ts';
import { count, keysText } from './amounts.ts';

/** `ada: new-checkout`, with what the author calls the expectation. */
export function caseTitle({ person, flag, name }: Pick<ExpectationCase, 'person' | 'flag' | 'name'>): string {
  const title = `${escapeLine(person)}: ${escapeLine(flag)}`;
  return name === undefined ? title : `${title} (${escapeLine(name)})`;
}

/** The expectations that do not hold, or whose answer is unknown. */
export function unmet(cases: readonly ExpectationCase[]): readonly ExpectationCase[] {
  return cases.filter(({ verdict }) => verdict.outcome !== 'passed');
}

/** Returns one sentence, for formats without lines for each part. */
export function unmetText(one: ExpectationCase): string {
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
  return withPayload(value, payload ?? undefined);
}

/** The answer of the flag and what decided it. The payload is shown if one was expected. */
export function answerText(answer: ExpectedAnswer, expected: Expected): string {
  const { value, payload } = answer;
  const shown = expected.payload === undefined || value === false ? valueText(value) : withPayload(value, payload);
  return `${shown}: ${reasonText(answer)}`;
}

function withPayload(value: ExpectedAnswer['value'], payload: JsonValue | undefined): string {
  return `${valueText(value)}, ${payload === undefined ? 'no payload' : `payload ${shortValue(payload)}`}`;
}

/** JSON output has the whole value. */
function shortValue(value: JsonValue): string {
  return quoteShort(inlineValue(value), 200);
}

function valueText(value: ExpectedAnswer['value']): string {
  if (typeof value === 'string') return `variant ${inlineValue(value)}`;
  return value ? 'on' : 'off';
}

function reasonText({ reason, condition, conditions }: DecidedAnswer | ExpectedAnswer): string {
  const named = condition === undefined ? 'a condition' : conditionName(condition);
  switch (reason) {
    case 'condition_match':
      return `${named} matches`;
    case 'out_of_rollout_bound':
      return condition === undefined
        ? 'the person is outside the rollout, or has no id for it'
        : `${named} matches, but the person is outside its ${percentText(condition.condition['rollout_percentage'])}`;
    case 'no_condition_match':
      if (condition !== undefined) return `${named} does not match`;
      return conditions === 0 ? 'the flag has no conditions' : `none of the ${conditions} conditions matches`;
    case 'no_group_type':
      return conditions === 0 ? 'the flag has no conditions' : 'the person is in no group of the type that it asks for';
    case 'super_condition_value':
      return 'early access decides before the conditions';
    case 'holdout_condition_value':
      return 'the holdout takes the person out';
    case 'experiment_paused':
      return `${named} matches, and its split is paused`;
    case 'flag_disabled':
      return 'the flag is disabled';
    case 'flag_deleted':
      return 'the manifests delete the flag';
    case 'flag_missing':
      return 'the project has no such flag';
  }
}

/** `condition 1 (email contains "@acme.com"): email is "zoe@gmail.com"`. The condition that decided is named before. */
export function attemptText({ condition, result }: TriedCondition, decided: DecidingCondition | undefined): string {
  const name = condition.number === decided?.number ? `condition ${condition.number}` : conditionName(condition);
  return `${name}: ${resultText({ condition, result })}`;
}

function resultText({ condition: { condition }, result }: TriedCondition): string {
  switch (result.kind) {
    case 'unmatched':
      return foundText(objectOrEmpty(arrayOrEmpty(condition['properties'])[result.filter]), result.found);
    case 'undecided':
      return 'only PostHog can tell whether its filters match';
    case 'unreadable':
      return 'its filters cannot be read, so it matches nobody';
    case 'no_group':
      return `the person is in no group of type ${result.type}`;
    case 'no_device':
      return 'the person has no device_id, by which the flag assigns people';
    case 'left_out':
      // Rounded such that a rollout of so many percent includes it.
      return `a rollout of ${Math.ceil(result.position * 100) / 100}% or more includes ${quoteShort(result.identifier)}`;
    case 'matched':
      if (result.variant === undefined) return 'it matches';
      if (result.variant.kind === 'forced') return 'it matches and forces this variant';
      return `it matches, and ${quoteShort(result.identifier)} is at ${Math.floor(result.variant.position * 100) / 100}% of the variants`;
  }
}

function foundText(filter: JsonObject, found: JsonValue | undefined): string {
  const { key = null, type, value = null, operator } = filter;
  const name = quoteShort(inlineValue(key));
  if (type === 'cohort') {
    return `the person is ${operator === 'not_in' ? '' : 'not '}in cohort ${quoteShort(inlineValue(value))}`;
  }
  if (type === 'flag')
    return `flag ${name} is ${found === undefined ? 'unknown' : valueText(found as ExpectedAnswer['value'])}`;
  const owner = type === 'group' ? 'the group' : 'the person';
  if (found === undefined) return `${owner} has no ${name}`;
  return `${type === 'group' ? `${name} of the group` : name} is ${shortValue(found)}`;
}

export function undecidedRemedy(why: Undecided): string {
  switch (why.code) {
    case 'conditions_undeclared':
      return 'Declare its conditions, or remove the expectation.';
    case 'dependency_unknown':
      return 'Declare the conditions of these flags, or remove the expectation.';
    case 'filter_unknown':
      return findOperator(why.filter['operator'] ?? null)?.operand === 'regex'
        ? 'Write the regular expression in a simpler way, or remove the expectation.'
        : 'Correct the filter, remove the expectation, or use a release that knows such filters.';
    case 'unknown_format':
      return 'Remove the expectation, or use a release that knows the format.';
    case 'payload_encrypted':
      return 'Expect the value alone, without `payload`.';
  }
}

export function undecidedText(why: Undecided): string {
  switch (why.code) {
    case 'conditions_undeclared':
      return 'no manifest declares its conditions, so the service decides';
    case 'dependency_unknown':
      return `it depends on ${keysText(why.flags, quoteShort)}, whose value no manifest decides`;
    case 'filter_unknown':
      return `${conditionName(why.condition)}${why.dependency === undefined ? '' : ` of ${quoteShort(why.dependency)}`} has a filter ${unknownPart(why.filter)}`;
    case 'unknown_format':
      return 'this release does not know the format of its filters';
    case 'payload_encrypted':
      return 'its payloads are encrypted, and are not compared';
  }
}

function unknownPart({ operator = null, type = null, value = null }: JsonObject): string {
  if (findOperator(operator ?? 'exact') === undefined) {
    return `with the operator ${quoteShort(inlineValue(operator))}, which this release does not know`;
  }
  if (!isReadable({ key: 'any', type: type ?? 'person' })) {
    return `of the type ${quoteShort(inlineValue(type))}, which this release does not know`;
  }
  if (findOperator(operator)?.operand === 'regex') {
    const text = typeof value === 'string' ? value : inlineValue(value);
    const pattern = readPattern(text);
    const why = pattern.kind === 'unknown' ? pattern.reason : 'this value takes too many steps, or has new characters';
    return `with a regular expression that only PostHog can evaluate: ${quoteShort(text)} (${escapeLine(why)})`;
  }
  if (type === 'cohort') return 'on a cohort whose members only PostHog knows';
  return 'that this release cannot read';
}

/** `2 results change (1 of 5 people).` */
export function changedAnswersSummary({ people, changed, total }: Omit<ChangedAnswers, 'answers'>): string {
  if (total === 0) return `no result changes (${count(people, 'person', 'people')}).`;
  const change = total === 1 ? 'result changes' : 'results change';
  return `${total} ${change} (${changed} of ${count(people, 'person', 'people')}).`;
}

/** `ada: new-checkout off → variant one-page: condition 2 (everyone) matches`. */
export function changedAnswerText({ person, flag, before, after, payloadChanges }: ChangedAnswer): string {
  const name = `${escapeLine(person)}: ${escapeLine(flag)}`;
  if (before.kind === 'undecided' && after.kind === 'undecided') return `${name} ${decidedBy(after)}`;
  if (payloadChanges) return `${name} ${shortText(after)}, with another payload`;
  return `${name} ${shortText(before)} → ${decidedBy(after)}`;
}

function shortText(given: LiveAnswer): string {
  return given.kind === 'undecided' ? 'undecided' : valueText(given.answer.value);
}

function decidedBy(given: LiveAnswer): string {
  return given.kind === 'undecided'
    ? `undecided, since ${UNDECIDED[given.why]}`
    : `${shortText(given)}: ${reasonText(given.answer)}`;
}

const UNDECIDED: Readonly<Record<Extract<LiveAnswer, { readonly kind: 'undecided' }>['why'], string>> = {
  unknown_format: undecidedText({ code: 'unknown_format' }),
  dependency_unknown: 'it depends on a flag that does not exist or cannot be evaluated',
  filter_unknown: 'it depends on a filter that only the service can decide',
};
