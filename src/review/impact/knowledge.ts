/**
 * What evaluation may ask about a person for a flag, before and after a change, and what is known: which predicates are true, which are false,
 * and which lists of predicates do not all hold.
 */

import { isJsonArray, isJsonObject, memberOf, type JsonValue } from '../../base/json.ts';
import { isBucketedByDevice } from '../../evaluation/hash.ts';
import { aggregationOf, isOpaque } from '../../evaluation/parts.ts';
import { parseDate } from '../../evaluation/values/dates.ts';
import type { Version } from '../../evaluation/values/semver.ts';
import type { Flag, Property } from '../../posthog/flag/model/flag.ts';
import {
  askedBy,
  enrolledBy,
  equalityName,
  factOf,
  numbersIn,
  versionIn,
  type Predicate,
  type PredicateContext,
  type PredicateKind,
  type PredicateQuestion,
} from './predicates.ts';
import type { FlagPair } from '../effects/worlds.ts';

export interface FlagQuestions {
  /** The demand that all filters of a condition match. */
  readonly filters: (properties: readonly Property[], aggregation: number | null) => Demand;
  /** The same, and the person is in a group of the type that the condition is about. */
  readonly audience: (properties: readonly Property[], aggregation: number | null) => Demand;
  readonly isInGroup: (type: number) => Demand;
  readonly hasDevice: Demand;
  readonly has: (property: string) => Demand;
  readonly enrolled: (property: string) => Demand;
  /** Whether two identifiers of the person are one. */
  readonly isSame: (one: IdentityKind, other: IdentityKind) => Demand;
  /** Pairs of identifiers that matter because one hash may use either. */
  readonly coupled: readonly (readonly [IdentityKind, IdentityKind])[];
  /** Whether what is known leaves only some identifiers, so that their hashes may not be those of people in general. */
  readonly pinsIdentifier: (knowledge: Knowledge) => boolean;
}

/** Identifiers of a person that may be equal. All are before the person signs in. */
const IDENTITIES = ['person', 'anonymous', 'device'] as const;
type IdentityKind = (typeof IDENTITIES)[number];

export function createQuestions(pair: FlagPair, reading: PredicateContext): FlagQuestions {
  const { demand, pinsIdentifier } = createModel(reading);
  const made = new Map<readonly Property[], Map<number | null, Demand>>();
  /** Values of flags are results of evaluation, not questions. What another operator on a flag does is unknown. */
  const asksOf = (properties: readonly Property[], aggregation: number | null): PredicateQuestion[] =>
    properties.flatMap((property) => {
      if (property.type !== 'flag') return [askedBy(property, aggregation, reading)];
      return property.operator === 'flag_evaluates_to' ? [] : [{ kind: 'unknown', subject: 'operator on flags' }];
    });
  const filters: FlagQuestions['filters'] = (properties, aggregation) => {
    const known = made.get(properties)?.get(aggregation);
    if (known !== undefined) return known;
    const found = demand(asksOf(properties, aggregation));
    made.set(properties, (made.get(properties) ?? new Map<number | null, Demand>()).set(aggregation, found));
    return found;
  };
  const groupFact = (type: number): PredicateQuestion => factOf(`in group ${type}`);
  return {
    filters,
    audience: (properties, aggregation) =>
      aggregation === null
        ? filters(properties, aggregation)
        : demand([...asksOf(properties, aggregation), groupFact(aggregation)]),
    isInGroup: (type) => demand([groupFact(type)]),
    hasDevice: demand([factOf('has device')]),
    has: (property) => demand([askedBy({ key: property, type: 'person', operator: 'is_set' }, null, reading)]),
    enrolled: (property) => demand([enrolledBy(property)]),
    isSame: (one, other) => demand([factOf(`${one} is ${other}`)]),
    coupled: findCoupled([pair.before, pair.after].flatMap((side) => side?.flags ?? [])),
    pinsIdentifier,
  };
}

