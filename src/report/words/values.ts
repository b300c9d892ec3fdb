/** JSON values for people, on one line in YAML flow style or as several lines for a diff; and conditions in words. */

import { stringifyJson } from '../../base/json-text.ts';
import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  memberOf,
  type JsonObject,
  type JsonValue,
  arrayOrEmpty,
  type JsonArray,
} from '../../base/json.ts';
import { findOperator, type Operator } from '../../posthog/flag/model/operators.ts';
import { escapeLine, escapeWholeLine } from '../escape.ts';
import { count } from './amounts.ts';

const PLAIN_WORD = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const AMBIGUOUS_WORD = /^(?:true|false|null|yes|no|on|off|none)$/i;
const BLOCK_LINE_WIDTH = 84;

/** `{ key: email, operator: icontains, value: "@acme.com" }`. A string is quoted where it could be read as something else. */
export function inlineValue(value: JsonValue): string {
  if (typeof value === 'string') return inlineText(value);
  if (isJsonArray(value)) return `[${value.map(inlineValue).join(', ')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = definedKeys(value).map((key) => `${inlineText(key)}: ${inlineValue(value[key] as JsonValue)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** The value on several lines: the lines of a string, or YAML block style. */
export function blockLines(value: JsonValue): string[] {
  if (typeof value === 'string') return value.split('\n').map(escapeWholeLine);
  return block(value, 0);
}

function inlineText(text: string): string {
  if (PLAIN_WORD.test(text) && !AMBIGUOUS_WORD.test(text)) return text;
  return escapeLine(stringifyJson(text));
}

function block(value: JsonValue, depth: number): string[] {
  const inline = inlineValue(value);
  if (inline.length + depth * 2 <= BLOCK_LINE_WIDTH) return [inline];
  if (isJsonArray(value)) {
    return value.flatMap((element) => {
      const [first = '', ...rest] = block(element, depth + 1);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (!isJsonObject(value)) return [inline];
  return definedKeys(value).flatMap((key) => {
    const name = inlineText(key);
    const lines = block(memberOf(value, key) as JsonValue, depth + 1);
    return lines.length === 1 ? [`${name}: ${lines[0] ?? ''}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** `email contains @acme.com and plan is pro → 25%, variant test`. `filters`: those of the flag. With `verbose`, properties are as the service has them. */
export function conditionText(condition: JsonValue, filters: JsonObject, verbose: boolean): string {
  if (!isJsonObject(condition)) return inlineValue(condition);
  const { properties, rollout_percentage: share, variant, description } = condition;
  const group = condition['aggregation_group_type_index'] ?? filters['aggregation_group_type_index'];
  const everyone = group === undefined || group === null ? 'everyone' : `every group of type ${inlineValue(group)}`;
  const listed = arrayOrEmpty(properties).map(verbose ? inlineValue : (one) => shortProperty(one));
  const shown = ['properties', 'rollout_percentage', 'variant', 'description', 'aggregation_group_type_index'];
  return [
    listed.length === 0 ? everyone : listed.join(' and '),
    group === undefined || group === null || listed.length === 0 ? '' : ` (groups of type ${inlineValue(group)})`,
    ` → ${percentText(share)}`,
    variant === undefined || isEmptyValue(variant) ? '' : `, variant ${inlineValue(variant)}`,
    restText(condition, isJsonArray(properties) ? shown : shown.slice(1), verbose),
    typeof description === 'string' && description !== '' ? `  # ${escapeLine(description)}` : '',
  ].join('');
}

/** The service releases to everybody if there is no number. */
export function percentText(share: JsonValue | undefined): string {
  return `${share === undefined || share === null ? '100' : inlineValue(share)}%`;
}

/** The members that are not shown elsewhere, such as ` (sort_key: k-1)`. */
export function restText(object: JsonObject, shown: readonly string[], verbose: boolean): string {
  const rest = definedKeys(object).filter(
    (name) => !shown.includes(name) && (verbose || !(isEmptyValue(object[name] ?? null) || name === 'sort_key')),
  );
  return rest.length === 0
    ? ''
    : ` (${rest.map((name) => `${escapeLine(name)}: ${inlineValue(object[name] ?? null)}`).join(', ')})`;
}

export function isEmptyValue(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && definedKeys(value).length === 0;
}

/** The most values of a list in a sentence. */
export const LISTED = 5;

export function listText(values: JsonArray, most: number = LISTED): string {
  const shown = values.slice(0, most).map(inlineValue).join(', ');
  return values.length <= most ? shown : `${shown} and ${count(values.length - most, 'other')}`;
}

/** What an operator says of its value. */
const SENTENCES: Readonly<Record<Operator, (value: JsonValue, most: number) => string>> = {
  exact: (value, most) => `is ${alternatives(value, most)}`,
  is_not: (value, most) => `is not ${alternatives(value, most)}`,
  is_set: () => 'is set',
  is_not_set: () => 'is not set',
  icontains: (value, most) => `contains ${alternatives(value, most)}`,
  not_icontains: (value) => `does not contain ${inlineValue(value)}`,
  icontains_multi: (value, most) => `contains ${alternatives(value, most)}`,
  not_icontains_multi: (value, most) => `contains none of ${listText(arrayOf(value), most)}`,
  starts_with: (value, most) => `starts with ${alternatives(value, most)}`,
  not_starts_with: (value, most) => `does not start with ${alternatives(value, most)}`,
  ends_with: (value, most) => `ends with ${alternatives(value, most)}`,
  not_ends_with: (value, most) => `does not end with ${alternatives(value, most)}`,
  regex: (value) => `matches the pattern ${inlineValue(value)}`,
  not_regex: (value) => `does not match the pattern ${inlineValue(value)}`,
  gt: (value) => `more than ${bareValue(value)}`,
  gte: (value) => `at least ${bareValue(value)}`,
  lt: (value) => `less than ${bareValue(value)}`,
  lte: (value) => `at most ${bareValue(value)}`,
  min: (value) => `at least ${bareValue(value)}`,
  max: (value) => `at most ${bareValue(value)}`,
  between: (value) => `between ${arrayOf(value).map(bareValue).join(' and ')}`,
  not_between: (value) => `not between ${arrayOf(value).map(bareValue).join(' and ')}`,
  is_date_exact: (value) => ifRelative(value, (ago) => `${ago} ago`) ?? `on ${bareValue(value)}`,
  is_date_before: (value) => ifRelative(value, (ago) => `more than ${ago} ago`) ?? `before ${bareValue(value)}`,
  is_date_after: (value) => ifRelative(value, (ago) => `in the last ${ago}`) ?? `after ${bareValue(value)}`,
  semver_eq: (value) => `is version ${bareValue(value)}`,
  semver_neq: (value) => `is not version ${bareValue(value)}`,
  semver_gt: (value) => `is a version after ${bareValue(value)}`,
  semver_gte: (value) => `is version ${bareValue(value)} or later`,
  semver_lt: (value) => `is a version before ${bareValue(value)}`,
  semver_lte: (value) => `is version ${bareValue(value)} or earlier`,
  semver_tilde: (value) => `is in the versions ~${bareValue(value)}`,
  semver_caret: (value) => `is in the versions ^${bareValue(value)}`,
  semver_wildcard: (value) => `is in the versions ${bareValue(value)}`,
  in: (value) => `in cohort ${inlineValue(value)}`,
  not_in: (value) => `not in cohort ${inlineValue(value)}`,
  flag_evaluates_to: (value) => `is ${inlineValue(value)}`,
};

const UNITS: Readonly<Record<string, string>> = {
  h: 'hour',
  d: 'day',
  w: 'week',
  m: 'month',
  y: 'year',
};

/** `30 days` of `-30d`, and of `30d`, which means the same. */
function ifRelative(value: JsonValue, say: (ago: string) => string): string | undefined {
  const [, amount = '', letter = ''] = /^-?(\d{1,6})([a-z])$/.exec(typeof value === 'string' ? value : '') ?? [];
  const unit = memberOf(UNITS, letter);
  return unit === undefined ? undefined : say(count(Number(amount), unit));
}

/** A number, date or version needs no quotes. */
function bareValue(value: JsonValue): string {
  return typeof value === 'string' && /^[\w.*:+-]+(?: [\w.*:+-]+)?$/.test(value) ? value : inlineValue(value);
}

function arrayOf(value: JsonValue): JsonArray {
  return isJsonArray(value) ? value : [value];
}

/** Operators whose words have no verb: `at least 25`. */
const VERBLESS: ReadonlySet<JsonValue> = new Set([
  ...['gt', 'gte', 'lt', 'lte', 'min', 'max', 'between', 'not_between'],
  ...['is_date_exact', 'is_date_before', 'is_date_after'],
]);

/** The members that sentences cover; a property with another one is shown with it. */
const SHOWN_MEMBERS = ['key', 'type', 'operator', 'value', 'negation', 'group_type_index', 'cohort_name', 'label'];

interface PropertyForm {
  readonly form?: 'short' | 'clause';
  /** The most values of a list. */
  readonly most?: number;
}

/** `seats at least 25`; as a clause, `seats is at least 25`. An operator that this release does not know is shown by its name. */
export function shortProperty(property: JsonValue, { form = 'short', most = LISTED }: PropertyForm = {}): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const { type, value = null, negation, cohort_name: name } = property;
  const isOfCohort = type === 'cohort';
  // Cohorts of old flags have operators of values, which mean nothing there.
  const operator = isOfCohort && property['operator'] !== 'not_in' ? 'in' : (property['operator'] ?? 'exact');
  const isKnown = findOperator(operator) !== undefined;
  const said = isKnown
    ? SENTENCES[operator as Operator](value, most)
    : `${inlineValue(operator)}${value === operator ? '' : ` ${inlineValue(value)}`}`;
  const alias = isOfCohort && typeof name === 'string' && name !== '' ? ` (${escapeLine(name)})` : '';
  const verb = form === 'clause' && VERBLESS.has(operator) ? 'is ' : '';
  const whole = isOfCohort ? `${said}${alias}` : `${subjectOf(property)} ${verb}${said}`;
  return `${negation === true ? `not (${whole})` : whole}${restText(property, SHOWN_MEMBERS, false)}`;
}

export function subjectOf({ key = null, type, group_type_index: group = null }: JsonObject): string {
  const isOfPerson = type === undefined || type === 'person';
  if (isOfPerson) return inlineValue(key);
  return type === 'group'
    ? `group ${inlineValue(group)} ${inlineValue(key)}`
    : `${inlineValue(type)} ${inlineValue(key)}`;
}

function alternatives(value: JsonValue, most: number): string {
  if (!isJsonArray(value) || value.length === 0) return inlineValue(value);
  const [only] = value;
  return value.length === 1 && only !== undefined ? inlineValue(only) : `one of ${listText(value, most)}`;
}
