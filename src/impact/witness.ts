/** Made-up people who have what a condition asks for and nothing else. */

import { memberOf, setMember, type JsonObject, type JsonValue } from '../base/json.ts';
import { findAggregation } from '../evaluation/condition.ts';
import type { EvaluationContext, Subject } from '../evaluation/input.ts';
import { conditionsOf, propertiesOf } from '../evaluation/parts.ts';
import { jsonText } from '../evaluation/values/text.ts';
import type { Condition, Flag, Property } from '../posthog/flag/flag.ts';
import { rolloutOf } from '../posthog/flag/percentage.ts';
import { findValue } from './candidates.ts';
import type { ConditionOfFlag } from './impact.ts';

/** What a person has; who they are, which decides the hashes, is said by `subjectOf`. */
export interface Witness {
  readonly person: JsonObject;
  /** Properties of the person's groups, by the index of their type. */
  readonly groups: Readonly<Record<string, JsonObject>>;
  readonly cohorts: readonly string[];
  /** In no group of any type. */
  readonly ungrouped?: true;
}

export const NOTHING: Witness = { person: {}, groups: {}, cohorts: [] };

/** Flags in evaluable form: dependencies by id. */
export interface Surroundings {
  readonly flagOf: (id: string) => Flag | undefined;
  readonly context: EvaluationContext;
}

export interface Found {
  readonly witness: Witness;
  /** The conditions of other flags that the witness matches so that the condition may match. */
  readonly through: readonly ConditionOfFlag[];
}

/**
 * People who may get the flag by the condition; several where it depends on flags that people get by several conditions. Empty
 * where nobody is found.
 */
export function findWitnesses(start: Place, { flagOf, context }: Surroundings): readonly Found[] {
  const found: Found[] = [];
  for (let choice = 0; choice < MOST_CHOICES; choice += 1) {
    const demands = collectDemands(start, { flagOf, choice });
    if (choice > 0 && choice >= demands.choices) break;
    const witness = satisfy(demands, context);
    if (witness !== undefined) found.push({ witness, through: demands.through });
  }
  return found;
}

/** People who have what the condition asks for and match none of the others, which those of `findWitnesses` match. */
export function findApart(
  start: Place,
  others: readonly Place[],
  { flagOf, context }: Surroundings,
): readonly Witness[] {
  const demands = collectDemands(start, { flagOf, choice: 0 });
  const [first, ...rest] = others.map((place) => collectDemands(place, { flagOf: () => undefined, choice: 0 }));
  if (first === undefined) return [];
  const places = [...first.properties.keys()].filter((name) => rest.every(({ properties }) => properties.has(name)));
  const byProperty = places.flatMap((name) => {
    const apart = [first, ...rest].flatMap(({ properties }) => {
      const filters = properties.get(name);
      return filters === undefined ? [] : [filters];
    });
    return satisfy(demands, context, { name, apart }) ?? [];
  });
  const cohorts = [...first.excluded].filter((id) => rest.every(({ excluded }) => excluded.has(id)));
  const byCohort = cohorts
    .filter((id) => !demands.excluded.has(id))
    .flatMap((id) => satisfy({ ...demands, cohorts: new Set([...demands.cohorts, id]) }, context) ?? []);
  return [...byProperty, ...byCohort];
}

/** Of the conditions by which people may get a flag that a condition depends on. */
const MOST_CHOICES = 8;

/** What the people have apart from others, in one property. */
interface Apart {
  readonly name: string;
  readonly apart: readonly (readonly Property[])[];
}

function satisfy(
  { properties, cohorts }: Pick<Demands, 'properties' | 'cohorts'>,
  context: EvaluationContext,
  own?: Apart,
): Witness | undefined {
  const names = new Set([...properties.keys(), ...(own === undefined ? [] : [own.name])]);
  const found = [...names].map((place) => {
    const apart = place === own?.name ? own.apart : [];
    return { place, value: findValue({ filters: properties.get(place) ?? [], apart }, context) };
  });
  if (found.some(({ value }) => value === undefined)) return undefined;
  const members = found.flatMap(({ place, value }) => (value?.kind === 'value' ? [{ place, value: value.value }] : []));
  return { ...placeMembers(members), cohorts: [...cohorts] };
}

/** The types of groups that a flag may name. */
export const GROUP_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [String(index), `type ${index}`]),
);

