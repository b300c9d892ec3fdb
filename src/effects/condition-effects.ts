/** What changes of release conditions do. Conditions are paired by what they say, not by their place in the list. */

import { toPointer } from '../base/json-pointer.ts';
import {
  arrayOrEmpty,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
} from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Pairing } from '../posthog/flag/live-values.ts';
import { pairElements } from '../posthog/flag/pair-elements.ts';
import { rolloutOf } from '../posthog/flag/percentage.ts';
import { compareAudiences, isReadable } from './audience.ts';
import type { EffectClass, FlagEffect, NumberedCondition } from './effect.ts';

/** `filters` before and after, in canonical form. */
export function findConditionEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const { former, wanted, pairing, gone } = pair(before, after);
  const surroundings: Surroundings = { before, after, ...couplingsOf(before, after) };
  const moved = findMoved(pairing);
  return [
    ...gone.map((condition) => comesOrGoes('condition_removed', condition, surroundings)),
    ...wanted.flatMap((condition, index) => {
      const origin = former[pairing[index] ?? -1];
      if (origin === undefined) return [comesOrGoes('condition_added', condition, surroundings)];
      const own = pairedEffects(origin, condition, surroundings);
      return moved.has(index) ? [...own, moveEffect(origin, condition, surroundings)] : own;
    }),
  ];
}

/** A condition before and after; one side is absent where it comes or goes. */
export interface ConditionPair {
  readonly former?: NumberedCondition;
  readonly wanted?: NumberedCondition;
}

/** Those of the wanted list in its order, then those that go. */
export function pairConditions(before: JsonObject, after: JsonObject): readonly ConditionPair[] {
  const { former, wanted, pairing, gone } = pair(before, after);
  const kept = wanted.map((one, index) => ({ wanted: one, ...defined({ former: former[pairing[index] ?? -1] }) }));
  return [...kept, ...gone.map((one) => ({ former: one }))];
}

interface Paired {
  readonly former: readonly NumberedCondition[];
  readonly wanted: readonly NumberedCondition[];
  /** The index in `former` for each of `wanted`. */
  readonly pairing: Pairing;
  readonly gone: readonly NumberedCondition[];
}

function pair(before: JsonObject, after: JsonObject): Paired {
  const [former, wanted] = [numberConditions(before), numberConditions(after)];
  const pairing = pairElements({ wanted: conditionsIn(wanted), live: conditionsIn(former), nodes: new Map() });
  return { former, wanted, pairing, gone: former.filter((_, index) => !pairing.includes(index)) };
}

/** Members that are no condition are left out, as evaluation does; the others keep their numbers. */
export function numberConditions(filters: JsonObject): NumberedCondition[] {
  return arrayOrEmpty(filters['groups']).flatMap((condition, index) =>
    isJsonObject(condition) ? [{ number: index + 1, condition }] : [],
  );
}

/** How the conditions of a flag depend on each other. */
interface Couplings {
  /** A condition whose people are not rolled out ends the search. */
  readonly exitsEarly: boolean;
  /** Conditions force different variants, so that it matters which one matches first. */
  readonly forcesVariants: boolean;
}

interface Surroundings extends Couplings {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function couplingsOf(before: JsonObject, after: JsonObject): Couplings {
  const sides = [before, after];
  const forced = new Set(sides.flatMap(numberConditions).map(({ condition }) => condition['variant'] ?? null));
  return {
    exitsEarly: sides.some((filters) => filters['early_exit'] === true),
    forcesVariants: forced.size > 1 && sides.some((filters) => isJsonObject(filters['multivariate'])),
  };
}

function conditionsIn(numbered: readonly NumberedCondition[]): JsonObject[] {
  return numbered.map(({ condition }) => condition);
}

function comesOrGoes(
  what: 'condition_added' | 'condition_removed',
  condition: NumberedCondition,
  couplings: Couplings,
): FlagEffect {
  const properties = readProperties(condition.condition);
  if (properties === undefined || rolloutOf(condition.condition) === undefined) {
    return { what, classes: ['opaque'], condition };
  }
  const own: EffectClass = what === 'condition_added' ? 'widen' : 'narrow';
  return { what, classes: classesOf([own], { properties, couplings, isStructural: true }), condition };
}

interface Touched {
  /** Those that the effect is about. */
  readonly properties: readonly JsonObject[];
  readonly couplings: Couplings;
  /** Whether other people come to the condition, so that others do not come to the next. */
  readonly isStructural: boolean;
}

function classesOf(own: readonly EffectClass[], { properties, couplings, isStructural }: Touched): EffectClass[] {
  if (!properties.every(isReadable)) return ['opaque'];
  const { exitsEarly, forcesVariants } = couplings;
  const shifted: readonly EffectClass[] = exitsEarly && isStructural ? ['widen', 'narrow'] : [];
  return [
    ...new Set([
      ...own,
      ...shifted,
      ...(forcesVariants ? (['re-split'] as const) : []),
      ...(properties.some(({ type }) => type === 'flag') ? (['dependency'] as const) : []),
    ]),
  ];
}

function pairedEffects(
  former: NumberedCondition,
  condition: NumberedCondition,
  surroundings: Surroundings,
): FlagEffect[] {
  const [before, after] = [former.condition, condition.condition];
  return [
    ...bucketingEffects(former, condition, surroundings),
    ...audienceEffects(before, condition, surroundings),
    ...rolloutEffects(before, condition, surroundings),
    ...variantEffects(before, condition, surroundings),
    ...(jsonEquals(before['description'], after['description'])
      ? []
      : [{ what: 'condition_description' as const, classes: ['metadata' as const], condition }]),
    ...unknownMembers(before, condition),
  ];
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  'properties',
  'rollout_percentage',
  'variant',
  'description',
  'aggregation_group_type_index',
]);

