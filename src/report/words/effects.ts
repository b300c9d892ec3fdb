/** The sentences for what changes do: one for each effect, in the words of the field. */

import { toPointer } from '../../base/json-pointer.ts';
import {
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  jsonEquals,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { AGGREGATION } from '../../effects/sides.ts';
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
import { MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { percentText, inlineValue, shortProperty, LISTED, listText, subjectOf } from './values.ts';
import { count, keysText } from './amounts.ts';

/** `condition 2 (country is US): 10% → 35%`, without a full stop. */
export function effectText(effect: Effect, quote: Quote = quoteShort): string {
  switch (effect.what) {
    case 'created':
    case 'restored':
      return `${effect.what} ${effect.active ? 'active' : 'disabled'}, with ${count(effect.conditions.length, 'condition')}`;
    case 'deleted':
      return 'nobody gets a value from it';
    case 'switched':
      return effect.on ? 'the flag is enabled' : 'the flag is disabled, and off for everybody';
    case 'renamed':
      return `the key ${quote(effect.from)} becomes ${quote(effect.to)}, and everybody is assigned anew`;
    case 'bucketing':
      return `${bucketingSubject(effect.condition)}${changedValue(effect)}, and ${effect.condition === undefined ? 'everybody is' : 'its people are'} assigned anew`;
    case 'variants':
      return `variants ${splitText(effect.before)} → ${splitText(effect.after)}: ${effect.moved}% of the people assigned by hash change`;
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
    case 'condition_rewritten':
      return conditionEffectText(effect);
  }
}

/** `widen, re-split`. */
export function classesText(classes: readonly EffectClass[]): string {
  return classes.join(', ');
}

/** `1 kill (checkout), 3 widen`: how many resources have each class, the riskiest first; and which, where people lose what they have. */
export function classCounts(found: readonly ResourceEffects[], order: readonly EffectClass[], quote: Quote): string {
  return order
    .map((name) => ({ name, keys: found.filter(({ classes }) => classes.includes(name)).map(nameOfResource) }))
    .filter(({ keys }) => keys.length > 0)
    .map(
      ({ name, keys }) => `${keys.length} ${name}${NAMED.has(name) ? ` (${keysText(keys, quote, MOST_NAMED)})` : ''}`,
    )
    .join(', ');
}

/** All but in a mass deletion. */
const MOST_NAMED = 20;

function nameOfResource(resource: ResourceEffects): string {
  return nameOfChange(resource as Pick<Change, 'resource' | 'key'>);
}

const NAMED: ReadonlySet<EffectClass> = new Set(['opaque', 'kill', 'delete', 're-bucket']);

function conditionEffectText(effect: ConditionEffect): string {
  const subject = conditionName(effect.condition);
  switch (effect.what) {
    case 'rollout':
      return `${subject}: ${effect.before}% → ${effect.after}%`;
    case 'audience':
      return `${subject}: ${propertyChangesText(effect)}${unjudgedText(effect)}`;
    case 'condition_added':
      return `${subject} is new, for ${rolloutText(effect.condition)}${unjudgedText(effect)}`;
    // A removed condition has its number in the list before; the others have theirs in the list after.
    case 'condition_removed':
      return `former ${subject} is removed; it was for ${rolloutText(effect.condition)}${unjudgedText(effect)}`;
    case 'condition_moved':
      return `${subject} ${movedText(effect)}; ${effect.matters ? 'the order decides here' : 'the order decides nothing here'}`;
    case 'condition_variant':
      return isNone(effect.after)
        ? `${subject} no longer forces the variant ${inlineValue(effect.before ?? null)}`
        : `${subject} forces the variant ${inlineValue(effect.after ?? null)}${isNone(effect.before) ? '' : ` instead of ${inlineValue(effect.before ?? null)}`}`;
    case 'condition_description':
      return `${subject}: another description`;
    case 'condition_rewritten':
      return `${subject}: its properties are written differently, for the same people`;
  }
}

function unjudgedText({ classes }: Pick<Effect, 'classes'>): string {
  return classes.includes('opaque') ? '; this release cannot judge it' : '';
}

/** `condition 2 (country is US)`. */
export function conditionName({ number, condition }: NumberedCondition): string {
  return `condition ${number} (${audienceText(condition)})`;
}

function audienceText(condition: JsonObject): string {
  const properties = arrayOrEmpty(condition['properties']);
  if (properties.length > 0) return properties.map(shortProperty).join(' and ');
  const group = condition[AGGREGATION] ?? null;
  return group === null ? 'everyone' : `every group of type ${inlineValue(group)}`;
}

function rolloutText({ condition }: NumberedCondition): string {
  return `${percentText(condition['rollout_percentage'])} of its people`;
}

function propertyChangesText({ added, removed, changed }: PropertyChanges): string {
  const list = (properties: readonly JsonObject[]): string => properties.map(shortProperty).join(' and ');
  return [
    ...(added.length === 0 ? [] : [`also requires ${list(added)}`]),
    ...(removed.length === 0 ? [] : [`no longer requires ${list(removed)}`]),
    ...changed.map(
      (property) =>
        longListText(property) ?? `${shortProperty(property.before)} becomes ${shortProperty(property.after)}`,
    ),
  ].join('; ');
}

/** The differences between lists that are too long to show twice. */
function longListText({ before, after }: PropertyChanges['changed'][number]): string | undefined {
  const { value: former, ...rest } = before;
  const { value: wanted, ...newRest } = after;
  if (!isJsonArray(former) || !isJsonArray(wanted) || !jsonEquals(rest, newRest)) return undefined;
  if (Math.max(former.length, wanted.length) <= LISTED) return undefined;
  const [gained, lost] = [missingIn(former, wanted), missingIn(wanted, former)];
  const parts = [
    ...(gained.length === 0 ? [] : [`gains ${listText(gained)}`]),
    ...(lost.length === 0 ? [] : [`loses ${listText(lost)}`]),
  ];
  return `the list of ${subjectOf(after)} ${parts.join(' and ')}`;
}

function missingIn(list: JsonArray, others: JsonArray): JsonArray {
  const known = new Set(list.map(canonicalText));
  return others.filter((value) => !known.has(canonicalText(value)));
}

/** Others may have changed their places around it. */
function movedText({ condition, from }: Extract<ConditionEffect, { readonly what: 'condition_moved' }>): string {
  return condition.number === from ? 'has other conditions before it now' : `was condition ${from}`;
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
  return `${memberName(field)} ${valuesText(values, FLAG_LABELS.absent(toPointer([field])))}`;
}

/** Omits values that may be secret. */
function unknownText(values: Omit<ChangedValue, 'field'>): string {
  return values.before === undefined && values.after === undefined ? 'changes' : valuesText(values);
}

/** `usual`: what the field means without a value. */
function valuesText({ before, after }: Omit<ChangedValue, 'field'>, usual?: JsonValue): string {
  const shown = (value = usual): string => (value === undefined ? '(none)' : inlineValue(value));
  return `${shown(before)} → ${shown(after)}`;
}

/** The name in manifests. */
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
