/** Sentences about effects on people and about impact: affected audiences and counted persons. */

import { toPointer } from '../../base/json-pointer.ts';
import {
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { upperFirst } from '../../base/text.ts';
import {
  type Effect,
  type EffectClass,
  type NumberedCondition,
  type PropertyChanges,
  type ResourceEffects,
  type VariantShare,
} from '../../review/effects/effect.ts';
import { AGGREGATION } from '../../review/effects/sides.ts';
import type { Quote } from '../../posthog/names/resource-name.ts';
import type { Audience, Estimate, FlagImpact, PersonsRead, Shares } from '../../review/effects/impact.ts';
import { rolloutOf } from '../../posthog/flag/model/flag.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { MEMBER_NAMES } from '../../posthog/flag/model/fields.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { textOf, type TextsFor } from '../phrase.ts';
import { count, keysText } from './amounts.ts';
import { inlineValue, listText, percentText, shortProperty, subjectOf } from './values.ts';

/** `condition 2 (country is US): 10% → 35%`, without a full stop. */
export function effectText(effect: Effect, quote: Quote = quoteShort): string {
  return textOf(EFFECTS, 'what')(effect, quote);
}

/** A removed condition has its number in the list before; the others have theirs in the list after. */
const EFFECTS: TextsFor<Effect, 'what'> = {
  created: createdText,
  restored: createdText,
  deleted: () => 'nobody gets a value from it',
  switched: ({ on }) => (on ? 'the flag is enabled' : 'the flag is disabled, and off for everybody'),
  renamed: ({ from, to }, quote) => `the key ${quote(from)} becomes ${quote(to)}, and everyone is reassigned`,
  bucketing: ({ condition, ...changed }) =>
    condition === undefined
      ? `${changedValue(changed)}, and everyone is reassigned`
      : `${conditionName(condition)}: ${changedValue(changed)}, and its people are reassigned`,
  variants: ({ before, after, moved }) =>
    `variants ${splitText(before)} → ${splitText(after)}: ${moved}% of people get another variant`,
  payload: ({ payload, how }) => `the payload of ${inlineValue(payload)} is ${how}`,
  setting: changedValue,
  metadata: ({ field }) => `${memberName(field)} changes, which does not affect evaluation`,
  // Values that may be secret are omitted.
  unknown: ({ path, before, after }) =>
    `${escapeLine(path)} ${before === undefined && after === undefined ? 'changes' : valuesText(before, after)}, which this release cannot judge`,
  access: ({ action, role }, quote) => `${action} of ${role === undefined ? 'everyone' : quote(role)}`,
  cohort: ({ action, flags, audience }, quote) => {
    if (flags.length === 0) return `${action} of a cohort that no flag uses`;
    if (action !== 'update') return `${action} of a cohort that decides in ${keysText(flags, quote)}`;
    if (audience === 'same') return `${AUDIENCES.same}, which changes nobody's value of ${keysText(flags, quote)}`;
    return `${AUDIENCES[audience ?? 'other']}: may change who gets ${keysText(flags, quote)}`;
  },
  rollout: ({ condition, before, after }) => `${conditionName(condition)}: ${before}% → ${after}%`,
  audience: (effect) => `${conditionName(effect.condition)}: ${propertyChangesText(effect)}${unjudgedText(effect)}`,
  condition_added: (effect) =>
    `${conditionName(effect.condition)} is new, for ${rolloutText(effect.condition)}${unjudgedText(effect)}`,
  condition_removed: (effect) =>
    `former ${conditionName(effect.condition)} is removed; it was for ${rolloutText(effect.condition)}${unjudgedText(effect)}`,
  condition_moved: ({ condition, from, matters }) => {
    // Others may have changed their places around it.
    const moved = condition.number === from ? 'has other conditions before it now' : `was condition ${from}`;
    return `${conditionName(condition)} ${moved}; ${matters ? 'the order matters here' : 'the order does not matter here'}`;
  },
  condition_variant: ({ condition, before = null, after = null }) =>
    isNone(after)
      ? `${conditionName(condition)} no longer forces the variant ${inlineValue(before)}`
      : `${conditionName(condition)} forces the variant ${inlineValue(after)}${isNone(before) ? '' : ` instead of ${inlineValue(before)}`}`,
  condition_description: ({ condition }) => `${conditionName(condition)}: another description`,
  condition_rewritten: ({ condition }) =>
    `${conditionName(condition)}: its properties are written differently, for the same people`,
};

const AUDIENCES = {
  wider: 'more people are in the cohort',
  narrower: 'fewer people are in the cohort',
  same: 'the definition of the cohort is written differently',
  other: 'other people may be in the cohort',
} as const;

/** `widen: condition 1 (everyone): 10% → 35%`. Of a cohort that may do anything, the classes would only repeat that. */
export function effectLine(effect: Effect, quote: Quote = quoteShort): string {
  const isAnything = effect.what === 'cohort' && effect.action === 'update' && effect.classes.length === ANY.length;
  const before = effect.what === 'created' ? 'new: ' : isAnything ? '' : `${effect.classes.join(', ')}: `;
  return `${before}${effectText(effect, quote)}`;
}

const ANY: readonly EffectClass[] = ['widen', 'narrow', 're-split'];

/** Who gets the flag. */
function createdText({ active, conditions, others = [] }: Extract<Effect, { readonly active: boolean }>): string {
  if (others.includes('is_remote_configuration')) return 'its payload is for everybody who reads remote configurations';
  if (!active) return 'nobody gets it yet: it is disabled';
  if (others.includes('filters')) return 'this release cannot judge who gets it';
  const names = others.map(memberName);
  const decide = others.length === 1 ? 'decides' : 'decide';
  const reached = conditions.filter(({ condition }) => condition['rollout_percentage'] !== 0);
  if (reached.length === 0) {
    if (names.length > 0) return `${listed(names)} ${decide} who gets it`;
    return `nobody gets it yet: ${conditions.length === 0 ? 'it has no condition' : 'its rollout is 0%'}`;
  }
  const isOpen = ({ condition }: NumberedCondition): boolean => arrayOrEmpty(condition['properties']).length === 0;
  const isForAll = (one: NumberedCondition): boolean =>
    isOpen(one) && rolloutOf(one.condition) === 100 && effectAudience(one.condition) === 'everyone';
  if (names.length === 0 && reached.some(isForAll)) return 'on for everyone';
  const shown = reached
    .slice(0, MOST_REACHED)
    .map(
      (one) =>
        `${percentText(one.condition['rollout_percentage'])} of ${isOpen(one) ? effectAudience(one.condition) : conditionName(one)}`,
    );
  const more = reached.length - shown.length;
  const who = listed([...shown, ...(more === 0 ? [] : [count(more, 'more condition')])]);
  return `on for ${who}${names.length === 0 ? '' : `; ${listed(names)} ${decide} too`}`;
}

const MOST_REACHED = 3;

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `1 kill (checkout), 3 widen`: how many resources have each class, the riskiest first; and which, where people lose what they have. */
export function classCounts(found: readonly ResourceEffects[], order: readonly EffectClass[], quote: Quote): string {
  return order
    .map((name) => ({
      name,
      keys: found
        .filter(({ classes }) => classes.includes(name))
        .map((one) => nameOfChange(one as Pick<Change, 'resource' | 'key'>)),
    }))
    .filter(({ keys }) => keys.length > 0)
    .map(
      ({ name, keys }) => `${keys.length} ${name}${LOSSES.has(name) ? ` (${keysText(keys, quote, MOST_NAMED)})` : ''}`,
    )
    .join(', ');
}

/** What each class means, for readers who see it for the first time. */
export function legendText(classes: readonly EffectClass[]): string {
  return classes.map((name) => `${name}: ${MEANINGS[name]}`).join('; ');
}

const MEANINGS: Readonly<Record<EffectClass, string>> = {
  opaque: 'this release cannot tell what changes',
  kill: 'off for everybody',
  delete: 'nobody gets a value',
  're-bucket': 'everyone is reassigned',
  enable: 'the flag is turned on',
  restore: 'a deleted flag is back',
  widen: 'more people get it',
  narrow: 'fewer people get it',
  're-split': 'some people get another variant',
  create: 'a new flag',
  dependency: 'the flags that it depends on change',
  access: 'other people may edit it',
  payload: 'another payload for the same people',
  metadata: 'no effect on people',
};

/** All but in a mass deletion. */
const MOST_NAMED = 20;

/** Where people lose what they have, or where anything may happen. */
export const LOSSES: ReadonlySet<EffectClass> = new Set(['opaque', 'kill', 'delete', 're-bucket']);

function unjudgedText({ classes }: Pick<Effect, 'classes'>): string {
  return classes.includes('opaque') ? '; this release cannot judge it' : '';
}

/** `condition 2 (country is US)`. */
export function conditionName({ number, condition }: NumberedCondition): string {
  return `condition ${number} (${effectAudience(condition)})`;
}

function effectAudience(condition: JsonObject): string {
  const properties = arrayOrEmpty(condition['properties']);
  if (properties.length > 0) return properties.map((one) => shortProperty(one)).join(' and ');
  const group = condition[AGGREGATION] ?? null;
  return group === null ? 'everyone' : `every group of type ${inlineValue(group)}`;
}

function rolloutText({ condition }: NumberedCondition): string {
  return `${percentText(condition['rollout_percentage'])} of its people`;
}

function propertyChangesText({ added, removed, changed }: PropertyChanges): string {
  const list = (properties: readonly JsonObject[]): string => properties.map((one) => shortProperty(one)).join(' and ');
  return [
    ...(added.length === 0 ? [] : [`also requires ${list(added)}`]),
    ...(removed.length === 0 ? [] : [`no longer requires ${list(removed)}`]),
    ...changed.map(
      (property) =>
        longListText(property) ?? `${shortProperty(property.before)} becomes ${shortProperty(property.after)}`,
    ),
  ].join('; ');
}

/** The differences between lists that are too long to read twice. */
function longListText({ before, after }: PropertyChanges['changed'][number]): string | undefined {
  const { value: former, ...rest } = before;
  const { value: wanted, ...newRest } = after;
  if (!isJsonArray(former) || !isJsonArray(wanted) || !jsonEquals(rest, newRest)) return undefined;
  if (Math.max(former.length, wanted.length) < LONG_LIST) return undefined;
  const [gained, lost] = [missingIn(former, wanted), missingIn(wanted, former)];
  const parts = [
    ...(gained.length === 0 ? [] : [`gains ${listText(gained)}`]),
    ...(lost.length === 0 ? [] : [`loses ${listText(lost)}`]),
  ];
  return `the list of ${subjectOf(after)} ${parts.join(' and ')}`;
}

const LONG_LIST = 3;

function missingIn(list: JsonArray, others: JsonArray): JsonArray {
  const known = new Set(list.map(canonicalText));
  return others.filter((value) => !known.has(canonicalText(value)));
}

function splitText(shares: readonly VariantShare[]): string {
  return shares
    .map(({ key, percentage }) => `${key === undefined ? 'none' : inlineValue(key)} ${percentage}%`)
    .join(', ');
}

function changedValue({
  field,
  before,
  after,
}: {
  readonly field: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}): string {
  return `${memberName(field)} ${valuesText(before, after, FLAG_LABELS.absent(toPointer([field])))}`;
}

/** `usual`: what the field means without a value. */
function valuesText(before: JsonValue | undefined, after: JsonValue | undefined, usual?: JsonValue): string {
  const shown = (value = usual): string => (value === undefined ? '(none)' : inlineValue(value));
  return `${shown(before)} → ${shown(after)}`;
}

function memberName(field: string): string {
  return escapeLine(MEMBER_NAMES.get(field) ?? field);
}

function isNone(value: JsonValue): boolean {
  return value === null || value === '';
}

/** Returns a text for each affected audience: `of condition 2 (country is US), 25% get the flag; nobody else is affected`. */
export function impactTexts({ estimate }: Pick<FlagImpact, 'estimate'>): string[] {
  switch (estimate.kind) {
    case 'dormant':
      return [];
    case 'unknown':
      return [UNKNOWN[estimate.why]];
    case 'audiences':
      return audienceTexts(estimate);
  }
}

/** `changes through base`, for a flag without its own change. */
export function throughText({ through = [] }: Pick<FlagImpact, 'through'>): string {
  return through.length === 0
    ? 'changes through a cohort that it uses'
    : `changes through ${keysText(through, quoteShort)}`;
}

/** `of 1204 people, 31 get the flag, 5 undecided`; nothing where no people were counted. */
export function personsTexts({ persons }: Pick<FlagImpact, 'persons'>): string[] {
  if (persons === undefined) return [];
  const { undecided, unchanged: _, ...counts } = persons;
  const all = Object.values(persons).reduce((sum, number) => sum + number, 0);
  const parts = [
    ...KINDS.filter((kind) => counts[kind] > 0).map(
      (kind) => `${counts[kind]} ${counts[kind] === 1 ? VERBS[kind].replace(/^\w+/, '$&s') : VERBS[kind]}`,
    ),
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
  ];
  return [
    `of ${count(all, 'person', 'people')}, ${parts.length === 0 ? 'nobody gets a different value' : parts.join(', ')}`,
  ];
}

/** Everything about one flag, each fact in a line. */
export function impactFacts(found: FlagImpact): string[] {
  return [...impactTexts(found), ...personsTexts(found)];
}

/** One short sentence: `Of 1204 people, 31 get the flag.`; `undefined` if nobody notices. */
export function impactSentence(found: FlagImpact): string | undefined {
  const [counted] = personsTexts(found);
  if (counted !== undefined) return `${upperFirst(counted)}.`;
  const { estimate } = found;
  switch (estimate.kind) {
    case 'dormant':
      return undefined;
    case 'unknown':
      return `Its impact is ${UNKNOWN[estimate.why]}.`;
    case 'audiences': {
      const texts = audienceTexts(estimate);
      const [only = ''] = texts;
      if (texts.length === 1 && only.length <= LONGEST_SENTENCE) return `${upperFirst(only)}.`;
      // The greatest share of each kind.
      const greatest = (kind: keyof Shares): number =>
        Math.max(0, ...estimate.audiences.map(({ shares }) => shares[kind]));
      const parts = KINDS.filter((kind) => greatest(kind) > 0);
      if (parts.length === 0) return 'Its impact is only partly known.';
      return `Of the people of a condition, up to ${parts.map((kind) => `${shareText(greatest(kind))} ${VERBS[kind]}`).join(', up to ')}.`;
    }
  }
}

const LONGEST_SENTENCE = 120;

/** `People: 1204 counted · 3 duplicate lines (4, 9, 12)`; nothing where no people were read. */
export function personsReadText(read: PersonsRead): string {
  const faults = FAULTS.flatMap(([name, noun, plural]) => {
    const { count: all, first } = read[name];
    const numbers = `(${first.join(', ')}${first.length < all ? ', …' : ''})`;
    return all === 0 ? [] : [`${count(all, noun, plural)} ${numbers}`];
  });
  return [`${read.counted} counted`, ...faults].join(', ');
}

const FAULTS = [
  ['duplicate', 'duplicate line', 'duplicate lines'],
  ['withoutId', 'line without an id', 'lines without an id'],
  ['malformed', 'malformed line', 'malformed lines'],
] as const satisfies readonly (readonly [keyof PersonsRead, string, string])[];

const UNKNOWN = {
  format: 'not known, since only the service can evaluate such filters',
  cohort: 'not known, since this run does not know whom the changed cohort selects',
  filter: 'not known, since a filter that this release does not know decides',
  combinations: 'not known, since too many combinations of filters decide',
  left: 'not known, since the plan leaves another value than the one that the step begins with',
} as const;

type Audiences = Extract<Estimate, { readonly kind: 'audiences' }>;

function audienceTexts({ audiences, unmatched, cohortChanges, uncounted = [] }: Audiences): string[] {
  const affected = audiences.filter(({ shares }) => KINDS.some((kind) => shares[kind] > 0));
  const parts = affected.map((audience) => audienceText(audience, audiences.length === 1));
  const isComplete = unmatched.length === 0 && cohortChanges === undefined && uncounted.length === 0;
  const rest = affected.length < audiences.length && isComplete ? '; nobody else is affected' : '';
  const last = parts.pop();
  const some = last === undefined ? [] : [...parts, last + rest];
  return [
    ...(some.length === 0 && isComplete ? ['nobody gets a different value'] : some),
    ...unmatched.map(
      (condition) => `of ${conditionName(condition)}: not known, since this release does not know its filter`,
    ),
    ...(cohortChanges === undefined ? [] : ['people who enter or leave the changed cohort are affected too']),
    ...uncounted.map((field) => `what ${escapeLine(field)} does to people is not counted`),
  ];
}

function audienceText(audience: Audience, isOnly: boolean): string {
  const { shares, upTo, conditions, former, through = [], without, enrolled, declined, others: isRest } = audience;
  const own = [
    ...conditionNames({ conditions, former }),
    ...(enrolled === undefined ? [] : ['the people in early access']),
    ...(declined === undefined ? [] : ['the people who declined early access']),
  ].join(' and ');
  const by = through.map(({ key, ...condition }) => `${nameOfPeople(condition)} of ${quoteShort(key)}`).join(' and ');
  const lacking = without === undefined ? [] : conditionNames(without);
  const apart = lacking.length === 0 ? '' : ` without ${lacking.join(' or ')}`;
  const who =
    own === '' ? by || (isRest && !isOnly ? 'everyone else' : 'everyone') : `${own}${by === '' ? '' : `, by ${by}`}`;
  const prefix = upTo === true ? 'up to ' : '';
  const counts = KINDS.filter((kind) => shares[kind] > 0).map(
    (kind) => `${prefix}${shareText(shares[kind])} ${VERBS[kind]}`,
  );
  return `of ${who}${apart}, ${counts.join(', ')}`;
}

function conditionNames({ conditions, former }: Pick<Audience, 'conditions' | 'former'>): string[] {
  return [...conditions.map(nameOfPeople), ...former.map((condition) => `former ${nameOfPeople(condition)}`)];
}

/** The name leaves out conditions on other flags: hashes decide about those, so shares are of the people whom the rest selects. */
function nameOfPeople({ number, condition }: NumberedCondition): string {
  const properties = arrayOrEmpty(condition['properties']);
  const ofPeople = properties.filter((property) => !isJsonObject(property) || property['type'] !== 'flag');
  return conditionName({ number, condition: { ...condition, properties: ofPeople } });
}

/** The order is that in sentences. */
const VERBS: Readonly<Record<keyof Shares, string>> = {
  turnsOn: 'get the flag',
  turnsOff: 'lose the flag',
  changesVariant: 'change variant',
  changesPayload: 'get another payload',
};

const KINDS = Object.keys(VERBS) as (keyof Shares)[];

const LEAST_SHOWN = 0.01;

function shareText(share: number): string {
  return share < LEAST_SHOWN ? `less than ${LEAST_SHOWN}%` : `${Math.round(share * 100) / 100}%`;
}
