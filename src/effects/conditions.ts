/** The conditions of a flag: numbered, and paired with those before by what they say, not by their place in the list. */

import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Pairing } from '../posthog/flag/live-values.ts';
import { pairElements } from '../posthog/flag/pair-elements.ts';
import type { NumberedCondition } from './effect.ts';

/** Members that are no condition are left out, as evaluation does; the others keep their numbers. */
export function numberConditions(filters: JsonObject): NumberedCondition[] {
  return arrayOrEmpty(filters['groups']).flatMap((condition, index) =>
    isJsonObject(condition) ? [{ number: index + 1, condition }] : [],
  );
}

export const AGGREGATION = 'aggregation_group_type_index';

/** The group type that a condition is about: its own, where null means persons, else that of the flag. */
export function aggregationIn(filters: JsonObject, { [AGGREGATION]: own }: JsonObject): JsonValue {
  return (own === undefined ? filters[AGGREGATION] : own) ?? null;
}

/** A condition before and after; one side is absent if it comes or goes. */
export interface ConditionPair {
  readonly former?: NumberedCondition;
  readonly wanted?: NumberedCondition;
}

/** The wanted conditions in their order, then the removed ones. */
export function pairConditions(before: JsonObject, after: JsonObject): readonly ConditionPair[] {
  const { former, wanted, pairing, gone } = findPairs(before, after);
  const kept = wanted.map((one, index) => ({ wanted: one, ...defined({ former: former[pairing[index] ?? -1] }) }));
  return [...kept, ...gone.map((one) => ({ former: one }))];
}

export interface ConditionPairs {
  readonly former: readonly NumberedCondition[];
  readonly wanted: readonly NumberedCondition[];
  /** The index in `former` for each of `wanted`. */
  readonly pairing: Pairing;
  readonly gone: readonly NumberedCondition[];
}

/** `filters` before and after, in canonical form. */
export function findPairs(before: JsonObject, after: JsonObject): ConditionPairs {
  const [former, wanted] = [numberConditions(before), numberConditions(after)];
  const pairing = pairElements({ wanted: conditionsIn(wanted), live: conditionsIn(former), nodes: new Map() });
  return { former, wanted, pairing, gone: former.filter((_, index) => !pairing.includes(index)) };
}

function conditionsIn(numbered: readonly NumberedCondition[]): JsonObject[] {
  return numbered.map(({ condition }) => condition);
}
