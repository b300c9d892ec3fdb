/** A condition of a flag in words. Members that nobody here knows follow as they are. */

import {
  arrayOrEmpty,
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { escapeLine } from '../escape.ts';
import { inlineValue } from './value.ts';

/** `email icontains @acme.com and plan exact [pro] → 25%, variant test`. `filters`: those of the flag. */
export function conditionText(condition: JsonValue, filters: JsonObject, verbose: boolean): string {
  if (!isJsonObject(condition)) return inlineValue(condition);
  const { properties, rollout_percentage: share, variant, description } = condition;
  const group = condition['aggregation_group_type_index'] ?? filters['aggregation_group_type_index'];
  const everyone = group === undefined || group === null ? 'everyone' : `every group of type ${inlineValue(group)}`;
  const listed = arrayOrEmpty(properties).map(propertyText);
  const said = ['properties', 'rollout_percentage', 'variant', 'description', 'aggregation_group_type_index'];
  return [
    listed.length === 0 ? everyone : listed.join(' and '),
    group === undefined || group === null || listed.length === 0 ? '' : ` (groups of type ${inlineValue(group)})`,
    ` → ${percentText(share)}`,
    variant === undefined || isEmptyValue(variant) ? '' : `, variant ${inlineValue(variant)}`,
    restText(condition, isJsonArray(properties) ? said : said.slice(1), verbose),
    typeof description === 'string' && description !== '' ? `  # ${escapeLine(description)}` : '',
  ].join('');
}

/** Without a number, the service releases to everybody. */
export function percentText(share: JsonValue | undefined): string {
  return `${share === undefined || share === null ? '100' : inlineValue(share)}%`;
}

/** ` (sort_key: k-1)`: the members beside those that are said already. */
export function restText(object: JsonObject, said: readonly string[], verbose: boolean): string {
  const rest = definedKeys(object).filter(
    (name) => !said.includes(name) && (verbose || !(isEmptyValue(object[name] ?? null) || name === 'sort_key')),
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

export function propertyText(property: JsonValue): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const { key, type, operator = 'exact', value, negation, cohort_name: name } = property;
  const said = ['key', 'type', 'operator', 'value', 'negation', 'cohort_name', 'group_type_index', 'label'];
  const subject = subjectText(type, key, property['group_type_index']);
  // The service stores the name of an operator without a value as its value.
  const object = value === undefined || value === operator ? '' : ` ${named(inlineValue(value), name)}`;
  const not = negation === true ? 'not ' : '';
  return `${not}${subject} ${inlineValue(operator ?? 'exact')}${object}${restText(property, said, false)}`;
}

function subjectText(type: JsonValue | undefined, key: JsonValue | undefined, group: JsonValue | undefined): string {
  const shown = inlineValue(key ?? null);
  if (type === undefined || type === 'person') return shown;
  if (type === 'cohort') return 'cohort';
  return type === 'group' ? `group ${inlineValue(group ?? null)} ${shown}` : `${inlineValue(type)} ${shown}`;
}

function named(value: string, name: JsonValue | undefined): string {
  return typeof name === 'string' && name !== '' ? `${value} (${escapeLine(name)})` : value;
}
