/** A flag before and after the changes of a plan, in the form in which flags are compared, with its conditions paired. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type FlagStates, sidesOf } from '../../posthog/flag/snapshot.ts';
import type { FlagChange } from '../../posthog/flag/change.ts';
import type { Pairing } from '../../posthog/flag/model/live-values.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import { pairElements } from '../../posthog/flag/owned-fields.ts';
import type { FieldChange } from '../../posthog/plan.ts';
import type { AudienceRules } from './audience.ts';
import type { NumberedCondition } from './effect.ts';

/** The difference of one flag, read in one direction: from live to declared, or the reverse. */
export interface FlagStateChange extends AudienceRules {
  readonly sides: FlagStates;
  readonly fields: readonly FieldChange[];
  /** The flag was deleted before and is not afterwards. */
  readonly restores: boolean;
}

/** The change from the live flag to the declared one. `changes`: as for `sidesOf`. */
export function differenceOf(changes: readonly FlagChange[]): FlagStateChange {
  return {
    sides: sidesOf(changes),
    fields: changes.flatMap(({ fields }) => fields),
    restores: isRestored(changes),
    comparesText: comparesText(changes),
  };
}

/** The change from the declared flag to the live one: a flag that a plan restores is deleted. */
export function driftOf(changes: readonly FlagChange[]): FlagStateChange {
  const { before: live, after: wanted } = sidesOf(changes);
  return {
    sides: defined({ before: wanted, after: isRestored(changes) ? undefined : live }),
    fields: changes.flatMap(({ fields }) => fields).map(reversedField),
    restores: false,
    comparesText: comparesText(changes),
  };
}

/** A service that counts the updates of flags evaluates them as today's does. */
function comparesText(changes: readonly FlagChange[]): boolean {
  return changes.every((change) => change.action === 'create' || change.base.version !== null);
}

/** The same difference in the opposite direction. */
export function reversedField({ before, after, ...field }: FieldChange): FieldChange {
  return { ...field, ...defined({ before: after, after: before }) };
}

function isRestored(changes: readonly FlagChange[]): boolean {
  return changes.some(({ action }) => action === 'restore');
}

/** Whether nobody gets a value of the flag, before and after. */
export function isDormant({ before, after }: FlagStates): boolean {
  return [before, after].every((flag) => flag === undefined || flag['active'] === false || flag['deleted'] === true);
}

/** Numbers the conditions of a flag by their place. Members that are not conditions are left out, as in evaluation, but count. */
export function numberConditions(filters: JsonObject): NumberedCondition[] {
  return viewFilters(filters).conditions.map(({ part, number }) => ({ number, condition: part }));
}

/** Whether a part of `filters` beside the conditions decides anything. */
export function decides(value: JsonValue | undefined): boolean {
  return isJsonArray(value) ? value.length > 0 : value === true || isJsonObject(value);
}

export const AGGREGATION = 'aggregation_group_type_index';

/** The group type that a condition is about: its own, where null means persons, else that of the flag. */
export function aggregationIn(filters: JsonObject, { [AGGREGATION]: own }: JsonObject): JsonValue {
  return (own === undefined ? filters[AGGREGATION] : own) ?? null;
}

/** A condition before and after, paired by content and not by place; one side is absent if it is added or removed. */
export interface ConditionPair {
  readonly former?: NumberedCondition;
  readonly wanted?: NumberedCondition;
}

/** Pairs the wanted conditions, in their order, and then the removed ones. */
export function pairConditions(before: JsonObject, after: JsonObject): readonly ConditionPair[] {
  const { former, wanted, pairing, gone } = findPairs(before, after);
  const kept = wanted.map((one, index) => ({ wanted: one, ...defined({ former: former[pairing[index] ?? -1] }) }));
  return [...kept, ...gone.map((one) => ({ former: one }))];
}

/** `before` and `after`: `filters` in canonical form. `pairing`: the index in `former` for each of `wanted`. */
export function findPairs(
  before: JsonObject,
  after: JsonObject,
): { readonly pairing: Pairing } & Readonly<Record<'former' | 'wanted' | 'gone', readonly NumberedCondition[]>> {
  const [former, wanted] = [numberConditions(before), numberConditions(after)];
  const [ofFormer, ofWanted] = [former, wanted].map((all) => all.map(({ condition }) => condition));
  const pairing = pairElements(ofWanted ?? [], ofFormer ?? [], new Map());
  return { former, wanted, pairing, gone: former.filter((_, index) => !pairing.includes(index)) };
}
