/** Finds what changes of release conditions do. Conditions are paired by content, not by their place in the list. */

import { toPointer } from '../../base/json-pointer.ts';
import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Pairing } from '../../posthog/flag/model/live-values.ts';
import { rolloutOf, viewFilters } from '../../posthog/flag/model/flag.ts';
import { compareAudiences, isReadable, type AudienceRules } from './audience.ts';
import { aggregationIn, findPairs, numberConditions } from './sides.ts';
import type { EffectClass, FlagEffect, NumberedCondition } from './effect.ts';

/** What else in the flag, and in its service, decides what a change of a condition does. */
interface Couplings extends AudienceRules {
  /** A condition ends the search for people who match it but are outside its rollout. */
  readonly exitsEarly: boolean;
  /** Conditions choose the variant in different ways, so that it matters which one matches first. */
  readonly choosesVariant: boolean;
  /** The keys of the variants before or after: a condition that forces another one forces none. */
  readonly variants: ReadonlySet<JsonValue>;
}

/** `filters` before and after, in canonical form. */
export function findConditionEffects(before: JsonObject, after: JsonObject, rules?: AudienceRules): FlagEffect[] {
  const { former, wanted, pairing, gone } = findPairs(before, after);
  const couplings = { comparesText: false, ...rules, ...couplingsOf(before, after) };
  const moved = findMoved(pairing);
  return [
    ...gone.map((condition) => comesOrGoes('condition_removed', condition, couplings)),
    ...wanted.flatMap((condition, index) => {
      const origin = former[pairing[index] ?? -1];
      if (origin === undefined) return [comesOrGoes('condition_added', condition, couplings)];
      const before = origin.condition;
      const own = [
        ...audienceEffects(before, condition, couplings),
        ...rolloutEffects(before, condition, couplings),
        ...variantEffects(before, condition, couplings),
        ...(jsonEquals(before['description'], condition.condition['description'])
          ? []
          : [{ what: 'condition_description' as const, classes: ['metadata' as const], condition }]),
        ...[...new Set([...definedKeys(before), ...definedKeys(condition.condition)])]
          .filter((member) => !KNOWN_MEMBERS.has(member))
          .flatMap((member) => unknownMember(member, before, condition)),
      ];
      if (!moved.has(index)) return own;
      // The order matters if people who match several conditions get different variants, or do not reach the next one.
      const matters = couplings.exitsEarly || couplings.choosesVariant;
      const classes = matters
        ? classesOf([], { properties: [], couplings, isStructural: true })
        : ['metadata' as const];
      return [...own, { what: 'condition_moved' as const, classes, condition, from: origin.number, matters }];
    }),
  ];
}

function comesOrGoes(
  what: 'condition_added' | 'condition_removed',
  condition: NumberedCondition,
  couplings: Couplings,
): FlagEffect {
  const properties = readProperties(condition.condition);
  const isKnown = definedKeys(condition.condition).every((member) => KNOWN_MEMBERS.has(member));
  if (!isKnown || properties === undefined || rolloutOf(condition.condition) === undefined) {
    return { what, classes: ['opaque'], condition };
  }
  const own: EffectClass = what === 'condition_added' ? 'widen' : 'narrow';
  return { what, classes: classesOf([own], { properties, couplings, isStructural: true }), condition };
}

/** `isStructural`: whether the condition may match other people, so that others reach the next one. */
function classesOf(
  own: readonly EffectClass[],
  {
    properties,
    couplings,
    isStructural,
  }: { readonly properties: readonly JsonObject[]; readonly couplings: Couplings; readonly isStructural: boolean },
): EffectClass[] {
  if (!properties.every(isReadable)) return ['opaque'];
  const { exitsEarly, choosesVariant } = couplings;
  const shifted: readonly EffectClass[] = exitsEarly && isStructural ? ['widen', 'narrow'] : [];
  return [
    ...new Set([
      ...own,
      ...shifted,
      ...(choosesVariant ? (['re-split'] as const) : []),
      ...(properties.some(({ type }) => type === 'flag') ? (['dependency'] as const) : []),
    ]),
  ];
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  'properties',
  'rollout_percentage',
  'variant',
  'description',
  'aggregation_group_type_index',
]);

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

function audienceEffects(before: JsonObject, condition: NumberedCondition, couplings: Couplings): FlagEffect[] {
  const [former, wanted] = [readProperties(before), readProperties(condition.condition)];
  if (former === undefined || wanted === undefined) return unknownMember('properties', before, condition);
  const { direction, ...changes } = compareAudiences(former, wanted, couplings);
  if (direction === 'same') {
    return jsonEquals(former, wanted) ? [] : [{ what: 'condition_rewritten', classes: ['metadata'], condition }];
  }
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
  const isForced = [before, after].some((variant) => couplings.variants.has(variant));
  const own: EffectClass = isForced ? 're-split' : 'metadata';
  const classes = classesOf([own], { properties: [], couplings, isStructural: isForced });
  return [{ what: 'condition_variant', classes, condition, before, after }];
}

/** `undefined` for a value that is not a list of properties, which matches nobody. */
function readProperties(condition: JsonObject): readonly JsonObject[] | undefined {
  const properties = condition['properties'] ?? [];
  return isJsonArray(properties) && properties.every(isJsonObject) ? properties : undefined;
}

/** How the conditions depend on each other. `filters` before and after, in canonical form. */
function couplingsOf(before: JsonObject, after: JsonObject): Omit<Couplings, keyof AudienceRules> {
  const sides = [before, after];
  return {
    exitsEarly: sides.some((filters) => filters['early_exit'] === true),
    choosesVariant: new Set(sides.flatMap(choicesOf)).size > 1,
    variants: new Set(sides.flatMap(variantKeysOf)),
  };
}

/** How each condition chooses: it forces a variant, or hashes the person or a group. Empty without variants to choose from. */
function choicesOf(filters: JsonObject): string[] {
  const keys = new Set(variantKeysOf(filters));
  if (keys.size === 0) return [];
  return numberConditions(filters).map(({ condition }) => {
    const forced = condition['variant'] ?? null;
    return canonicalText(keys.has(forced) ? [forced] : aggregationIn(filters, condition));
  });
}

function variantKeysOf(filters: JsonObject): JsonValue[] {
  return viewFilters(filters).variants.map(({ part: { key } }) => key);
}

/** Indices of the new list: the fewest that explain the new order. */
function findMoved(pairing: Pairing): ReadonlySet<number> {
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