/** Finds pairs of identifiers of which one hash may use either: a flag's, before and after, or a holdout's, which flags share. */
function findCoupled(flags: readonly Flag[]): FlagQuestions['coupled'] {
  const byKey = new Map<string, IdentityKind[]>();
  const ofHoldouts: IdentityKind[] = [];
  for (const flag of flags) {
    const person: IdentityKind = flag.ensure_experience_continuity ? 'anonymous' : 'person';
    const [isDevice, filters] = [isBucketedByDevice(flag), flag.filters ?? {}];
    const own = isOpaque(filters) ? 'person' : isDevice ? 'device' : person;
    byKey.set(flag.key, [...(byKey.get(flag.key) ?? []), own]);
    if (isJsonObject(filters['holdout']) && aggregationOf(filters) === null)
      ofHoldouts.push(...(isDevice ? (['device', person] as const) : [person]));
  }
  const together = [...byKey.values(), ofHoldouts];
  return IDENTITIES.flatMap((one, index) =>
    IDENTITIES.slice(index + 1)
      .filter((other) => together.some((own) => own.includes(one) && own.includes(other)))
      .map((other) => [one, other] as const),
  );
}

/** Immutable. */
export interface Knowledge {
  /** The code of each property, by its index, has a digit of base 3 for each predicate. 0: unknown, 1: true, 2: false. */
  readonly codes: readonly number[];
  /** Each demand has at least one predicate that is false. */
  readonly denied: readonly Demand[];
}

export const NOTHING_KNOWN: Knowledge = { codes: [], denied: [] };

/** All that a condition asks for of a person. Equal demands are one object. */
export interface Demand {
  readonly literals: readonly Literal[];
  /** Nobody can meet the demand. */
  readonly never: boolean;
  /** The demand includes something that this release does not know. */
  readonly unknown: boolean;
}

interface Literal {
  readonly property: PropertyModel;
  /** The value of its digit. */
  readonly place: number;
  readonly digit: 1 | 2;
  readonly opposite: Literal;
}

interface PropertyModel {
  readonly index: number;
  readonly subject: string;
  readonly predicates: Predicate[];
  isPossible: (code: number) => boolean;
}

interface KnowledgeModel extends Pick<FlagQuestions, 'pinsIdentifier'> {
  readonly demand: (asked: readonly PredicateQuestion[]) => Demand;
}

/** Further predicates form their own property: they count as independent. */
const MOST_DIGITS = 30;

function createModel(reading: PredicateContext): KnowledgeModel {
  const properties: PropertyModel[] = [];
  const newest = new Map<string, PropertyModel>();
  const literals = new Map<string, Literal>();
  const demands = new Map<string, Demand>();
  const propertyOf = (subject: string): PropertyModel => {
    const known = newest.get(subject);
    if (known !== undefined && known.predicates.length < MOST_DIGITS) return known;
    const made = { index: properties.length, subject, predicates: [], isPossible: () => true };
    properties.push(made);
    newest.set(subject, made);
    return made;
  };
  const whenTrue = (subject: string, predicate: Predicate): Literal => {
    const name = `${subject}\n${predicate.name}`;
    const known = literals.get(name);
    if (known !== undefined) return known;
    const property = propertyOf(subject);
    const place = 3 ** property.predicates.length;
    const parts = { property, place };
    const made: { -readonly [Name in keyof Literal]: Literal[Name] } = { ...parts, digit: 1, opposite: {} as Literal };
    made.opposite = { ...parts, digit: 2, opposite: made };

    property.predicates.push(predicate);
    property.isPossible = rememberPossible(property, reading);
    literals.set(name, made);
    return made;
  };
  const literalOf = (asked: PredicateQuestion): Literal[] => {
    if (asked.kind === 'constant') return [];
    const { subject, predicate, isTrue } = asked.kind === 'unknown' ? factOf(asked.subject) : asked;
    const literal = whenTrue(subject, predicate);
    return [isTrue ? literal : literal.opposite];
  };
  return {
    demand: (asked) => {
      const named = new Map(
        asked.flatMap(literalOf).map((one) => [`${one.property.index} ${one.place} ${one.digit}`, one]),
      );
      const never = asked.some((one) => one.kind === 'constant' && !one.answer);
      const unknown = asked.some(({ kind }) => kind === 'unknown');
      const name = [never, unknown, ...[...named.keys()].toSorted()].join();
      const known = demands.get(name) ?? { literals: [...named.values()], never, unknown };
      demands.set(name, known);
      return known;
    },
    pinsIdentifier: ({ codes }) => properties.some((property) => pinsIdentifier(property, codes[property.index] ?? 0)),
  };
}