/** The witness under a name of its own. */
export function subjectOf({ person, groups, cohorts, ungrouped }: Witness, name: string): Subject {
  const types = ungrouped === true ? [] : Object.entries(GROUP_TYPES);
  return {
    distinctId: `person ${name}`,
    anonymousId: `anonymous ${name}`,
    deviceId: `device ${name}`,
    personProperties: person,
    groups: Object.fromEntries(types.map(([, type]) => [type, `group ${name}`])),
    groupProperties: Object.fromEntries(types.map(([index, type]) => [type, memberOf(groups, index) ?? {}])),
    cohortIds: cohorts,
  };
}

interface Demands {
  /** Filters by the property that they are about: `person KEY` or `INDEX KEY`. */
  readonly properties: Map<string, Property[]>;
  readonly cohorts: Set<string>;
  /** Those whose members are not asked for. */
  readonly excluded: Set<string>;
  readonly through: ConditionOfFlag[];
  /** The most conditions that there were to choose from. */
  choices: number;
}

interface Place {
  readonly flag: Flag;
  readonly condition: Condition;
}

interface Choosing {
  readonly flagOf: Surroundings['flagOf'];
  /** Which of its conditions gives each flag its value. */
  readonly choice: number;
}

const MOST_FLAGS = 100;

/** Those of the condition and, where it depends on flags, of a condition by which each of those gets its value. */
function collectDemands(start: Place, { flagOf, choice }: Choosing): Demands {
  const demands: Demands = { properties: new Map(), cohorts: new Set(), excluded: new Set(), through: [], choices: 0 };
  const ahead = [start];
  const seen = new Set([start.flag.key]);
  for (const place of ahead) {
    const properties = propertiesOf(place.condition) ?? [];
    for (const property of properties) addDemand(property, place, demands);
    for (const givers of properties.map((property) => findGivers(property, flagOf))) {
      const giver = givers[choice % givers.length];
      if (giver === undefined || seen.has(giver.flag.key) || seen.size >= MOST_FLAGS) continue;
      seen.add(giver.flag.key);
      ahead.push(giver);
      demands.choices = Math.max(demands.choices, givers.length);
      const { flag, number, condition } = giver;
      if (propertiesOf(condition)?.length !== 0) demands.through.push({ key: flag.key, number, condition });
    }
  }
  return demands;
}

function addDemand(property: Property, { flag, condition }: Place, { properties, cohorts, excluded }: Demands): void {
  const { type, operator, value = null } = property;
  if (type === 'flag') return;
  if (type === 'cohort') {
    (operator === 'not_in' ? excluded : cohorts).add(jsonText(value));
    return;
  }
  const name = `${ownerOf(property, findAggregation(flag, condition))} ${property.key}`;
  properties.set(name, [...(properties.get(name) ?? []), property]);
}

/** As evaluation decides it. */
function ownerOf(property: Property, aggregation: number | null): string {
  const own = property['group_type_index'];
  const index = typeof own === 'number' ? own : aggregation;
  const isOfGroup = property.type === 'group' || (property.type === undefined && aggregation !== null);
  return isOfGroup ? String(index ?? '') : 'person';
}

interface Giver extends Place {
  readonly number: number;
}

/** The conditions by which the flag may get the value that the filter asks for. */
function findGivers({ type, key, value }: Property, flagOf: Surroundings['flagOf']): readonly Giver[] {
  const flag = type === 'flag' ? flagOf(String(key)) : undefined;
  if (flag === undefined || value === false) return [];
  return conditionsOf(flag.filters).flatMap(([index, condition]) => {
    const { variant } = condition;
    const gives = rolloutOf(condition) !== 0 && (typeof value !== 'string' || !variant || variant === value);
    return gives ? [{ flag, condition, number: index + 1 }] : [];
  });
}

function placeMembers(
  members: readonly { readonly place: string; readonly value: JsonValue }[],
): Pick<Witness, 'person' | 'groups'> {
  const owners: Record<string, Record<string, JsonValue>> = {};
  for (const { place, value } of members) {
    const owner = place.slice(0, place.indexOf(' '));
    const key = place.slice(owner.length + 1);
    const members = memberOf(owners, owner) ?? {};
    setMember(members, key, value);
    setMember(owners, owner, members);
  }
  const { person = {}, ...groups } = owners;
  return { person, groups };
}
