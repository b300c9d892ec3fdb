/** What is known of a person: which predicates are true, which are false, and which lists of them do not all hold. */

import { createPossible } from './property-values.ts';
import { factOf, type Asked, type Predicate, type Reading } from './predicates.ts';

/** Immutable. */
export interface Knowledge {
  /** Of each property, by its index: a digit of base 3 for each predicate. 0: unknown, 1: true, 2: false. */
  readonly codes: readonly number[];
  /** At least one predicate of each is not as it demands. */
  readonly denied: readonly Demand[];
}

export const NOTHING_KNOWN: Knowledge = { codes: [], denied: [] };

/** What a condition asks for of a person, all at once. Equal demands are one object. */
export interface Demand {
  readonly literals: readonly Literal[];
  /** It asks for what nobody has. */
  readonly never: boolean;
  /** It asks for something that this release does not know. */
  readonly unknown: boolean;
}

interface Literal {
  readonly property: PropertyModel;
  /** The value of its digit. */
  readonly place: number;
  readonly digit: 1 | 2;
}

interface PropertyModel {
  readonly index: number;
  readonly subject: string;
  readonly predicates: Predicate[];
  isPossible: (code: number) => boolean;
}

export interface Model {
  /** All demands are made before something is learned. */
  readonly demand: (asked: readonly Asked[]) => Demand;
  /** Whether what is known leaves only some identifiers, so that their hashes may not be those of people in general. */
  readonly pinsIdentifier: (knowledge: Knowledge) => boolean;
}

/** More predicates than a code has digits are a property of their own: they count as independent. */
const MOST_DIGITS = 30;

export function createModel(reading: Reading): Model {
  const properties: PropertyModel[] = [];
  const newest = new Map<string, PropertyModel>();
  const places = new Map<string, Pick<Literal, 'property' | 'place'>>();
  const demands = new Map<string, Demand>();
  const placeOf = (subject: string, predicate: Predicate): Pick<Literal, 'property' | 'place'> => {
    const name = `${subject}\n${predicate.name}`;
    const known = places.get(name);
    if (known !== undefined) return known;
    let property = newest.get(subject);
    if (property === undefined || property.predicates.length >= MOST_DIGITS) {
      property = { index: properties.length, subject, predicates: [], isPossible: () => true };
      properties.push(property);
      newest.set(subject, property);
    }
    const made = { property, place: 3 ** property.predicates.length };
    property.predicates.push(predicate);
    property.isPossible = rememberPossible(property, reading);
    places.set(name, made);
    return made;
  };
  const literalOf = (asked: Asked): Literal[] => {
    if (asked.kind === 'constant') return [];
    const { subject, predicate, isTrue } = asked.kind === 'unknown' ? factOf(asked.subject) : asked;
    return [{ ...placeOf(subject, predicate), digit: isTrue ? 1 : 2 }];
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

function rememberPossible({ subject, predicates }: PropertyModel, reading: Reading): PropertyModel['isPossible'] {
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

/** Equality names some identifiers. A part of a text leaves many, and so does what is left without a few. */
function pinsIdentifier({ subject, predicates }: PropertyModel, code: number): boolean {
  if (code === 0 || (subject !== DISTINCT_ID && !/^group \S+ \$group_key$/.test(subject))) return false;
  return predicates.some(({ kind }, at) => {
    const digit = Math.floor(code / 3 ** at) % 3;
    return kind === 'value' ? digit === 1 : kind !== 'part' && kind !== 'set' && digit !== 0;
  });
}

/** With the answer; `undefined` where it is proved to be impossible. The same object where the answer was known. */
export function learn(demand: Demand, answer: boolean, knowledge: Knowledge): Knowledge | undefined {
  if (answer) return demand.never ? undefined : assume(demand.literals, knowledge);
  if (demand.never || knowledge.denied.includes(demand)) return knowledge;
  if (demand.literals.some((literal) => digitOf(literal, knowledge) === opposite(literal).digit)) return knowledge;
  const open = demand.literals.filter((literal) => canBe(opposite(literal), knowledge));
  const [only] = open;
  if (only === undefined) return undefined;
  if (open.length === 1) return assume([opposite(only)], knowledge);
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
  const holds = ({ literals: own }: Demand): boolean => own.some((one) => canBe(opposite(one), learned));
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

function opposite(literal: Literal): Literal {
  return { ...literal, digit: literal.digit === 1 ? 2 : 1 };
}
