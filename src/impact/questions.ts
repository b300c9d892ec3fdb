/** Collects the questions that evaluation may ask about a person for a flag, before and after a change. */

import { isJsonObject } from '../base/json.ts';
import { isBucketedByDevice } from '../evaluation/identifier.ts';
import { aggregationOf, isOpaque } from '../evaluation/parts.ts';
import type { Flag, Property } from '../posthog/flag/model/flag.ts';
import { createModel, type Demand, type KnowledgeModel } from './knowledge.ts';
import type { FlagPair, FlagSide } from './outcome.ts';
import { askedBy, enrolledBy, factOf, type PredicateQuestion, type PredicateContext } from './predicates.ts';

export interface FlagQuestions {
  readonly model: KnowledgeModel;
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
}

/** Identifiers of a person that may be equal. All are before the person signs in. */
const IDENTITIES = ['person', 'anonymous', 'device'] as const;
type IdentityKind = (typeof IDENTITIES)[number];

export function createQuestions(pair: FlagPair, reading: PredicateContext): FlagQuestions {
  const model = createModel(reading);
  const made = new Map<readonly Property[], Map<number | null, Demand>>();
  const filters: FlagQuestions['filters'] = (properties, aggregation) => {
    const known = made.get(properties)?.get(aggregation);
    if (known !== undefined) return known;
    const demand = model.demand(properties.flatMap((property) => asksOf(property, aggregation, reading)));
    made.set(properties, (made.get(properties) ?? new Map<number | null, Demand>()).set(aggregation, demand));
    return demand;
  };
  const has = (property: string): Demand =>
    model.demand([askedBy({ key: property, type: 'person', operator: 'is_set' }, null, reading)]);
  const enrolled = (property: string): Demand => model.demand([enrolledBy(property)]);
  return {
    model,
    filters,
    audience: (properties, aggregation) => {
      if (aggregation === null) return filters(properties, aggregation);
      const asks = properties.flatMap((property) => asksOf(property, aggregation, reading));
      return model.demand([...asks, factOf(groupFact(aggregation))]);
    },
    isInGroup: (type) => model.demand([factOf(groupFact(type))]),
    hasDevice: model.demand([factOf('has device')]),
    has,
    enrolled,
    isSame: (one, other) => model.demand([factOf(`${one} is ${other}`)]),
    coupled: findCoupled([pair.before, pair.after].filter((side) => side !== undefined)),
  };
}

function groupFact(type: number): string {
  return `in group ${type}`;
}

/** Values of flags are results of evaluation, not questions. What another operator on a flag does is unknown. */
function asksOf(property: Property, aggregation: number | null, reading: PredicateContext): PredicateQuestion[] {
  if (property.type !== 'flag') return [askedBy(property, aggregation, reading)];
  if (property.operator === 'flag_evaluates_to') return [];
  return [{ kind: 'unknown', subject: 'operator on flags' }];
}

/** Finds pairs of identifiers of which one hash may use either: a flag's, before and after, or a holdout's, which flags share. */
function findCoupled(sides: readonly FlagSide[]): FlagQuestions['coupled'] {
  const flags = sides.flatMap((side) => side.flags);
  const byKey = new Map<string, IdentityKind[]>();
  for (const flag of flags) byKey.set(flag.key, [...(byKey.get(flag.key) ?? []), identityOf(flag)]);
  const holdouts = flags.filter(({ filters }) => isJsonObject(filters?.['holdout'])).flatMap(holdoutIdentities);
  const together = [...byKey.values(), holdouts];
  return IDENTITIES.flatMap((one, index) =>
    IDENTITIES.slice(index + 1)
      .filter((other) => together.some((own) => own.includes(one) && own.includes(other)))
      .map((other) => [one, other] as const),
  );
}

function identityOf(flag: Flag): IdentityKind {
  if (isOpaque(flag.filters)) return 'person';
  if (isBucketedByDevice(flag)) return 'device';
  return flag.ensure_experience_continuity ? 'anonymous' : 'person';
}

function holdoutIdentities(flag: Flag): IdentityKind[] {
  if (aggregationOf(flag.filters ?? {}) !== null) return [];
  const person = flag.ensure_experience_continuity ? 'anonymous' : 'person';
  return isBucketedByDevice(flag) ? ['device', person] : [person];
}