const TRUTHS = [undefined, true, false];

function rememberPossible(
  { subject, predicates }: PropertyModel,
  reading: PredicateContext,
): PropertyModel['isPossible'] {
  const canBeMissing = /^(?:person|group \S+) /.test(subject) && subject !== DISTINCT_ID;
  const answers = new Map<number, boolean>();
  let isPossible: ReturnType<typeof createPossible> | undefined;
  return (code) => {
    const known = answers.get(code);
    if (known !== undefined) return known;
    isPossible ??= createPossible(predicates, { reading, canBeMissing });
    const answer = isPossible(predicates.map((_, at) => TRUTHS[Math.floor(code / 3 ** at) % 3]));
    answers.set(code, answer);
    return answer;
  };
}

const DISTINCT_ID = 'person distinct_id';

/** Equality leaves some identifiers. A part of a text leaves many, and so does the exclusion of a few. */
function pinsIdentifier({ subject, predicates }: PropertyModel, code: number): boolean {
  if (subject !== DISTINCT_ID && !/^group \S+ \$group_key$/.test(subject)) return false;
  return predicates.some(({ kind }, at) => {
    const digit = Math.floor(code / 3 ** at) % 3;
    return kind === 'value' ? digit === 1 : kind !== 'part' && kind !== 'set' && digit !== 0;
  });
}

/** Adds the answer; `undefined` if it is proved impossible. Returns the same object if the answer was known. */
export function learn(demand: Demand, answer: boolean, knowledge: Knowledge): Knowledge | undefined {
  if (answer) return demand.never ? undefined : assume(demand.literals, knowledge);
  if (demand.never || knowledge.denied.includes(demand)) return knowledge;
  if (demand.literals.some((literal) => digitOf(literal, knowledge) === literal.opposite.digit)) return knowledge;
  const open = demand.literals.filter((literal) => canBe(literal.opposite, knowledge));
  const [only] = open;
  if (only === undefined) return undefined;
  if (open.length === 1) return assume([only.opposite], knowledge);
  return { ...knowledge, denied: [...knowledge.denied, demand] };
}

function assume(literals: readonly Literal[], knowledge: Knowledge): Knowledge | undefined {
  let codes: number[] | undefined;
  for (const literal of literals) {
    const known: number = digitOf(literal, codes === undefined ? knowledge : { codes });
    if (known === literal.digit) continue;
    if (known !== 0) return undefined;
    codes ??= [...knowledge.codes];
    const { property, place, digit } = literal;
    while (codes.length <= property.index) codes.push(0);
    codes[property.index] = (codes[property.index] ?? 0) + place * digit;
    if (!property.isPossible(codes[property.index] ?? 0)) return undefined;
  }
  if (codes === undefined) return knowledge;
  const learned = { ...knowledge, codes };
  const holds = ({ literals: own }: Demand): boolean => own.some((one) => canBe(one.opposite, learned));
  return knowledge.denied.every(holds) ? learned : undefined;
}

function digitOf({ property, place }: Literal, { codes }: Pick<Knowledge, 'codes'>): number {
  return Math.floor((codes[property.index] ?? 0) / place) % 3;
}

function canBe(literal: Literal, knowledge: Knowledge): boolean {
  const known = digitOf(literal, knowledge);
  if (known !== 0) return known === literal.digit;
  const code = knowledge.codes[literal.property.index] ?? 0;
  return literal.property.isPossible(code + literal.place * literal.digit);
}

