/** The audiences of a flag that changes: one for each condition before and after, and everyone else. */

import { canonicalText, isJsonArray, isJsonObject, jsonEquals, type JsonObject } from '../base/json.ts';
import { numberConditions } from '../effects/conditions.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findAggregation, matchesCondition } from '../evaluation/condition.ts';
import type { EvaluationContext, Subject } from '../evaluation/input.ts';
import { conditionsOf, propertiesOf } from '../evaluation/parts.ts';
import type { Condition, Flag } from '../posthog/flag/flag.ts';
import type { Audience } from './impact.ts';
import type { Pair, Side } from './outcome.ts';
import { findApart, findWitnesses, NOTHING, subjectOf, type Found, type Witness } from './witness.ts';

type Sided = Pick<Audience, 'conditions' | 'former'>;

/** Whom an audience is for. */
type Who = Omit<Audience, 'shares' | 'method'>;

/** Somebody of the audience. */
interface Draft {
  readonly who: Who;
  readonly witness: Witness;
}

export interface Drafts {
  readonly audiences: readonly Draft[];
  readonly unmatched: readonly NumberedCondition[];
}

export function findAudiences(pair: Pair, context: EvaluationContext): Drafts {
  const all = namedConditions(pair);
  const found = originsOf(pair).map((origin) => ({ origin, witnesses: witnessesOf(origin, context) }));
  const drafts = found.flatMap(({ origin: { who }, witnesses }) =>
    witnesses.map(({ witness, through }): Draft => ({
      witness,
      who: { ...who, ...(through.length === 0 ? {} : { through }) },
    })),
  );
  const origins = [...found, ...anyone(pair)].flatMap(({ origin, witnesses }) =>
    witnesses.slice(0, 1).map((one) => ({ origin, witness: one.witness })),
  );
  const apart = origins.flatMap((one) => draftsApart(one, all, context));
  const matched = new Set(found.flatMap(({ origin, witnesses }) => (witnesses.length > 0 ? [subjectIn(origin)] : [])));
  const audiences = [...earlyAccess(pair, context), ...drafts, ...apart, OTHERS];
  return {
    audiences: joinAlike(isMixed(pair) ? audiences.flatMap(withUngrouped) : audiences, pair, context),
    unmatched: [...new Set(found.map(({ origin }) => subjectIn(origin)))].filter((one) => !matched.has(one)),
  };
}

/** Whether some conditions are about groups, and some about people. */
function isMixed(pair: Pair): boolean {
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const kinds = sides.flatMap(({ flag }) =>
    conditionsOf(flag.filters).map(([, condition]) => findAggregation(flag, condition) === null),
  );
  return kinds.includes(true) && kinds.includes(false);
}

/** Everybody is in a group of each type, and somebody else like them in none. */
function withUngrouped(draft: Draft): Draft[] {
  const { who, witness } = draft;
  if (Object.keys(witness.groups).length > 0) return [draft];
  return [draft, { who: { ...who, ungrouped: true }, witness: { ...witness, ungrouped: true } }];
}

/** A condition that makes an audience, on the side from which its people are made up. */
interface Origin {
  readonly condition: JsonObject;
  readonly side: Side | undefined;
  readonly who: Who;
}

function originsOf({ before, after }: Pair): Origin[] {
  const wanted = conditionsIn(after);
  const former = conditionsIn(before).flatMap((one): Origin[] => {
    const same = wanted.find((other) => hasSameAudience(other, one));
    const origin = { condition: one.condition, side: before };
    if (same === undefined) return [{ ...origin, who: { conditions: [], former: [one] } }];
    // What a condition asks for of other flags may differ while the condition is the same.
    return dependsOnFlags(one) ? [{ ...origin, who: { conditions: [same], former: [] } }] : [];
  });
  return [
    ...wanted.map((one) => ({ condition: one.condition, side: after, who: { conditions: [one], former: [] } })),
    ...former,
  ];
}

function subjectIn({ who }: Origin): NumberedCondition {
  return [...who.conditions, ...who.former][0] as NumberedCondition;
}

/** A condition by its side; one that stays is of the wanted side. */
interface Named {
  readonly one: NumberedCondition;
  readonly side: Side;
  readonly isFormer: boolean;
}

function namedConditions({ before, after }: Pair): Named[] {
  const wanted = after === undefined ? [] : conditionsIn(after).map((one) => ({ one, side: after, isFormer: false }));
  const former = before === undefined ? [] : conditionsIn(before).map((one) => ({ one, side: before, isFormer: true }));
  return [...wanted, ...former.filter(({ one }) => !wanted.some((other) => hasSameAudience(other.one, one)))];
}

/** Those who have nothing that a condition asks for, as an origin. */
function anyone({ before, after }: Pair): { readonly origin: Origin; readonly witnesses: readonly Found[] }[] {
  const origin = { condition: {}, side: after ?? before, who: OTHERS.who };
  return [{ origin, witnesses: [{ witness: NOTHING, through: [] }] }];
}

interface FoundOrigin {
  readonly origin: Origin;
  readonly witness: Witness;
}

/**
 * People of the same condition who do not match what its witness happens to match besides: each such condition, and all of them.
 * Of `country is one of US, DE` beside `country is US`, these are the people in DE.
 */
