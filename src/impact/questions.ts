/** What evaluation may ask about a person for a flag, before and after a change. */

import { arrayOrEmpty, isJsonObject } from '../base/json.ts';
import { findAggregation } from '../evaluation/condition.ts';
import { enrolmentProperty } from '../evaluation/early-access.ts';
import { isBucketedByDevice } from '../evaluation/identifier.ts';
import { aggregationOf, conditionsOf, propertiesOf } from '../evaluation/parts.ts';
import type { Condition, Flag, Property } from '../posthog/flag/flag.ts';
import { createModel, type Demand, type Model } from './knowledge.ts';
import type { Pair, Side } from './outcome.ts';
import { askedBy, enrolledBy, factOf, type Asked, type Reading } from './predicates.ts';

export interface Questions {
  readonly model: Model;
  /** Of the filters of a condition. */
  readonly filters: (properties: readonly Property[], aggregation: number | null) => Demand;
  /** The same, with the group that the condition is about. */
  readonly audience: (properties: readonly Property[], aggregation: number | null) => Demand;
  readonly isInGroup: (type: number) => Demand;
  readonly hasDevice: Demand;
  readonly has: (property: string) => Demand;
  readonly enrolled: (property: string) => Demand;
  /** Whether two identifiers of the person are one. */
  readonly isSame: (one: Identity, other: Identity) => Demand;
  /** Those of which one hash may be taken, so that it matters. */
  readonly coupled: readonly (readonly [Identity, Identity])[];
}

/** Identifiers of a person that may be the same text. Before somebody signs in, all are. */
const IDENTITIES = ['person', 'anonymous', 'device'] as const;
export type Identity = (typeof IDENTITIES)[number];

export function createQuestions(pair: Pair, reading: Reading): Questions {
  const model = createModel(reading);
  const made = new Map<readonly Property[], Map<number | null, Demand>>();
  const filters: Questions['filters'] = (properties, aggregation) => {
    const known = made.get(properties)?.get(aggregation);
    if (known !== undefined) return known;
    const demand = model.demand(properties.flatMap((property) => asksOf(property, aggregation, reading)));
    made.set(properties, (made.get(properties) ?? new Map<number | null, Demand>()).set(aggregation, demand));
    return demand;
  };
  const has = (property: string): Demand => model.demand([asksIfSet(property, reading)]);
  const enrolled = (property: string): Demand => model.demand([enrolledBy(property)]);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  // Relations between predicates are found once all predicates are there.
  for (const flag of sides.flatMap(({ flags }) => flags)) {
    for (const [, condition] of conditionsOf(flag.filters))
      filters(propertiesOf(condition) ?? [], findAggregation(flag, condition));
    has(enrolmentProperty(flag.key));
    enrolled(enrolmentProperty(flag.key));
    for (const { key } of superProperties(flag, filters)) has(String(key));
  }
  return {
    model,
    filters,
    audience: (properties, aggregation) => {
      const asks = properties.flatMap((property) => asksOf(property, aggregation, reading));
      return model.demand(aggregation === null ? asks : [...asks, factOf(groupFact(aggregation))]);
    },
    isInGroup: (type) => model.demand([factOf(groupFact(type))]),
    hasDevice: model.demand([factOf('has device')]),
    has,
    enrolled,
    isSame: (one, other) => model.demand([factOf(`${one} is ${other}`)]),
    coupled: findCoupled(sides),
  };
}

function groupFact(type: number): string {
  return `in group ${type}`;
}

/** The first of `super_groups` is the older form of early access. */
function superProperties({ filters }: Flag, demand: Questions['filters']): readonly Property[] {
  const [first] = arrayOrEmpty(filters?.['super_groups']);
  const properties = isJsonObject(first) ? (propertiesOf(first as Condition) ?? []) : [];
  demand(properties, null);
  return properties;
}

/** Values of flags follow from what evaluation finds. It takes another operator on a flag for one that does not match. */
function asksOf(property: Property, aggregation: number | null, reading: Reading): Asked[] {
  if (property.type !== 'flag') return [askedBy(property, aggregation, reading)];
  if (property.operator === 'flag_evaluates_to') return [];
  return [{ kind: 'unknown', subject: 'operator on flags' }];
}

function asksIfSet(property: string, reading: Reading): Asked {
  return askedBy({ key: property, type: 'person', operator: 'is_set' }, null, reading);
}

/** Of what hashes one flag, before and after, and of what hashes holdouts, which flags have in common. */
function findCoupled(sides: readonly Side[]): Questions['coupled'] {
  const flags = sides.flatMap((side) => side.flags);
  const holdouts = flags.filter(({ filters }) => isJsonObject(filters?.['holdout'])).flatMap(holdoutIdentities);
  const together = [
    ...flags.map(({ key }) => flags.filter((other) => other.key === key).map(identityOf)),
    holdouts,
  ];
  return IDENTITIES.flatMap((one, index) =>
    IDENTITIES.slice(index + 1)
      .filter((other) => together.some((own) => own.includes(one) && own.includes(other)))
      .map((other) => [one, other] as const),
  );
}

function identityOf(flag: Flag): Identity {
  if (isBucketedByDevice(flag)) return 'device';
  return flag.ensure_experience_continuity ? 'anonymous' : 'person';
}

function holdoutIdentities(flag: Flag): Identity[] {
  if (aggregationOf(flag.filters ?? {}) !== null) return [];
  const person = flag.ensure_experience_continuity ? 'anonymous' : 'person';
  return isBucketedByDevice(flag) ? ['device', person] : [person];
}
