/** Sentences about impact: affected audiences and counted persons. */

import { arrayOrEmpty, isJsonObject } from '../../base/json.ts';
import { upperFirst } from '../../base/text.ts';
import type { NumberedCondition } from '../../effects/effect.ts';
import type { Audience, Estimate, FlagImpact, PersonCounts, PersonsRead, Shares } from '../../impact/impact.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';
import { conditionName } from './effects.ts';

/** Returns a text for each affected audience: `of condition 2 (country is US), 25% turn on; nobody else is affected`. */
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

/** `of 1204 people, 31 turn on, 5 undecided`; nothing where no people were counted. */
export function personsTexts({ persons }: Pick<FlagImpact, 'persons'>): string[] {
  if (persons === undefined) return [];
  const { undecided, unchanged: _, ...counts } = persons;
  const all = Object.values(persons).reduce((sum, number) => sum + number, 0);
  const parts = [
    ...KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${verbOf(kind, counts)}`),
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
  ];
  return [`of ${peopleText(all)}, ${parts.length === 0 ? 'nobody gets something else' : parts.join(', ')}`];
}

/** Everything about one flag, each fact in a line. */
export function impactFacts(found: FlagImpact): string[] {
  return [...impactTexts(found), ...personsTexts(found)];
}

/** One short sentence: `Of 1204 people, 31 turn on.`; `undefined` if nobody notices. */
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
      return texts.length === 1 && only.length <= LONGEST_SENTENCE ? `${upperFirst(only)}.` : upToSentence(estimate);
    }
  }
}

const LONGEST_SENTENCE = 120;

/** The greatest share of each kind. */
function upToSentence({ audiences }: Audiences): string {
  const greatest = (kind: keyof Shares): number => Math.max(0, ...audiences.map(({ shares }) => shares[kind]));
  const parts = KINDS.filter((kind) => greatest(kind) > 0);
  if (parts.length === 0) return 'Its impact is not known in full.';
  return `Of the people of a condition, up to ${parts.map((kind) => `${shareText(greatest(kind))} ${VERBS[kind]}`).join(', up to ')}.`;
}

/** `People: 1204 counted · 3 duplicate lines (4, 9, 12)`; nothing where no people were read. */
export function personsReadTexts(read: PersonsRead | undefined): string[] {
  if (read === undefined) return [];
  const faults = FAULTS.flatMap(([name, noun, plural]) => {
    const { count: all, first } = read[name];
    const numbers = `(${first.join(', ')}${first.length < all ? ', …' : ''})`;
    return all === 0 ? [] : [`${count(all, noun, plural)} ${numbers}`];
  });
  return [`People: ${[`${read.counted} counted`, ...faults].join(' · ')}`];
}

const FAULTS = [
  ['duplicate', 'duplicate line', 'duplicate lines'],
  ['withoutId', 'line without an id', 'lines without an id'],
  ['malformed', 'malformed line', 'malformed lines'],
] as const satisfies readonly (readonly [keyof PersonsRead, string, string])[];

function peopleText(number: number): string {
  return count(number, 'person', 'people');
}

/** Agrees with the number 1 for one person. */
function verbOf(kind: keyof Shares, counts: Pick<PersonCounts, keyof Shares>): string {
  return counts[kind] === 1 ? VERBS[kind].replace(/^\w+/, '$&s') : VERBS[kind];
}

const UNKNOWN = {
  format: 'not known, since only the service can evaluate such filters',
  cohort: 'not known, since this run does not know whom the changed cohort selects',
  filter: 'not known, since a filter that this release does not know decides',
  combinations: 'not known, since too many combinations of filters decide',
  left: 'not known, since the plan leaves another value than the one that the step begins with',
} as const;

type Audiences = Extract<Estimate, { readonly kind: 'audiences' }>;

function audienceTexts({ audiences, unmatched, cohortChanges, uncounted = [] }: Audiences): string[] {
  const affected = audiences.filter(({ shares }) => isAffected(shares));
  const parts = affected.map((audience) => audienceText(audience, audiences.length === 1));
  const isComplete = unmatched.length === 0 && cohortChanges === undefined && uncounted.length === 0;
  const rest = affected.length < audiences.length && isComplete ? '; nobody else is affected' : '';
  const last = parts.pop();
  const some = last === undefined ? [] : [...parts, last + rest];
  return [
    ...(some.length === 0 && isComplete ? ['nobody gets something else'] : some),
    ...unmatched.map(
      (condition) => `of ${conditionName(condition)}: not known, since this release does not know its filter`,
    ),
    ...(cohortChanges === undefined ? [] : ['people who enter or leave the changed cohort are affected too']),
    ...uncounted.map((field) => `what ${escapeLine(field)} does to people is not counted`),
  ];
}

function audienceText({ shares, upTo, ...who }: Audience, isOnly: boolean): string {
  return `of ${whoText(who, isOnly)}, ${sharesText(shares, upTo === true ? 'up to ' : '')}`;
}

function whoText(
  {
    conditions,
    former,
    through = [],
    without,
    enrolled,
    declined,
    others: isRest,
  }: Omit<Audience, 'shares' | 'method'>,
  isOnly: boolean,
): string {
  const named = [
    ...conditionNames({ conditions, former }),
    ...(enrolled === undefined ? [] : ['the people in early access']),
    ...(declined === undefined ? [] : ['the people who declined early access']),
  ];
  const others = through.map(({ key, ...condition }) => `${nameOfPeople(condition)} of ${quoteShort(key)}`);
  const by = others.join(' and ');
  const lacking = without === undefined ? [] : conditionNames(without);
  const apart = lacking.length === 0 ? '' : ` without ${lacking.join(' or ')}`;
  const own = named.join(' and ');
  if (own === '') return `${by || (isRest && !isOnly ? 'everyone else' : 'everyone')}${apart}`;
  return `${own}${by === '' ? '' : `, by ${by}`}${apart}`;
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
  turnsOn: 'turn on',
  turnsOff: 'turn off',
  changesVariant: 'change variant',
  changesPayload: 'get another payload',
};

const KINDS = Object.keys(VERBS) as (keyof Shares)[];

function isAffected(shares: Shares): boolean {
  return KINDS.some((kind) => shares[kind] > 0);
}

function sharesText(shares: Shares, prefix: '' | 'up to '): string {
  return KINDS.filter((kind) => shares[kind] > 0)
    .map((kind) => `${prefix}${shareText(shares[kind])} ${VERBS[kind]}`)
    .join(', ');
}

const LEAST_SHOWN = 0.01;

function shareText(share: number): string {
  return share < LEAST_SHOWN ? `less than ${LEAST_SHOWN}%` : `${Math.round(share * 100) / 100}%`;
}