function draftsApart({ origin, witness }: FoundOrigin, all: readonly Named[], context: EvaluationContext): Draft[] {
  const { condition, side, who } = origin;
  if (side === undefined) return [];
  const own = condition as Condition;
  const subject = subjectOf(witness, '');
  const besides = all.filter(
    (named) =>
      !hasSameAudience(named.one, { number: 0, condition }) &&
      matches(named.side.flag, named.one.condition as Condition, { subject, context }),
  );
  const choices = besides.length > 1 ? [...besides.map((one) => [one]), besides] : besides.map((one) => [one]);
  const flagOf = flagsOf(side);
  return choices.flatMap((chosen) => {
    const places = chosen.map((named) => ({ flag: named.side.flag, condition: named.one.condition as Condition }));
    const found = findApart({ flag: side.flag, condition: own }, places, { flagOf, context });
    return found
      .filter((one) => matches(side.flag, own, { subject: subjectOf(one, ''), context }))
      .map((one) => ({ witness: one, who: { ...who, without: withoutOf(chosen) } }));
  });
}

function withoutOf(chosen: readonly Named[]): Sided {
  const of = (wanted: boolean): NumberedCondition[] =>
    chosen.flatMap(({ one, isFormer }) => (isFormer === wanted ? [one] : []));
  return { conditions: of(false), former: of(true) };
}

const OTHERS: Draft = { who: { conditions: [], former: [], others: true }, witness: NOTHING };

/** Those that ask for something: anyone matches the others. */
function conditionsIn(side: Side | undefined): NumberedCondition[] {
  const { filters } = side?.flag ?? {};
  if (filters === undefined) return [];
  return numberConditions(filters).filter(({ condition }) => propertiesOf(condition as Condition)?.length !== 0);
}

function hasSameAudience({ condition: a }: NumberedCondition, { condition: b }: NumberedCondition): boolean {
  const [own, other] = [a, b].map((one) => one['aggregation_group_type_index'] ?? null);
  return own === other && jsonEquals(a['properties'] ?? null, b['properties'] ?? null);
}

function dependsOnFlags({ condition }: NumberedCondition): boolean {
  return propertiesOf(condition as Condition)?.some(({ type }) => type === 'flag') === true;
}

function witnessesOf({ condition, side }: Origin, context: EvaluationContext): readonly Found[] {
  if (side === undefined) return [];
  const own = condition as Condition;
  const found = findWitnesses({ flag: side.flag, condition: own }, { flagOf: flagsOf(side), context });
  return found.filter(({ witness }) => matches(side.flag, own, { subject: subjectOf(witness, ''), context }));
}

function flagsOf({ flags }: Side): (id: string) => Flag | undefined {
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  return (id) => byId.get(id);
}

interface Tried {
  readonly subject: Subject;
  readonly context: EvaluationContext;
}

/** Apart from what the condition asks for of other flags, which hashes decide. */
function matches(flag: Flag, condition: Condition, tried: Tried): boolean {
  const properties = propertiesOf(condition)?.filter(({ type }) => type !== 'flag');
  const own = properties === undefined ? condition : { ...condition, properties };
  return matchesCondition(own, tried, findAggregation(flag, condition));
}

/** People who enrolled in early access, and those whom its older form is about. */
function earlyAccess({ before, after }: Pair, context: EvaluationContext): Draft[] {
  const sides = [after, before].filter((side) => side !== undefined);
  const enrolling = sides.find(({ flag }) => flag.filters?.['feature_enrollment'] === true);
  const older = sides.flatMap(({ flag }) => {
    const groups = flag.filters?.['super_groups'];
    const [first] = isJsonArray(groups) ? groups : [];
    const witness = isJsonObject(first) ? findWitnessOfPerson(flag, first, context) : undefined;
    return witness === undefined ? [] : [witness];
  });
  const witnesses = [
    ...(enrolling === undefined
      ? []
      : [{ ...NOTHING, person: { [`$feature_enrollment/${enrolling.flag.key}`]: 'true' } }]),
    ...older.slice(0, 1),
  ];
  return witnesses.map((witness) => ({ who: { conditions: [], former: [], enrolled: true }, witness }));
}

function findWitnessOfPerson(flag: Flag, condition: JsonObject, context: EvaluationContext): Witness | undefined {
  const person = { ...flag, filters: { ...flag.filters, aggregation_group_type_index: null } };
  const place = { flag: person, condition: condition as Condition };
  return findWitnesses(place, { flagOf: () => undefined, context })[0]?.witness;
}

/** One draft of those whose people match the same conditions; a dependency on other flags may still tell them apart. */
function joinAlike(drafts: readonly Draft[], pair: Pair, context: EvaluationContext): Draft[] {
  const conditions = [pair.before, pair.after].flatMap((side) =>
    side === undefined ? [] : numberConditions(side.flag.filters ?? {}).map(({ condition }) => ({ side, condition })),
  );
  const needsOthers = [pair.before, pair.after].some((side) => side !== undefined && side.flags.length > 1);
  const joined = new Map<string, Draft>();
  for (const { who, witness } of drafts) {
    const subject = subjectOf(witness, '');
    const matched = conditions.map(({ side, condition }) =>
      matches(side.flag, condition as Condition, { subject, context }),
    );
    const pattern = [
      ...matched,
      who.enrolled === true,
      witness.ungrouped === true,
      needsOthers && canonicalText({ ...witness }),
    ].join(' ');
    const known = joined.get(pattern);
    joined.set(pattern, known === undefined ? { who, witness } : { ...known, who: join(known.who, who) });
  }
  return [...joined.values()];
}

/** They match the same conditions, so what some of them do not match, none of them does. */
function join({ without, ...one }: Who, { without: other, ...rest }: Who): Who {
  return {
    ...one,
    ...rest,
    ...unite(one, rest),
    ...(without === undefined || other === undefined ? {} : { without: unite(without, other) }),
  };
}

function unite(one: Sided, other: Sided): Sided {
  return {
    conditions: [...new Set([...one.conditions, ...other.conditions])],
    former: [...new Set([...one.former, ...other.former])],
  };
}