function unknownMembers(before: JsonObject, condition: NumberedCondition): FlagEffect[] {
  return [...new Set([...definedKeys(before), ...definedKeys(condition.condition)])]
    .filter((member) => !KNOWN_MEMBERS.has(member))
    .flatMap((member) => unknownMember(member, before, condition));
}

function unknownMember(
  member: string,
  before: JsonObject,
  { number, condition: after }: NumberedCondition,
): FlagEffect[] {
  const values = { before: memberOf(before, member), after: memberOf(after, member) };
  if (jsonEquals(values.before, values.after)) return [];
  const path = toPointer(['filters', 'groups', number - 1, member]);
  return [{ what: 'unknown', classes: ['opaque'], path, ...defined(values) }];
}

/** The flag's own aggregation holds where the condition has none; a change of that one is an effect of the flag. */
function bucketingEffects(
  { condition: former }: NumberedCondition,
  condition: NumberedCondition,
  { before: filters, after: newFilters }: Surroundings,
): FlagEffect[] {
  const field = 'aggregation_group_type_index';
  const before = former[field] ?? filters[field] ?? null;
  const after = condition.condition[field] ?? newFilters[field] ?? null;
  const isOfFlag = !jsonEquals(filters[field] ?? null, newFilters[field] ?? null);
  if (isOfFlag || jsonEquals(before, after)) return [];
  return [{ what: 'bucketing', classes: ['re-bucket'], field, before, after, condition }];
}

function audienceEffects(before: JsonObject, condition: NumberedCondition, couplings: Couplings): FlagEffect[] {
  const [former, wanted] = [readProperties(before), readProperties(condition.condition)];
  if (former === undefined || wanted === undefined) return unknownMember('properties', before, condition);
  const { direction, ...changes } = compareAudiences(former, wanted);
  if (direction === 'same') return [];
  const own: readonly EffectClass[] =
    direction === 'wider' ? ['widen'] : direction === 'narrower' ? ['narrow'] : ['widen', 'narrow'];
  const properties = [
    ...changes.added,
    ...changes.removed,
    ...changes.changed.flatMap(({ before: one, after: other }) => [one, other]),
  ];
  return [
    { what: 'audience', classes: classesOf(own, { properties, couplings, isStructural: true }), condition, ...changes },
  ];
}

function rolloutEffects(former: JsonObject, condition: NumberedCondition, couplings: Couplings): FlagEffect[] {
  const [before, after] = [rolloutOf(former), rolloutOf(condition.condition)];
  if (before === undefined || after === undefined) return unknownMember('rollout_percentage', former, condition);
  if (before === after) return [];
  const own: EffectClass = after > before ? 'widen' : 'narrow';
  const classes = classesOf([own], { properties: [], couplings, isStructural: false });
  return [{ what: 'rollout', classes, condition, before, after, points: Math.round((after - before) * 1e6) / 1e6 }];
}

function variantEffects(former: JsonObject, condition: NumberedCondition, couplings: Couplings): FlagEffect[] {
  const [before, after] = [former['variant'] ?? null, condition.condition['variant'] ?? null];
  if (jsonEquals(before, after)) return [];
  const classes = classesOf(['re-split'], { properties: [], couplings, isStructural: true });
  return [{ what: 'condition_variant', classes, condition, before, after }];
}

/** The order decides where people of several conditions get different variants, or are not asked the next one. */
function moveEffect(from: NumberedCondition, condition: NumberedCondition, couplings: Couplings): FlagEffect {
  const matters = couplings.exitsEarly || couplings.forcesVariants;
  const classes: readonly EffectClass[] = matters
    ? classesOf([], { properties: [], couplings, isStructural: true })
    : ['metadata'];
  return { what: 'condition_moved', classes, condition, from: from.number, matters };
}

/** Indices of the new list whose elements left their order: the fewest that explain it. */
function findMoved(pairing: readonly (number | undefined)[]): ReadonlySet<number> {
  const kept = longestIncreasing(pairing);
  return new Set(pairing.flatMap((origin, index) => (origin === undefined || kept.has(index) ? [] : [index])));
}

/** Indices of one of the longest subsequences that increase. */
function longestIncreasing(values: readonly (number | undefined)[]): ReadonlySet<number> {
  let best: readonly number[] = [];
  const endingAt: (readonly number[])[] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      endingAt.push([]);
      continue;
    }
    const before = endingAt.reduce<readonly number[]>((longest, chain) => {
      const last = values[chain.at(-1) ?? -1];
      return last !== undefined && last < value && chain.length > longest.length ? chain : longest;
    }, []);
    const chain = [...before, index];
    endingAt.push(chain);
    if (chain.length > best.length) best = chain;
  }
  return new Set(best);
}

/** `undefined` for what is no list of properties, which matches nobody. */
function readProperties(condition: JsonObject): readonly JsonObject[] | undefined {
  const properties = condition['properties'] ?? [];
  return isJsonArray(properties) && properties.every(isJsonObject) ? properties : undefined;
}
