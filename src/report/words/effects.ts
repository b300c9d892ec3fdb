/** The sentences for what changes do: one for each effect, in the words of the field. */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type {
  ConditionEffect,
  Effect,
  EffectClass,
  NumberedCondition,
  PropertyChanges,
  ResourceEffects,
  VariantShare,
} from '../../effects/effect.ts';
import type { Quote } from '../../engine/labels.ts';
import { MEMBER_NAMES } from '../../posthog/flag/fields.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { percentText, propertyText } from './conditions.ts';
import { count } from './count.ts';
import { keysText } from './lists.ts';
import { inlineValue } from './value.ts';

/** `condition 2 (country is US): 10% → 35%`, without a full stop. */
export function effectText(effect: Effect, quote: Quote = quoteShort): string {
  switch (effect.what) {
    case 'created':
    case 'restored':
      return `${effect.what} ${effect.active ? 'active' : 'disabled'}, with ${count(effect.conditions.length, 'condition')}`;
    case 'deleted':
      return 'nobody gets a value any more';
    case 'switched':
      return effect.on ? 'the flag is enabled' : 'the flag is disabled, and off for everybody';
    case 'renamed':
      return `the key ${quote(effect.from)} becomes ${quote(effect.to)}, and everybody is assigned anew`;
    case 'bucketing':
      return `${bucketingSubject(effect.condition)}${changedValue(effect)}, and ${effect.condition === undefined ? 'everybody is' : 'its people are'} assigned anew`;
    case 'variants':
      return `variants ${splitText(effect.before)} → ${splitText(effect.after)}: ${effect.moved}% of people change`;
    case 'payload':
      return `the payload of ${inlineValue(effect.payload)} is ${effect.how}`;
    case 'setting':
      return changedValue(effect);
    case 'metadata':
      return `${memberName(effect.field)} changes, which nobody is evaluated by`;
    case 'unknown':
      return `${escapeLine(effect.path)} ${unknownText(effect)}, which this release cannot judge`;
    case 'access':
      return `${effect.action} of ${effect.role === undefined ? 'everyone' : quote(effect.role)}`;
    case 'cohort':
      return cohortText(effect.action, effect.flags, quote);
    case 'rollout':
    case 'audience':
    case 'condition_added':
    case 'condition_removed':
    case 'condition_moved':
    case 'condition_variant':
    case 'condition_description':
      return conditionEffectText(effect);
  }
}

/** `widen, re-split`. */
export function classesText(classes: readonly EffectClass[]): string {
  return classes.join(', ');
}

/** `1 kill, 3 widen`: how many resources have each class, the riskiest first. */
export function classCounts(found: readonly ResourceEffects[], order: readonly EffectClass[]): string {
  return order
    .map((name) => ({ name, amount: found.filter(({ classes }) => classes.includes(name)).length }))
    .filter(({ amount }) => amount > 0)
    .map(({ name, amount }) => `${amount} ${name}`)
    .join(', ');
}

function conditionEffectText(effect: ConditionEffect): string {
  const subject = conditionName(effect.condition);
  switch (effect.what) {
    case 'rollout':
      return `${subject}: ${effect.before}% → ${effect.after}%`;
    case 'audience':
      return `${subject}: ${propertyChangesText(effect)}`;
    case 'condition_added':
      return `${subject} is new, for ${rolloutText(effect.condition)}`;
    case 'condition_removed':
      return `${subject} is removed; it was for ${rolloutText(effect.condition)}`;
    case 'condition_moved':
      return `${subject} was condition ${effect.from}; ${effect.matters ? 'the order decides here' : 'the order decides nothing here'}`;
    case 'condition_variant':
      return isNone(effect.after)
        ? `${subject} no longer forces the variant ${inlineValue(effect.before ?? null)}`
        : `${subject} forces the variant ${inlineValue(effect.after ?? null)}${isNone(effect.before) ? '' : ` instead of ${inlineValue(effect.before ?? null)}`}`;
    case 'condition_description':
      return `${subject}: another description`;
  }
}

/** `condition 2 (country is US)`. */
export function conditionName({ number, condition }: NumberedCondition): string {
  return `condition ${number} (${audienceText(condition)})`;
}

function audienceText(condition: JsonObject): string {
  const properties = arrayOrEmpty(condition['properties']);
  return properties.length === 0 ? 'everyone' : properties.map(shortProperty).join(' and ');
}

function rolloutText({ condition }: NumberedCondition): string {
  return `${percentText(condition['rollout_percentage'])} of its people`;
}

function propertyChangesText({ added, removed, changed }: PropertyChanges): string {
  const list = (properties: readonly JsonObject[]): string => properties.map(shortProperty).join(' and ');
  return [
    ...(added.length === 0 ? [] : [`also requires ${list(added)}`]),
    ...(removed.length === 0 ? [] : [`no longer requires ${list(removed)}`]),
    ...changed.map(({ before, after }) => `${shortProperty(before)} becomes ${shortProperty(after)}`),
  ].join('; ');
}

/** How a property of these operators reads; the others are shown with the operator's name. */
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

function shortProperty(property: JsonValue): string {
  if (!isJsonObject(property)) return inlineValue(property);
  const { key = null, type = 'person', value = null, negation } = property;
  const operator = property['operator'] ?? (type === 'cohort' ? 'in' : 'exact');
  const sentence = typeof operator === 'string' && Object.hasOwn(SENTENCES, operator) ? SENTENCES[operator] : undefined;
  if (sentence === undefined || negation === true) return propertyText(property);
  return sentence(type === 'group' ? `group ${inlineValue(key)}` : inlineValue(key), value);
}

function alternatives(value: JsonValue): string {
  if (!isJsonArray(value)) return inlineValue(value);
  const [only] = value;
  if (value.length === 1 && only !== undefined) return inlineValue(only);
  return `one of ${value.map(inlineValue).join(', ')}`;
}

function splitText(shares: readonly VariantShare[]): string {
  return shares
    .map(({ key, percentage }) => `${key === undefined ? 'none' : inlineValue(key)} ${percentage}%`)
    .join(', ');
}

function bucketingSubject(condition: NumberedCondition | undefined): string {
  return condition === undefined ? '' : `${conditionName(condition)}: `;
}

interface ChangedValue {
  readonly field: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

function changedValue({ field, ...values }: ChangedValue): string {
  return `${memberName(field)} ${valuesText(values)}`;
}

/** Without values where they may be secret. */
function unknownText(values: Omit<ChangedValue, 'field'>): string {
  return values.before === undefined && values.after === undefined ? 'changes' : valuesText(values);
}

function valuesText({ before, after }: Omit<ChangedValue, 'field'>): string {
  const shown = (value: JsonValue | undefined): string => (value === undefined ? '(none)' : inlineValue(value));
  return `${shown(before)} → ${shown(after)}`;
}

/** As manifests name it. */
function memberName(field: string): string {
  return escapeLine(MEMBER_NAMES.get(field) ?? field);
}

function cohortText(action: string, flags: readonly string[], quote: Quote): string {
  if (flags.length === 0) return `${action} of a cohort that no flag uses`;
  return `${action} of a cohort that decides in ${keysText(flags, quote)}`;
}

function isNone(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
