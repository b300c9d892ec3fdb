/** Finds what each condition of a flag decides for a person, up to the one that decides: the reason for an unexpected answer. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import { findAggregation, findsMatch } from '../evaluation/condition.ts';
import { findBucket } from '../evaluation/identifier.ts';
import { conditionsOf, propertiesOf, variantsOf } from '../evaluation/parts.ts';
import { readRules } from '../evaluation/rule-document.ts';
import { isRolledOut } from '../evaluation/rollout.ts';
import { rolloutHash, variantHash } from '../evaluation/hash.ts';
import { groupProperties, type EvaluationScope } from '../evaluation/scope.ts';
import type { Condition, Flag, Property } from '../posthog/flag/model/flag.ts';

/** `index`: in the flag's conditions. */
export interface EvaluationAttempt {
  readonly index: number;
  readonly result: AttemptResult;
}

/** Positions are percentages, between 0 and 100. */
export type AttemptResult =
  /** The first filter that does not match, by its index. `found` is absent if the person or group has no such property. */
  | { readonly kind: 'unmatched'; readonly filter: number; readonly found?: JsonValue }
  /** Only the service can decide the filter. */
  | { readonly kind: 'undecided'; readonly filter: number }
  /** The filters cannot be read, so they match nobody. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'no_group'; readonly type: number }
  | { readonly kind: 'no_device' }
  | { readonly kind: 'left_out'; readonly identifier: string; readonly position: number }
  | { readonly kind: 'matched'; readonly identifier: string; readonly variant?: ChosenVariant };

/** `forced`: the condition names the variant. */
type ChosenVariant = { readonly kind: 'forced' } | { readonly kind: 'hashed'; readonly position: number };

export function findAttempts(flag: Flag, scope: EvaluationScope): readonly EvaluationAttempt[] {
  const attempts: EvaluationAttempt[] = [];
  const rules = readRules(flag.filters ?? {})?.rules;
  for (const [index, condition] of scope.rules.conditionOrder(conditionsOf(flag.filters))) {
    const rule = rules?.[index];
    // A rule hashes its seed in place of the key, and always with the id of the person.
    const hashed = rule === undefined ? flag : { id: flag.id, key: rule.seed ?? flag.key };
    const result = tryCondition(hashed, condition, scope);
    attempts.push({ index, result });
    if (result.kind === 'matched') break;
    const isLast = flag.filters?.['early_exit'] === true || rule?.on_rollout_miss === 'return_default';
    if (result.kind === 'left_out' && isLast) break;
  }
  return attempts;
}

function tryCondition(flag: Flag, condition: Condition, scope: EvaluationScope): AttemptResult {
  const aggregation = findAggregation(flag, condition);
  const bucket = findBucket(flag, aggregation, scope);
  if (bucket.kind === 'absent') {
    return aggregation === null ? { kind: 'no_device' } : { kind: 'no_group', type: aggregation };
  }
  const properties = propertiesOf(condition);
  if (properties === undefined) return { kind: 'unreadable' };
  const matches = properties.map((property) => findsMatch(property, aggregation, scope));
  const filter = properties.findIndex((property, at) => matches[at] === isNegated(flag, property));
  const unmatched = properties[filter];
  if (unmatched !== undefined) {
    const found = findValue(unmatched, aggregation, scope);
    return { kind: 'unmatched', filter, ...(found === undefined ? {} : { found }) };
  }
  if (matches.includes(UNKNOWN)) return { kind: 'undecided', filter: matches.indexOf(UNKNOWN) };
  const { identifier } = bucket;
  if (isRolledOut({ flag, condition, identifier }, scope)) {
    return { kind: 'matched', identifier, ...chosenVariant(flag, condition, identifier) };
  }
  return { kind: 'left_out', identifier, position: rolloutHash(flag.key, identifier) * 100 };
}

/** Only rules negate what a filter matches. */
function isNegated({ filters }: Flag, { negation }: Property): boolean {
  return filters === undefined && negation === true;
}

function findValue(filter: Property, aggregation: number | null, scope: EvaluationScope): JsonValue | undefined {
  const key = String(filter.key);
  const own = (properties: JsonObject): JsonValue | undefined =>
    Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (filter.type === 'cohort') return undefined;
  if (filter.type === 'flag') return scope.findFlag(key)?.value;
  const named = filter['group_type_index'];
  const index = filter.type === 'group' && typeof named === 'number' ? named : aggregation;
  const isOfGroup = filter.type === 'group' || (filter.type === undefined && index !== null);
  if (!isOfGroup) return own(scope.person);
  return index === null ? undefined : own(groupProperties(index, scope));
}

function chosenVariant(flag: Flag, { variant }: Condition, identifier: string): { readonly variant?: ChosenVariant } {
  const variants = variantsOf(flag.filters);
  if (variants.length === 0) return {};
  if (variants.some(({ key }) => key === variant)) return { variant: { kind: 'forced' } };
  return { variant: { kind: 'hashed', position: variantHash(flag.key, identifier) * 100 } };
}
