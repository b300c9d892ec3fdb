/** What is known about a person: which predicates are true, which are false, and which lists of predicates do not all hold. */

import { createPossible } from './property-values.ts';
import { factOf, type PredicateQuestion, type Predicate, type PredicateContext } from './predicates.ts';

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

export interface KnowledgeModel {
  readonly demand: (asked: readonly PredicateQuestion[]) => Demand;
  /** Whether what is known leaves only some identifiers, so that their hashes may not be those of people in general. */
  readonly pinsIdentifier: (knowledge: Knowledge) => boolean;
}

/** Further predicates form their own property: they count as independent. */
const MOST_DIGITS = 30;

export function createModel(reading: PredicateContext): KnowledgeModel {
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
      const named = new Map(asked.flatMap(literalOf).map((one) => [nameOf(one), one]));
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

function nameOf({ property, place, digit }: Literal): string {
  return `${property.index} ${place} ${digit}`;
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