/** The truth of each predicate; `undefined`: true or false. */
type Truths = readonly (boolean | undefined)[];

/**
 * False only if no value, and no missing property, gives the predicates these truths. A value either equals one that a filter names
 * (`value`), or none of them; the predicates of each other kind depend on what the value reads as, which has few cases.
 */
function createPossible(
  predicates: readonly Predicate[],
  { reading, canBeMissing }: { readonly reading: PredicateContext; readonly canBeMissing: boolean },
): (truths: Truths) => boolean {
  const missing = canBeMissing ? [predicates.map((one) => one.test(undefined))] : [];
  const certain = distinct([...missing, ...namedValues(predicates, reading)]);
  const scales = scalesOf(predicates, reading);
  return (truths) => {
    if (certain.some((known) => agree(known, truths))) return true;
    const excludesOthers = ({ kind, values }: Predicate, index: number): boolean =>
      (kind === 'value' && truths[index] === true) ||
      (kind === 'set' && truths[index] === false) ||
      // Each text has the empty part, and none has one of no parts.
      (kind === 'part' && (truths[index] === true ? values.size === 0 : truths[index] === false && values.has('')));
    if (predicates.some(excludesOthers)) return false;
    if (!scales.every((cases) => cases.some((known) => agree(known, truths)))) return false;
    const contradicts = (one: Predicate, other: Predicate, truth: boolean | undefined): boolean =>
      truth === true ? one.excludes === other.name || areApart(one, other) : truth === false && contains(one, other);
    return !predicates.some(
      (one, at) => truths[at] === true && predicates.some((other, index) => contradicts(one, other, truths[index])),
    );
  };
}

function agree(known: Truths, truths: Truths): boolean {
  return truths.every((truth, index) => truth === undefined || known[index] === undefined || known[index] === truth);
}

/** The truth of all predicates for each value that a filter names. */
function namedValues(predicates: readonly Predicate[], reading: PredicateContext): Truths[] {
  const named = new Map<string, JsonValue>();
  for (const { kind, wanted } of predicates)
    if (kind === 'value')
      for (const value of isJsonArray(wanted) ? wanted : [wanted])
        named.set(equalityName(value, reading.generation), value);
  return [...named].map(([name, value]) => predicates.map((one) => truthOf(one, { name, value }, reading)));
}

/**
 * Today, equality ignores case, and a number equals its text, so only what these spellings have in common is known. Regular expressions and
 * dates may differ from the service's, and are not tried.
 */
