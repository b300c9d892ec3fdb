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

/** `email icontains @acme.com and plan exact [pro] → 25%, variant test`. `filters`: those of the flag. */
export function conditionText(condition: JsonValue, filters: JsonObject, verbose: boolean): string {
  if (!isJsonObject(condition)) return inlineValue(condition);
  const { properties, rollout_percentage: share, variant, description } = condition;
  const group = condition['aggregation_group_type_index'] ?? filters['aggregation_group_type_index'];
  const everyone = group === undefined || group === null ? 'everyone' : `every group of type ${inlineValue(group)}`;
  const listed = arrayOrEmpty(properties).map(propertyText);
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

function propertyText(property: JsonValue): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const { key = null, type, operator = 'exact', value, negation, cohort_name: name } = property;
  const isOfPerson = type === undefined || type === 'person';
  const subject =
    isOfPerson || type === 'group'
      ? subjectOf(property)
      : type === 'cohort'
        ? 'cohort'
        : `${inlineValue(type)} ${inlineValue(key)}`;
  const alias = typeof name === 'string' && name !== '' ? ` (${escapeLine(name)})` : '';
  // The service stores the name of an operator without a value as its value.
  const object = value === undefined || value === operator ? '' : ` ${inlineValue(value)}${alias}`;
  const not = negation === true ? 'not ' : '';
  const rest = restText(property, [...SHOWN_MEMBERS, 'negation'], false);
  return `${not}${subject} ${inlineValue(operator ?? 'exact')}${object}${rest}`;
}

/** The most values of a list in a sentence. */
export const LISTED = 5;

export function listText(values: JsonArray): string {
  const shown = values.slice(0, LISTED).map(inlineValue).join(', ');
  return values.length <= LISTED ? shown : `${shown} and ${count(values.length - LISTED, 'other')}`;
}

/** The sentence for a property with these operators; the others are shown with the operator's name. */
const SENTENCES: Readonly<Record<string, (subject: string, value: JsonValue) => string>> = {
  exact: (subject, value) => `${subject} is ${alternatives(value)}`,
  is_not: (subject, value) => `${subject} is not ${alternatives(value)}`,
  is_set: (subject) => `${subject} is set`,
  is_not_set: (subject) => `${subject} is not set`,
  icontains: (subject, value) => `${subject} contains ${inlineValue(value)}`,
  in: (_, value) => `in cohort ${inlineValue(value)}`,
  not_in: (_, value) => `not in cohort ${inlineValue(value)}`,
  flag_evaluates_to: (subject, value) => `flag ${subject} is ${inlineValue(value)}`,
};

/** The members that sentences cover; a property with any other member is shown with it. */
const SHOWN_MEMBERS = ['key', 'type', 'operator', 'value', 'group_type_index', 'cohort_name', 'label'];

export function shortProperty(property: JsonValue): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const { value = null } = property;
  // Cohorts of old flags have operators of values, which mean nothing there.
  const isOfCohort = property['type'] === 'cohort' && property['operator'] !== 'not_in';
  const operator = isOfCohort ? 'in' : (property['operator'] ?? 'exact');
  const sentence = typeof operator === 'string' && Object.hasOwn(SENTENCES, operator) ? SENTENCES[operator] : undefined;
  const isShown = definedKeys(property).every((member) => SHOWN_MEMBERS.includes(member));
  return sentence === undefined || !isShown ? propertyText(property) : sentence(subjectOf(property), value);
}

export function subjectOf({ key = null, type, group_type_index: group = null }: JsonObject): string {
  return type === 'group' ? `group ${inlineValue(group)} ${inlineValue(key)}` : inlineValue(key);
}

function alternatives(value: JsonValue): string {
  if (!isJsonArray(value) || value.length === 0) return inlineValue(value);
  const [only] = value;
  return value.length === 1 && only !== undefined ? inlineValue(only) : `one of ${listText(value)}`;
}