function truthOf(
  predicate: Predicate,
  { name, value }: { readonly name: string; readonly value: JsonValue },
  { generation }: PredicateContext,
): boolean | undefined {
  const isOne = generation === 'python-2023' || !/[a-z]/i.test(name);
  const found = generation === 'python-2023' ? value : name;
  switch (predicate.kind) {
    case 'set':
      return true;
    case 'value':
      return predicate.values.has(name);
    case 'part':
      return isOne || IS_ASCII.test(name) ? predicate.test(found) : undefined;
    case 'number':
      return predicate.test(found);
    case 'truth':
      return generation === 'python-2023' || !/^(?:\[.*|true)$/.test(name) ? predicate.test(found) : undefined;
    case 'version':
      return isOne ? predicate.test(found) : undefined;
    case 'date with offset':
    case 'date without offset':
    case 'relative date':
    case 'free':
      return undefined;
  }
}

const IS_ASCII = /^[ -~]*$/;

/** The cases of the predicates of each kind, as values that stand for them. */
function scalesOf(predicates: readonly Predicate[], reading: PredicateContext): Truths[][] {
  const kinds = Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[];
  return kinds.flatMap((kind) => {
    const own = predicates.filter((one) => one.kind === kind);
    // A range may have no number: its bounds are in the wrong order, or there are not two.
    const isNeeded = own.length > 1 || own.some(({ operator }) => operator.endsWith('between'));
    const values = isNeeded ? EXAMPLES[kind](own, reading) : undefined;
    if (values === undefined) return [];
    const cases = [...values, UNREADABLE].map((value) =>
      predicates.map((one) => (one.kind === kind ? one.test(value) : undefined)),
    );
    return [distinct(cases)];
  });
}

/** Neither a number nor a date, a version or a truth. */
const UNREADABLE = 'unreadable';

const EXAMPLES = {
  truth: () => [true, 'TRUE'],
  number: (own) => aroundNumbers(own.flatMap(numbersIn)),
  'date with offset': aroundDates,
  'date without offset': aroundDates,
  'relative date': aroundDates,
  version: aroundVersions,
} as const satisfies Partial<
  Record<PredicateKind, (own: readonly Predicate[], reading: PredicateContext) => readonly JsonValue[] | undefined>
>;

/** Each number, one between any two neighbors, and the ends. */
function aroundNumbers(numbers: readonly number[]): readonly JsonValue[] {
  const sorted = [...new Set(numbers)].filter(Number.isFinite).toSorted((a, b) => a - b);
  const between = sorted.slice(1).map((number, index) => (number + (sorted[index] ?? 0)) / 2);
  return [...sorted, ...between, 'inf', '-inf'];
}

/** Moments as texts, and in seconds, which have no end of the years. */
function aroundDates(own: readonly Predicate[], reading: PredicateContext): readonly JsonValue[] {
  const moments = own.flatMap(({ wanted }) => (typeof wanted === 'string' ? (parseDate(wanted, reading) ?? []) : []));
  const sorted = [...new Set(moments)].toSorted((a, b) => a - b);
  const between = sorted.slice(1).map((moment, index) => (moment + (sorted[index] ?? 0)) / 2);
  const ends = [-8e12, 8e12];
  const texts = sorted.map((moment) => new Date(moment).toISOString());
  return [...texts, ...[...sorted, ...between].map((moment) => moment / 1000), ...ends];
}

/**
 * Ranges begin and end at a version, at its release, or at the next patch, minor or major release. Between any two of these the list has a
 * version, a release and a pre-release, if one exists. `undefined` if build metadata matters.
 */
function aroundVersions(own: readonly Predicate[]): readonly JsonValue[] | undefined {
  const bases = own.flatMap(({ wanted }) => versionIn(wanted) ?? []);
  if (bases.some(({ build }) => build.length > 0)) return undefined;
  const ends = [...bases, ZERO].flatMap(({ major, minor, patch }) => [
    [major, minor, patch],
    [major, minor, patch + 1n],
    [major, minor + 1n, 0n],
    [major + 1n, 0n, 0n],
  ]);
  const releases = ends.flatMap(([major, minor, patch = 0n]) =>
    [patch, patch + 1n].map((next) => `${major}.${minor}.${next}`),
  );
  const early = bases.flatMap(({ major, minor, patch, pre }) => {
    const text = `${major}.${minor}.${patch}-${pre.join('.')}`;
    return pre.length === 0 ? [] : [text, `${text}.0`];
  });
  return [...releases, ...releases.map((release) => `${release}-0`), ...early];
}

const ZERO: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };

/** Whether each value that contains the one part also contains the other. */
function contains(one: Predicate, other: Predicate): boolean {
  const test = memberOf(WITHIN, other.operator);
  const isWithin = other.operator.startsWith('icontains') || one.operator === other.operator;
  if (test === undefined || one.kind !== 'part' || !isWithin) return false;
  return [...one.values].every((text) => [...other.values].some((part) => test(text, part)));
}

/** Whether a value that contains, begins or ends with the text also does so with the part. */
const WITHIN: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  icontains: (text, part) => text.includes(part),
  icontains_multi: (text, part) => text.includes(part),
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
};

/** Whether no value begins, or ends, with both. */
function areApart(one: Predicate, other: Predicate): boolean {
  if (one.operator !== other.operator || !one.operator.endsWith('_with')) return false;
  return !contains(one, other) && !contains(other, one);
}

function distinct(lists: readonly Truths[]): Truths[] {
  return [...new Map(lists.map((truths) => [truths.join(), truths])).values()];
}
